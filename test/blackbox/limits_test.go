package blackbox

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"entrepot/test/blackbox/harness"
)

// aMinute is in what time requests surely belong to one window of a minute.
const aMinute = 50 * time.Second

// passesAsBurst holds a burst of n requests at once against a limit of 20 a second: 20 pass, the others are refused. It is repeated until
// one took less than a second, as long as the minute of the caller has 20 left for another; on a machine that is too busy for that, at
// least 20 pass, and 20 more in each second.
func passesAsBurst(c *testCase, n, passed, minute int, prepare func(try int), burst func() map[int]int) (statuses map[int]int) {
	const most = 20
	seconds := 0
	for try := 0; try < 12 && minute >= most; try++ {
		prepare(try)
		before := time.Now()
		statuses = burst()
		minute -= statuses[passed]
		if took := time.Since(before); took < 900*time.Millisecond {
			seconds = 0
			break
		} else {
			seconds = 1 + int(took/time.Second)
		}
	}
	if let := statuses[passed]; let < most || let > most*(1+seconds) || let+statuses[429] != n {
		c.Errorf("statuses %v, want %d to %d of %d and else 429", statuses, most, most*(1+seconds), passed)
	}
	return statuses
}

func init() {
	starter := harness.Options{Plan: "starter", Limits: true}

	aboutOwn("8-burst 8-refused-free 8-headers", "thirty at once on starter: twenty pass", starter, func(c *testCase) {
		var reader harness.Client
		var refused harness.Answer
		statuses := passesAsBurst(c, 30, 200, 12*30, func(try int) { // each try has a key of its own
			reader = c.account.NewKey(c, fmt.Sprint("burst ", try), "read:orders")
		}, func() map[int]int {
			return c.tally(30, func(int) harness.Answer {
				answer := c.as(reader, http.MethodGet, "/api/v1/orders", nil)
				if answer.Status == 429 {
					refused = answer
				}
				return answer
			})
		})
		if refused.Status == 0 { // only on a machine that took seconds for thirty requests
			return
		}
		c.like(refused, `{"statusCode":429,"error":"Too Many Requests","code":"rate_limited","message":"<text>","retryAfter":"<atleast 1>"}`)
		if refused.Header.Get("Retry-After") != strconv.FormatInt(refused.Count("retryAfter"), 10) {
			c.Errorf("Retry-After %q is not retryAfter: %s", refused.Header.Get("Retry-After"), refused)
		}
		time.Sleep(1100 * time.Millisecond)
		next := c.must(c.as(reader, http.MethodGet, "/api/v1/orders", nil), 200)
		left, want := next.Header.Get("X-RateLimit-Remaining"), strconv.Itoa(99-statuses[200])
		if left != want && next.Header.Get("X-RateLimit-Reset") == refused.Header.Get("X-RateLimit-Reset") {
			c.Errorf("after %d that passed and one more, %s remain; want %s", statuses[200], left, want)
		}
	})

	aboutOwn("8-plan 8-headers 8-304-free 8-per-key 8-refused-free", "a hundred a minute on starter", starter, func(c *testCase) {
		reader := c.account.NewKey(c, "minute", "read:orders")
		began := time.Now()
		first := c.must(c.as(reader, http.MethodGet, "/api/v1/orders", nil), 200)
		tag, reset := first.Header.Get("ETag"), first.Header.Get("X-RateLimit-Reset")
		if first.Header.Get("X-RateLimit-Limit") != "100" || first.Header.Get("X-RateLimit-Remaining") != "99" {
			c.Errorf("limit %s, remaining %s; want 100 and 99", first.Header.Get("X-RateLimit-Limit"), first.Header.Get("X-RateLimit-Remaining"))
		}
		if at, err := strconv.ParseInt(reset, 10, 64); err != nil || at < began.Unix()+50 || at > time.Now().Unix()+61 {
			c.Errorf("X-RateLimit-Reset %s is not about a minute from now", reset)
		}
		for sent := 1; sent < 100; sent++ {
			if sent%19 == 0 {
				time.Sleep(1050 * time.Millisecond)
			}
			answer := c.must(c.as(reader, http.MethodGet, "/api/v1/orders", nil), 200)
			if time.Since(began) > aMinute {
				c.Logf("this machine is too busy for a hundred requests in a minute: %d", sent)
				return
			}
			if left, want := answer.Header.Get("X-RateLimit-Remaining"), strconv.Itoa(99-sent); left != want {
				c.Fatalf("after %d requests %s remain, want %s", sent+1, left, want)
			}
			if answer.Header.Get("X-RateLimit-Reset") != reset {
				c.Fatalf("the window moved: %s, then %s", reset, answer.Header.Get("X-RateLimit-Reset"))
			}
		}
		time.Sleep(1100 * time.Millisecond)
		spent := c.as(reader, http.MethodGet, "/api/v1/orders", nil)
		if time.Since(began) > aMinute {
			c.Log("this machine is too busy for a hundred requests in a minute")
			return
		}
		c.like(c.must(spent, 429), `{"statusCode":429,"retryAfter":"<atleast 2>","error":"Too Many Requests"}`) // not a second's: the minute's
		unchanged, err := reader.Do(harness.Request{Method: http.MethodGet, Path: "/api/v1/orders", Header: http.Header{"If-None-Match": {tag}}})
		if err != nil || unchanged.Status != 304 {
			c.Errorf("a 304 with the quota spent: %v %s", err, unchanged)
		}
		c.must(c.as(c.account.NewKey(c, "fresh", "read:orders"), http.MethodGet, "/api/v1/orders", nil), 200)
		c.must(c.as(c.account.Key, http.MethodGet, "/api/v1/orders", nil), 200)
	})

	aboutOwn("8-304-free", "304 costs nothing", starter, func(c *testCase) {
		reader := c.account.NewKey(c, "conditional", "read:orders")
		first := c.must(c.as(reader, http.MethodGet, "/api/v1/orders", nil), 200)
		for range 60 {
			answer, err := reader.Do(harness.Request{Method: http.MethodGet, Path: "/api/v1/orders",
				Header: http.Header{"If-None-Match": {first.Header.Get("ETag")}}})
			if err != nil || answer.Status != 304 {
				c.Fatalf("%v %s", err, answer)
			}
		}
		next := c.must(c.as(reader, http.MethodGet, "/api/v1/orders", nil), 200)
		left, moved := next.Header.Get("X-RateLimit-Remaining"), next.Header.Get("X-RateLimit-Reset") != first.Header.Get("X-RateLimit-Reset")
		if left != "98" && !moved {
			c.Errorf("after two reads and sixty 304 %s remain, want 98", left)
		}
	})

	for plan, perMinute := range map[string]string{"starter": "100", "pro": "500", "enterprise": "2000"} {
		aboutOwn("8-plan 8-headers", "headers on "+plan, harness.Options{Plan: plan, Limits: true}, func(c *testCase) {
			for _, client := range []harness.Client{c.account.Key, c.account.Owner} {
				if got := c.must(c.as(client, http.MethodGet, "/api/v1/orders", nil), 200).Header.Get("X-RateLimit-Limit"); got != perMinute {
					c.Errorf("X-RateLimit-Limit is %s on %s, want %s", got, plan, perMinute)
				}
				for path, status := range map[string]int{"/api/v1/nowhere": 404, "/api/v1/account": 405} {
					if got := c.must(c.as(client, http.MethodDelete, path, nil), status).Header.Get("X-RateLimit-Limit"); got != perMinute {
						c.Errorf("X-RateLimit-Limit of a %d is %s on %s, want %s", status, got, plan, perMinute)
					}
				}
			}
			for _, lost := range []struct {
				method, path string
				status       int
			}{{http.MethodGet, "/api/v1/nothing", 404}, {http.MethodDelete, "/api/v1/orders", 405}} {
				if got := c.must(c.call(lost.method, lost.path, nil), lost.status).Header.Get("X-RateLimit-Limit"); got != perMinute {
					c.Errorf("X-RateLimit-Limit is %s on a %d on %s, want %s", got, lost.status, plan, perMinute)
				}
			}
			for range 150 {
				if answer, err := c.account.Nobody.Call(http.MethodGet, "/healthz", nil); err != nil || answer.Status != 200 {
					c.Fatalf("/healthz is counted: %v %s", err, answer)
				}
			}
		})
	}

	aboutOwn("8-bulk 8-headers", "bulk routes have windows of their own", harness.Options{Plan: "enterprise", Limits: true},
		func(c *testCase) {
			for _, route := range []struct {
				method, path, body string
				most               int
			}{
				{http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", `{"products":[{"sku":"L-%d","name":"L","price":1}]}`, 10},
				{http.MethodPost, "/api/v1/sdk/categories/bulk-import", `{"categories":[{"externalId":"L-%d","name":"L"}]}`, 10},
				{http.MethodPatch, "/api/v1/sdk/inventory/bulk-update", `{"updates":[{"sku":"L-0","quantity":%d}]}`, 30},
				{http.MethodPatch, "/api/v1/sdk/prices/bulk-update", `{"updates":[{"sku":"L-0","price":%d}]}`, 30},
			} {
				began := time.Now()
				for n := range route.most {
					answer := c.must(c.call(route.method, route.path, fmt.Sprintf(route.body, n)), 200)
					if answer.Header.Get("X-RateLimit-Limit") != "2000" {
						c.Errorf("%s shows limit %s, want the plan's 2000", route.path, answer.Header.Get("X-RateLimit-Limit"))
					}
				}
				refused := c.call(route.method, route.path, fmt.Sprintf(route.body, 99))
				if time.Since(began) > aMinute {
					c.Logf("this machine is too busy for %d of %s in a minute", route.most, route.path)
					continue
				}
				c.like(c.must(refused, 429), `{"statusCode":429,"code":"rate_limited","retryAfter":"<atleast 1>"}`)
				c.must(c.call(http.MethodGet, "/api/v1/orders", nil), 200)
				other := c.account.NewKey(c, "second", "write:products", "write:categories", "write:inventory")
				c.must(c.as(other, route.method, route.path, fmt.Sprintf(route.body, 98)), 200)
			}
		})

	aboutOwn("8-per-key 5.1-none", "without a key: by address, starter size", harness.Options{Plan: "enterprise", Limits: true},
		func(c *testCase) {
			passesAsBurst(c, 40, 401, 90, func(int) { // of a hundred; some came before
				time.Sleep(1100 * time.Millisecond) // what came from this address before no longer counts
			}, func() map[int]int {
				return c.tally(40, func(int) harness.Answer { return c.as(c.account.Nobody, http.MethodGet, "/api/v1/orders", nil) })
			})
			c.must(c.call(http.MethodGet, "/api/v1/orders", nil), 200)
		})

	aboutOwn("8-logins 5.1-login", "ten failed logins a minute", harness.Options{Plan: "enterprise", Limits: true}, func(c *testCase) {
		began := time.Now()
		for n := range 10 {
			if n%5 == 0 {
				time.Sleep(1050 * time.Millisecond)
			}
			c.must(c.as(c.account.Nobody, http.MethodPost, "/api/v1/auth/login", fmt.Sprintf(`{"email":%q,"password":"wrong"}`, c.account.Email)),
				401)
		}
		refused := c.as(c.account.Nobody, http.MethodPost, "/api/v1/auth/login", fmt.Sprintf(`{"email":%q,"password":"wrong"}`, c.account.Email))
		if time.Since(began) > aMinute {
			c.Log("this machine is too busy for eleven logins in a minute")
			return
		}
		c.must(refused, 429)
		c.must(c.as(c.account.Nobody, http.MethodPost, "/api/v1/auth/login", `{"email":"somebody.else@x.example","password":"wrong"}`), 401)
		c.must(c.as(c.account.Owner, http.MethodGet, "/api/v1/auth/me", nil), 200)
	})
}
