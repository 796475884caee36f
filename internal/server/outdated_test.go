package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/server"
	"entrepot/internal/verify"
)

// later is a migration of a newer program; declared are lines of its file.
func later(n int, declared, sql string) db.Migration {
	return db.NewMigration(n, fmt.Sprintf("90%02d_later.sql", n), declared+"\n"+sql)
}

// A node ends when a newer version has migrated the store to a schema that the node cannot serve, and does not start again.
func TestOlderNodesEnd(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		s, err := server.Listen(c)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), dbtest.Timeout)
		defer cancel()
		newer := c.StoreConfig
		newer.Later = []db.Migration{later(1, "-- compatible-from: 9999", "DROP TABLE probes;")}
		err = s.Run(ctx, func(store *server.Store) {
			if err := store.DB.Outdated(t.Context()); err != nil {
				t.Errorf("the store is too new for the program that made it: %v", err)
			}
			migrated, err := server.OpenStore(t.Context(), newer)
			if err != nil {
				t.Error(err)
				return
			}
			migrated.Close()
		})
		if err == nil || !strings.Contains(err.Error(), "use a newer entrepot") || !strings.Contains(said.String(), "stopped") {
			t.Errorf("the node ended with %v", err)
		}
		if s, err = server.Listen(c); err != nil {
			t.Fatal(err)
		}
		if err := s.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "use a newer entrepot") {
			t.Errorf("it started again: %v", err)
		}
	})
}

// buyer sends orders to nodes, in turn.
type buyer struct {
	t     *testing.T
	token string
	nodes atomic.Pointer[[]*server.Server]
	taken sync.Map // base address → *atomic.Int64, accepted orders
}

// post sends a body to a node.
func (b *buyer) post(s *server.Server, path, body string) (int, string) {
	request, err := http.NewRequest(http.MethodPost, s.URL()+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		b.t.Error(err)
		return 0, ""
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + b.token}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.t.Error(err)
		return 0, ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Error(err)
	}
	return response.StatusCode, string(text)
}

// buy sends orders until end is closed. Each must be accepted.
func (b *buyer) buy(end chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-end:
			return
		default:
		}
		for _, s := range *b.nodes.Load() {
			status, text := b.post(s, "/orders", fmt.Sprintf(`{"customerName":"Ada","customerEmail":"ada%d@example.com",`+
				`"items":[{"sku":"MUG","quantity":1,"unitPrice":9.5}]}`, n%50))
			if status != http.StatusCreated {
				b.t.Errorf("%s refused an order: %d %s", s.URL(), status, text)
				return
			}
			b.of(s).Add(1)
		}
	}
}

func (b *buyer) of(s *server.Server) *atomic.Int64 {
	n, _ := b.taken.LoadOrStore(s.URL(), &atomic.Int64{})
	return n.(*atomic.Int64)
}

// more waits until each of the nodes has taken 20 more orders, and makes the nodes the ones that are bought from.
func (b *buyer) more(nodes ...*server.Server) {
	b.t.Helper()
	b.nodes.Store(&nodes)
	for _, s := range nodes {
		n, before := b.of(s), b.of(s).Load()
		dbtest.Until(b.t, "orders", func() bool { return b.t.Failed() || n.Load() >= before+20 })
	}
}

// While a new version is rolled out, nodes of the previous one take orders beside it on the schema that the new one has
// made: none is refused, and everything that must hold holds. The previous version also starts on that schema, as when
// the roll-out is taken back.
func TestTwoVersionsServeOneStore(t *testing.T) {
	dbtest.Long(t, "nodes start and stop")
	c := config(&log{})
	c.Dir, c.URL, c.Limits = t.TempDir(), dbtest.URL(t), false
	c.Admin = server.Admin{Email: "me@example.com", Password: "a long passphrase", Plan: "enterprise"}
	newer := c
	newer.Later = []db.Migration{later(1, "", "ALTER TABLE orders ADD COLUMN later_note TEXT;\nALTER TABLE products ADD COLUMN later_count "+
		"BIGINT NOT NULL DEFAULT 0;\nCREATE TABLE later_notes (tenant_id BIGINT NOT NULL, id UUID NOT NULL, PRIMARY KEY (tenant_id, id));")}
	older, stopOlder := start(t, c)
	b := &buyer{t: t}
	_, in := b.post(older, "/auth/login", `{"email":"me@example.com","password":"a long passphrase"}`)
	_, rest, _ := strings.Cut(in, `"accessToken":"`)
	b.token, _, _ = strings.Cut(rest, `"`)
	if status, text := b.post(older, "/products", `{"sku":"MUG","name":"Mug","price":9.5}`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, text)
	}
	b.nodes.Store(&[]*server.Server{older})
	end := make(chan struct{})
	var buying sync.WaitGroup
	for range 3 {
		buying.Go(func() { b.buy(end) })
	}
	stopBuying := sync.OnceFunc(func() { close(end); buying.Wait() })
	defer stopBuying()
	b.more(older)
	first, _ := start(t, newer) // migrates while orders come in
	b.more(older, first)
	back, stopBack := start(t, c)
	b.more(older, first, back)
	b.more(first) // as a balancer does before a node is replaced
	stopBuying()
	for _, stop := range []func() error{stopOlder, stopBack} {
		if err := stop(); err != nil {
			t.Errorf("an older node ended: %v", err)
		}
	}
	store, err := server.OpenStore(t.Context(), newer.StoreConfig)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	results, err := verify.Run(t.Context(), store.DB, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Wrong > 0 {
			t.Errorf("%s does not hold: %v", r.Name, r.Examples)
		}
	}
}
