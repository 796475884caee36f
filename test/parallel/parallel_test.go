package parallel

import (
	"flag"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

var (
	duration = flag.Duration("duration", 8*time.Second, "how long the clients write, on each engine")
	clients  = flag.Int("clients", 16, "how many clients write at once")
	seed     = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the clients' choices")
	only     = flag.String("only", "", "the operations whose name matches this; all without it")
	without  = flag.String("without", "", "leave out the operations whose name matches this")
	slowest  = flag.Duration("slowest", 2*time.Minute, "the longest an answer may take; 2s on a machine of its own")
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Cleanup()
	dbtest.Stop()
	os.Exit(code)
}

// TestEverythingAtOnce runs all operations against one account from many clients, beside feed walkers, webhook endpoints
// and a second account, and audits what is left.
func TestEverythingAtOnce(t *testing.T) {
	harness.Each(t, func(t *testing.T, engine harness.Engine) { together(t, engine, "", *duration) })
}

// TestEverythingThroughPgBouncer does the same on PostgreSQL behind PgBouncer in transaction mode, for half as long.
func TestEverythingThroughPgBouncer(t *testing.T) {
	dbtest.Long(t, "many clients write for seconds")
	together(t, harness.Postgres, dbtest.Pooler(t, dbtest.PlainURL(t)), *duration/2)
}

// together runs clients, walkers, endpoints and a neighbour on a store for a time, and audits it.
func together(t *testing.T, engine harness.Engine, database string, long time.Duration) {
	t.Logf("seed %d, %d clients, %s", *seed, *clients, long)
	s := open(t, engine, database)
	stop := make(chan struct{})
	var writers, readers sync.WaitGroup
	walkers := s.walkers()
	for _, w := range walkers {
		readers.Go(func() { harness.Repeat(stop, func() { w.run() }) })
	}
	readers.Go(func() { s.neighbour(t, stop) })
	chosen := choose(*only, *without)
	first := make(chan *operation, len(chosen)) // each once, so that a short run has them all
	for _, op := range chosen {
		first <- op
	}
	close(first)
	for n := range *clients {
		c := &client{number: n, shop: s, random: rand.New(rand.NewPCG(*seed, uint64(n)))}
		writers.Go(func() { c.work(chosen, first, stop) })
	}
	time.Sleep(long)
	close(stop)
	writers.Wait()
	readers.Wait()
	s.audit(walkers)
	s.report()
}

// shop is one run: the nodes, the account under load, and what its clients know and were answered.
type shop struct {
	t        *testing.T
	began    time.Time
	engine   harness.Engine
	nodes    []*harness.Server
	account  *harness.Account
	quiet    *harness.Account // the neighbour
	known    known
	tally    tally
	receiver *harness.Receiver
	passing  *harness.Inbox   // where the endpoints that come and go send to
	sinks    []*sink          // the endpoints that stay, one ordered, one ordered that stumbles, one plain
	channel  string           // id of the channel that stays
	deadlock func() deadlocks // ends the count of deadlocks; nil on SQLite

	endpoints atomic.Int64 // of those that come and go, how many there are
}

func open(t *testing.T, engine harness.Engine, database string) *shop {
	t.Helper()
	options := harness.Options{Plain: true, Database: database, Retries: "200ms,200ms,200ms,200ms,200ms"}
	server := harness.Start(t, engine, options)
	s := &shop{t: t, began: time.Now(), engine: engine, nodes: []*harness.Server{server}, receiver: harness.NewReceiver()}
	t.Cleanup(s.receiver.Close)
	if engine == harness.Postgres {
		s.nodes = append(s.nodes, server.Peer(t))
		s.deadlock = watchDeadlocks(t)
	}
	s.account, s.quiet = server.FirstAccount(t), server.Other(t)
	s.passing = s.receiver.Inbox()
	s.sinks = []*sink{{name: "ordered", ordered: true}, {name: "ordered, stumbling", ordered: true, stumbles: true}, {name: "plain"}}
	for _, k := range s.sinks {
		k.open(s)
	}
	made := s.must(http.MethodPost, "/api/v1/channels", object{"name": "The channel that stays", "platform": "CUSTOM"}, 201)
	s.channel = made.Text("data", "channel", "id")
	for from := 0; from < stableSKUs; from += 100 {
		var products []any
		for n := from; n < min(stableSKUs, from+100); n++ {
			products = append(products, object{"sku": stableSKU(n), "name": "Stable " + stableSKU(n), "price": 10,
				"stock": object{"quantity": 100_000}})
		}
		s.must(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", object{"products": products}, 200)
	}
	for n := range stableSKUs {
		s.known.add("sku", stableSKU(n))
	}
	for _, code := range warehouses {
		s.must(http.MethodPost, "/api/v1/warehouses", object{"code": code, "name": "Warehouse " + code}, 201)
	}
	return s
}

// must sends one request while the shop is made ready.
func (s *shop) must(method, path string, body any, status int) harness.Answer {
	s.t.Helper()
	answer, err := s.account.Key.Call(method, path, body)
	if err != nil || answer.Status != status {
		s.t.Fatalf("making the shop ready: %v %s", err, answer)
	}
	return answer
}

// on is a credential's client at one of the nodes.
func (s *shop) on(node int, credential harness.Client) harness.Client {
	credential.Base = s.nodes[node%len(s.nodes)].Base
	return credential
}

// neighbour is another account's steady little work; it must not suffer from the first one's.
func (s *shop) neighbour(t *testing.T, stop <-chan struct{}) {
	product := object{"sku": "Q-1", "name": "Quiet", "price": 1}
	if answer, err := s.quiet.Key.Call(http.MethodPost, "/api/v1/products", product); err != nil || answer.Status != 201 {
		t.Errorf("the neighbour's product: %v %s", err, answer)
		return
	}
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(20 * time.Millisecond):
		}
		by := s.on(n, s.quiet.Key)
		switch n % 4 {
		case 0, 1:
			s.send("neighbour POST /orders", by, harness.Request{Method: http.MethodPost, Path: "/api/v1/orders",
				Body: text(object{"customerName": "Quiet", "customerEmail": "quiet@neighbour.example", "items": []any{line("Q-1", 1)}})})
		case 2:
			s.send("neighbour PATCH /inventory", by, harness.Request{Method: http.MethodPatch, Path: "/api/v1/sdk/inventory/bulk-update",
				Body: text(object{"updates": []any{object{"sku": "Q-1", "quantity": n}}})})
		default:
			s.send("neighbour GET feed", by, harness.Request{Method: http.MethodGet, Path: "/api/v1/sdk/inventory/changes"})
		}
	}
}
