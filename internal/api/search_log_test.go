package api

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/search"
	"entrepot/internal/webhooks"
)

// Searches find each order and customer in its current state, at every moment while records are written, changed,
// merged, erased and deleted with their channel, packed on two nodes, and while old events are deleted from the log.
func TestSearchesFollowTheLog(t *testing.T) {
	dbtest.Long(t, "lists are searched while hundreds of changes are made")
	engines(t, func(t *testing.T, s *server) {
		const writers, rounds = 3, 30
		var writing, packing sync.WaitGroup
		for n := range writers {
			writing.Go(func() {
				node, dice := s, rand.New(rand.NewPCG(uint64(n), 5))
				if n == 1 {
					node = s.twin()
				}
				for range rounds {
					node.writeSearched(t, dice)
					s.searchesAreExact(t, dice)
				}
			})
		}
		done := make(chan struct{})
		for _, node := range []*server{s, s.twin()} {
			packing.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						node.packSearched(t)
					}
				}
			})
		}
		writing.Wait()
		close(done)
		packing.Wait()
		dice := rand.New(rand.NewPCG(1, 1))
		s.searchesAreExact(t, dice)
		s.packSearched(t)
		s.searchesAreExact(t, dice)
		s.write(s.tenant, func(tx *db.Tx) error {
			var events, blocks int64
			err := tx.Row(`SELECT (SELECT count(*) FROM events WHERE tenant_id = $1 AND event IN ('order.received', 'customer.created')),
				(SELECT count(*) FROM search_blocks WHERE tenant_id = $1)`, []any{tx.Tenant}, &events, &blocks)
			if events != 0 || blocks == 0 {
				t.Errorf("%d events are left, there are %d blocks", events, blocks)
			}
			return err
		})
	})
}

// A new order and its new customer are found at once, and their writes put nothing beside for that.
func TestNewOrdersAreFoundWithoutAText(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.stockUp(t, map[string]int64{"MUG": 5})
		s.must(t, http.StatusCreated, "POST", "/api/v1/orders", item{"customerName": "Wilhelmine Weber", "customerEmail": "ww@x.example",
			"items": []item{{"sku": "MUG", "quantity": 1, "unitPrice": 10}}})
		for _, path := range []string{"/api/v1/orders?search=HELMINE", "/api/v1/customers?search=w@X.ex", "/api/v1/orders?search=w"} {
			if found := s.must(t, http.StatusOK, "GET", path, nil); number(found, "meta", "total") != "1" {
				t.Errorf("%s: %v", path, found)
			}
		}
		s.write(s.tenant, func(tx *db.Tx) error {
			var n int64
			err := tx.Row("SELECT count(*) FROM search_loose WHERE tenant_id = $1 AND kind <> 'product'", []any{tx.Tenant}, &n)
			if n != 0 {
				t.Errorf("%d texts were put beside", n)
			}
			return err
		})
	})
}

// writeSearched makes one random write of what searches look through.
func (s *server) writeSearched(t *testing.T, dice *rand.Rand) {
	word := func() string { return pick(dice, []string{"Ada", "Émile", "Zoë", "Max"}) }
	email := fmt.Sprintf("p%d@x.example", dice.IntN(12))
	someone := func() string {
		_, found := s.call(t, "GET", "/api/v1/customers?limit=50", nil)
		list, _ := at(found, "data").([]any)
		if len(list) == 0 {
			return ""
		}
		return text(list[dice.IntN(len(list))], "id")
	}
	order := item{"customerName": word() + " " + word(), "customerEmail": email, "initialStatus": "CANCELLED",
		"items": []item{{"sku": "MUG", "quantity": 1, "unitPrice": 1}}}
	status := 0
	switch dice.IntN(8) {
	case 0, 1, 2:
		s.call(t, "POST", "/api/v1/sdk/products/bulk-import?wait=true", item{"products": []item{{"sku": "MUG", "name": "Mug", "price": 1}}})
		status, _ = s.call(t, "POST", "/api/v1/orders", order)
	case 3:
		status, _ = s.call(t, "POST", "/api/v1/customers", item{"email": email, "firstName": word()})
	case 4:
		status, _ = s.call(t, "PATCH", "/api/v1/customers/"+someone(), item{"lastName": word(), "company": word()})
	case 5:
		status, _ = s.call(t, "POST", "/api/v1/customers/merge", item{"primaryId": someone(), "secondaryIds": []string{someone()}})
	case 6:
		status, _ = s.call(t, "POST", "/api/v1/customers/"+someone()+"/erase", nil)
	default:
		_, made := s.call(t, "POST", "/api/v1/channels", item{"name": "Shop", "platform": "CUSTOM"})
		channel := text(made, "data", "channel", "id")
		order["channelId"] = channel
		s.call(t, "POST", "/api/v1/orders", order)
		status, _ = s.call(t, "DELETE", "/api/v1/channels/"+channel, nil)
	}
	if status >= 500 && status != http.StatusServiceUnavailable {
		t.Errorf("a write answers %d", status)
	}
}

// packSearched packs, and drops from the log what is packed.
func (s *server) packSearched(t *testing.T) {
	for _, kind := range []search.Kind{search.Orders, search.Customers} {
		if err := search.Blocks[kind].FollowTenant(t.Context(), s.DB, s.tenant); err != nil {
			t.Error(err)
		}
	}
	var before int64
	err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
		return tx.Row("SELECT last + 1 FROM change_clocks WHERE tenant_id = $1", []any{tx.Tenant}, &before)
	})
	if err != nil {
		t.Error(err)
	}
	for _, v := range search.Blocks {
		if err := v.Include(t.Context(), s.DB, s.tenant, before); err != nil {
			t.Error(err)
		}
	}
	err = s.DB.Write(t.Context(), s.tenant, func(tx *db.Tx) error {
		_, err := webhooks.DeleteOldEvents(tx, before, 1000)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// searchesAreExact compares what a term finds with what the records say, on one snapshot.
func (s *server) searchesAreExact(t *testing.T, dice *rand.Rand) {
	term := pick(dice, []string{"ada", "é", "zoë max", "p1@", "x.example", "ord-00", "erased", "1"})
	for kind, records := range map[search.Kind]string{search.Orders: "SELECT id, created_at, search FROM orders WHERE tenant_id = $1",
		search.Customers: "SELECT id, CASE WHEN merged_into IS NULL THEN 0 ELSE 1 END, search FROM customers WHERE tenant_id = $1"} {
		err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
			want, got := map[string]int64{}, map[string]int64{}
			err := tx.Each(func(r db.Rows) error {
				var record, text string
				var sort int64
				err := r.Scan(&record, &sort, &text)
				if strings.Contains(text, term) {
					want[record] = sort
				}
				return err
			}, records, tx.Tenant)
			if err != nil {
				return err
			}
			err = search.Find(tx, kind, term, func(id search.ID, sort int64) error {
				if _, twice := got[id.String()]; twice {
					t.Errorf("%s %s is found twice", kind, id)
				}
				got[id.String()] = sort
				return nil
			})
			if !maps.Equal(got, want) {
				t.Errorf("%q finds %v of %s, not %v", term, got, kind, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
