package failover

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/dbtest"
	"entrepot/test/blackbox/harness"
)

var (
	rounds  = flag.Int("rounds", 2, "how often the primary is killed")
	clients = flag.Int("clients", 4, "how many clients order at once, on two nodes")
	within  = flag.Duration("within", 5*time.Minute, "how soon after a promotion every node answers and webhooks come again")
	away    = flag.Duration("away", 3*time.Second, "how long there is no primary, at most")
	seed    = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of how long there is none each time")
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Cleanup()
	dbtest.Stop()
	os.Exit(code)
}

// shop is one run: the databases, the nodes, and what clients and endpoints know.
type shop struct {
	t       *testing.T
	pair    *dbtest.Pair
	nodes   []*harness.Server
	account *harness.Account
	inboxes []*harness.Inbox // of a plain and an ordered endpoint

	answered    []atomic.Int64 // of each node: when a request was sent that it has stored, in nanoseconds since 1970
	unavailable atomic.Int64   // answers 503
	unknown     atomic.Int64   // of them, outcome_unknown
}

const skus = 8

func sku(n int) string { return fmt.Sprintf("FAIL-%d", n) }

func open(t *testing.T, pair *dbtest.Pair, address string) *shop {
	t.Helper()
	s := &shop{t: t, pair: pair, answered: make([]atomic.Int64, 2)}
	first := harness.Start(t, harness.Postgres, harness.Options{Database: address, Retries: "300ms,300ms,1s,1s,1s"})
	s.nodes = []*harness.Server{first, first.Peer(t)}
	s.account = first.FirstAccount(t)
	receiver := harness.NewReceiver()
	t.Cleanup(receiver.Close)
	for _, ordered := range []bool{false, true} {
		inbox := receiver.Inbox()
		made, err := s.account.Key.Call(http.MethodPost, "/api/v1/developer/webhooks",
			map[string]any{"url": inbox.URL, "events": []string{"*"}, "ordered": ordered})
		if err != nil || made.Status != http.StatusCreated {
			t.Fatalf("%v %s", err, made)
		}
		inbox.Secret(made.Text("data", "secret"))
		s.inboxes = append(s.inboxes, inbox)
	}
	var products []any
	for n := range skus {
		products = append(products, map[string]any{"sku": sku(n), "name": sku(n), "price": 1, "stock": map[string]any{"quantity": 0}})
	}
	filled, err := s.account.Key.Call(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", map[string]any{"products": products})
	if err != nil || filled.Status != http.StatusOK || len(filled.List("errors")) > 0 {
		t.Fatalf("%v %s", err, filled)
	}
	return s
}

// on is the account's key at one of the nodes.
func (s *shop) on(node int) harness.Client {
	client := s.account.Key
	client.Base = s.nodes[node%len(s.nodes)].Base
	return client
}

// TestPrimaryFails kills the primary under load: nothing acknowledged is lost, nothing is stored twice, every event is
// stored and was delivered, meanwhile every answer is 503 with Retry-After, and the nodes recover without help.
func TestPrimaryFails(t *testing.T) {
	dbtest.Long(t, "PostgreSQL is started again and again")
	pair := dbtest.NewPair(t)
	s := open(t, pair, pair.URL()+"&target_session_attrs=read-write")
	stop := make(chan struct{})
	var running sync.WaitGroup
	var all []*client
	for n := range *clients {
		all = append(all, &client{shop: s, number: n, node: n % 2})
	}
	for _, c := range all {
		running.Go(func() { c.work(stop) })
	}
	feed := &walker{shop: s, seen: map[string]string{}}
	running.Go(func() { harness.Repeat(stop, func() { feed.step() }) })
	t.Logf("seed %d", *seed)
	moments := rand.New(rand.NewPCG(*seed, 0))
	for round := range *rounds {
		s.awaitWork(time.Now()) // the kill comes in the midst of it
		time.Sleep(time.Duration(moments.Int64N(int64(time.Second))))
		killed := time.Now()
		s.pair.Kill()
		time.Sleep(time.Duration(moments.Int64N(int64(*away) + 1)))
		s.pair.Promote()
		promoted := time.Now()
		node, webhook := s.awaitWork(promoted)
		t.Logf("round %d: promoted %s after the kill; the last node stored again %s later, webhooks came %s later", round+1,
			promoted.Sub(killed).Round(time.Millisecond), node.Round(time.Millisecond), webhook.Round(time.Millisecond))
		if max(node, webhook) > *within {
			t.Errorf("round %d: it took longer than %s", round+1, *within)
		}
		s.pair.Rebuild()
	}
	s.awaitWork(time.Now())
	close(stop)
	running.Wait()
	s.audit(all, feed)
}

// awaitWork waits until every node has stored something after a time, and every endpoint got an event that happened after it; it reports
// how long either took.
func (s *shop) awaitWork(since time.Time) (node, webhook time.Duration) {
	s.t.Helper()
	for node == 0 || webhook == 0 {
		if time.Since(since) > 5*time.Minute {
			s.t.Fatalf("five minutes later: stored after %s, webhooks after %s\n%s", node, webhook, s.nodes[0].LogTail())
		}
		time.Sleep(5 * time.Millisecond)
		if node == 0 && s.stored(since) {
			node = time.Since(since)
		}
		if webhook == 0 && s.delivered(since) {
			webhook = time.Since(since)
		}
	}
	return node, webhook
}

// stored reports whether every node has stored something that was asked for after a time.
func (s *shop) stored(since time.Time) bool {
	for i := range s.answered {
		if s.answered[i].Load() < since.UnixNano() {
			return false
		}
	}
	return true
}

// delivered reports whether every endpoint got an event that happened after a time.
func (s *shop) delivered(since time.Time) bool {
	for _, inbox := range s.inboxes {
		came := inbox.Deliveries()
		if len(came) == 0 || came[len(came)-1].At.Before(since) {
			return false
		}
		text, _ := harness.At(came[len(came)-1].Value(), "timestamp").(string)
		if happened, err := time.Parse(time.RFC3339, text); err != nil || happened.Before(since) {
			return false
		}
	}
	return true
}
