package limits

import (
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Cleanup()
	dbtest.Stop()
	os.Exit(code)
}

// plans are the rates of interface §8 that the clients here can exhaust within seconds.
var plans = []struct {
	name             string
	perMinute, burst int
}{{"starter", 100, 20}, {"pro", 500, 100}}

// TestThreeProcesses: whichever node a request comes to, what passes is exactly the limit, never one more.
func TestThreeProcesses(t *testing.T) {
	first := harness.Start(t, harness.Postgres, harness.Options{Limits: true})
	nodes := []*harness.Server{first, first.Peer(t), first.Peer(t)}
	t.Run("bulk", func(t *testing.T) { bulk(t, nodes, first.NewAccount(t, "enterprise")) })
	for _, plan := range plans {
		account := first.NewAccount(t, plan.name)
		t.Run("burst of "+plan.name, func(t *testing.T) { burst(t, nodes, account, plan.burst) })
		t.Run("minute of "+plan.name, func(t *testing.T) {
			t.Parallel()
			minute(t, nodes, account, plan.perMinute, plan.burst)
		})
	}
}

var orders = harness.Request{Method: http.MethodGet, Path: "/api/v1/orders"}

// burst: of many requests at once no more than the burst pass in any second, and none is refused before so many have.
func burst(t *testing.T, nodes []*harness.Server, account *harness.Account, most int) {
	key := account.NewKey(t, "burst", "read:orders").Key
	calls := atOnce(nodes, key, func(_ int, client harness.Client) (made []call) {
		for range most*3/clients + 1 {
			made = append(made, ask(t, client, orders))
		}
		return made
	})
	if t.Failed() {
		return
	}
	through := passed(calls)
	t.Logf("%d of %d passed within %s", len(through), len(calls), span(calls).Round(time.Millisecond))
	if n := mostInASecond(through); n > most {
		t.Errorf("%d passed within a second, at most %d may", n, most)
	}
	for _, c := range calls {
		if n := beforeRefusal(through, c); c.status != http.StatusOK && n < most {
			t.Fatalf("a request was refused when at most %d had passed within a second, not %d", n, most)
		}
	}
}

// minute: the clients continue until the minute's requests are used up and a while longer, well within the window that
// the first request opened.
func minute(t *testing.T, nodes []*harness.Server, account *harness.Account, perMinute, burst int) {
	key := account.NewKey(t, "minute", "read:orders").Key
	opened := ask(t, harness.Client{Base: nodes[0].Base, Key: key}, orders)
	ends := time.Unix(opened.reset-1, 0) // rounded up: the window lasts at least until then
	if opened.remaining != perMinute-1 || ends.Sub(opened.sent) < 55*time.Second || ends.Sub(opened.received) > time.Minute {
		t.Fatalf("the first request: %+v", opened)
	}
	var through atomic.Int64
	through.Add(1)
	var spentAt atomic.Int64 // when the last one passed, Unix nanoseconds
	calls := atOnce(nodes, key, func(_ int, client harness.Client) (made []call) {
		for time.Until(ends) > 5*time.Second {
			c := ask(t, client, orders)
			made = append(made, c)
			if c.status == http.StatusOK && through.Add(1) >= int64(perMinute) {
				spentAt.CompareAndSwap(0, c.received.UnixNano())
			}
			if at := spentAt.Load(); t.Failed() || at != 0 && time.Since(time.Unix(0, at)) > 1500*time.Millisecond {
				return made
			}
			if c.status != http.StatusOK {
				time.Sleep(40 * time.Millisecond)
			}
		}
		return made
	})
	calls = append(calls, opened)
	let := passed(calls)
	t.Logf("%d of %d passed within %s", len(let), len(calls), span(calls).Round(time.Millisecond))
	if _, last := bounds(calls); !last.Before(ends) {
		t.Log("this machine is too busy: the clients were still asking when the window ended")
		return
	}
	if spentAt.Load() == 0 {
		t.Logf("this machine is too busy for %d requests in a minute", perMinute)
	} else if len(let) != perMinute {
		t.Errorf("%d passed in the minute of %d", len(let), perMinute)
	}
	if n := mostInASecond(let); n > burst {
		t.Errorf("%d passed within a second, at most %d may", n, burst)
	}
	countedOnce(t, let, perMinute)
}

// bulk: each bulk route has a window of its own in addition to the plan's, and a request that it refuses does not
// count against the plan.
func bulk(t *testing.T, nodes []*harness.Server, account *harness.Account) {
	const enterprise = 2000
	client := account.NewKey(t, "bulk", "write:products", "write:categories", "write:inventory")
	var all []call
	for _, route := range []struct {
		name, method, path, body string
		most                     int
	}{
		{"products", http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", `{"products":[{"sku":"L-%d","name":"L","price":1}]}`, 10},
		{"categories", http.MethodPost, "/api/v1/sdk/categories/bulk-import", `{"categories":[{"externalId":"L-%d","name":"L"}]}`, 10},
		{"inventory", http.MethodPatch, "/api/v1/sdk/inventory/bulk-update", `{"updates":[{"sku":"L-0","quantity":%d}]}`, 30},
		{"prices", http.MethodPatch, "/api/v1/sdk/prices/bulk-update", `{"updates":[{"sku":"L-0","price":%d}]}`, 30},
	} {
		calls := atOnce(nodes, client.Key, func(n int, client harness.Client) (made []call) {
			for again := range 2 {
				made = append(made, ask(t, client, harness.Request{Method: route.method, Path: route.path,
					Body: fmt.Appendf(nil, route.body, n+again*clients)}))
			}
			return made
		})
		through := passed(calls)
		t.Logf("%s: %d of %d passed", route.name, len(through), len(calls))
		if took := span(calls); took > 50*time.Second {
			t.Logf("this machine is too busy: %s took %s", route.name, took)
			return
		}
		if len(through) != route.most {
			t.Errorf("%s: %d passed in the minute of %d", route.name, len(through), route.most)
		}
		all = append(all, calls...)
	}
	if took := span(all); took > 50*time.Second {
		t.Logf("this machine is too busy: the bulk requests took %s", took)
		return
	}
	if n := mostInASecond(passed(all)); n > 400 {
		t.Errorf("%d passed within a second", n)
	}
	countedOnce(t, passed(all), enterprise)
}
