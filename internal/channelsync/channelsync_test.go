package channelsync_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// fixture is an account with one channel and its row, whose first pull is due in an hour.
type fixture struct {
	*testing.T
	store   *db.DB
	tenant  id.Tenant
	channel id.Channel
}

func engines(t *testing.T, test func(f *fixture)) {
	dbtest.EnginesAt(t, func() time.Time { return start }, func(t *testing.T, store *db.DB) {
		f := &fixture{t, store, dbtest.Account(t, store), id.New[id.Channel]()}
		f.write(func(tx *db.Tx) error {
			channels.Channel{ID: f.channel, Name: "Shop", Platform: channels.WooCommerce, Status: channels.Active, Settings: "{}",
				Oversell: "allow"}.Insert(tx)
			channelsync.Begin(tx, f.channel, start.Add(time.Hour))
			return nil
		})
		test(f)
	})
}

func (f *fixture) write(run func(tx *db.Tx) error) {
	f.Helper()
	if err := f.store.Write(f.Context(), f.tenant, run); err != nil {
		f.Fatal(err)
	}
}

// item reads the item of a SKU.
func (f *fixture) item(sku string) (i channelsync.Item) {
	f.Helper()
	f.write(func(tx *db.Tx) error {
		found, err := channelsync.BySKU(tx, f.channel, sku)
		if found != nil {
			i = *found
		}
		return err
	})
	return i
}

// put stores items of one product: the product's own SKU "P", not on the platform yet, and its variant "P-S", which is.
func (f *fixture) put() (own, variant channelsync.Item) {
	product := id.New[id.Product]()
	own = channelsync.NewItem(f.channel, "P", product, "")
	variant = channelsync.NewItem(f.channel, "P-S", product, id.New[id.Variant]())
	variant.ExternalProduct, variant.ExternalVariant = "77", "78"
	f.write(func(tx *db.Tx) error { channelsync.Put(tx, own, variant); return nil })
	return f.item("P"), f.item("P-S")
}

// What becomes due while an item is pushed stays due; what was due before is done.
func TestWhatBecomesDueMeanwhileStaysDue(t *testing.T) {
	engines(t, func(f *fixture) {
		f.put()
		all := func(marks ...channelsync.Change) func(tx *db.Tx) error {
			return func(tx *db.Tx) error {
				for _, mark := range marks {
					mark.All(tx, f.channel)
				}
				return nil
			}
		}
		for name, c := range map[string]struct {
			meanwhile      func(tx *db.Tx) error
			check, content bool // due afterwards
		}{
			"nothing": {func(*db.Tx) error { return nil }, false, false},
			"its SKU": {func(tx *db.Tx) error { channelsync.MarkCheck(tx, f.channel, []string{"P"}); return nil }, true, false},
			"stock":   {all(channelsync.Looked), true, false},
			"content": {all(channelsync.Content), false, true},
			"all":     {all(channelsync.Looked, channelsync.Content), true, true},
		} {
			f.write(func(tx *db.Tx) error { // nothing is due
				i := f.known(tx, "P")
				i.StockDue, i.CheckDue, i.ContentDue = false, false, false
				channelsync.Put(tx, i)
				return nil
			})
			pushed := f.item("P")
			f.write(c.meanwhile)
			f.write(func(tx *db.Tx) error { channelsync.Put(tx, pushed); return nil })
			if got := f.item("P"); got.CheckDue != c.check || got.ContentDue != c.content {
				t.Errorf("%s meanwhile: check due %v, content due %v", name, got.CheckDue, got.ContentDue)
			}
		}
		if v := f.item("P-S"); v.ContentDue || !v.CheckDue {
			t.Errorf("a variant has no content of its own: %+v", v)
		}
	})
}

// A notification names a product or a variant as the platform does: its stock is read again, that of others is not.
func TestWhatThePlatformNamesIsReadAgain(t *testing.T) {
	engines(t, func(f *fixture) {
		f.put()
		for external, want := range map[string]bool{"77": true, "78": true, "79": false} {
			f.write(func(tx *db.Tx) error {
				i := f.known(tx, "P-S")
				i.CheckDue = false
				channelsync.Put(tx, i)
				channelsync.MarkCheckExternal(tx, f.channel, external)
				return nil
			})
			if i := f.item("P-S"); i.CheckDue != want {
				t.Errorf("%s: %+v", external, i)
			}
			if i := f.item("P"); i.CheckDue {
				t.Errorf("%s: %+v", external, i)
			}
		}
	})
}

// A change of a level makes the SKU's stock due, one of a product the stock of all its SKUs and the product's content; older changes make
// nothing due. What is not on the platform, or what that still works on, is not pushed.
func TestChangesMakeDue(t *testing.T) {
	engines(t, func(f *fixture) {
		own, _ := f.put()
		var before, level, product, last int64
		f.write(func(tx *db.Tx) (err error) { before, err = channelsync.Clock(tx); return err })
		f.write(func(tx *db.Tx) error {
			tx.Change("INSERT INTO stock_levels (tenant_id, id, sku, warehouse_code, product_id, on_hand, reserved, low, updated_at, "+
				"changed_at) VALUES ($1,$2,'P-S','MAIN',$3,1,0,FALSE,1,"+db.Clock+" + $4::BIGINT)",
				tx.Tenant, id.New[id.Level](), own.Product, tx.Stamps(1))
			return nil
		})
		f.write(func(tx *db.Tx) (err error) { level, err = channelsync.Clock(tx); return err })
		f.write(func(tx *db.Tx) error {
			tx.Change("INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search, variant_count, "+
				"category_count, created_at, updated_at, changed_at) VALUES ($1,$2,'P','P','p','','ACTIVE',1,'[]','{}','p',1,0,1,1,"+
				db.Clock+" + $3::BIGINT)", tx.Tenant, own.Product, tx.Stamps(1))
			return nil
		})
		f.write(func(tx *db.Tx) (err error) { product, err = channelsync.Clock(tx); return err })
		f.write(func(tx *db.Tx) error {
			tx.Change("UPDATE stock_levels SET on_hand = 2, changed_at = "+db.Clock+" + $2::BIGINT WHERE tenant_id = $1", tx.Tenant, tx.Stamps(1))
			return nil
		})
		f.write(func(tx *db.Tx) (err error) { last, err = channelsync.Clock(tx); return err })
		if before >= level || level >= product {
			t.Fatalf("the clock stands at %d, %d, %d", before, level, product)
		}
		due := func(since int64) (stock, content []string) {
			f.write(func(tx *db.Tx) error {
				for _, sku := range []string{"P", "P-S"} {
					i := f.known(tx, sku)
					i.StockDue, i.CheckDue, i.ContentDue = false, false, false
					channelsync.Put(tx, i)
				}
				return nil
			})
			for at := since; at < last; { // one change at a time
				from := at
				f.write(func(tx *db.Tx) (err error) {
					at, err = channelsync.MarkChanges(tx, f.channel, from, last, 1)
					return err
				})
				if at <= from {
					t.Fatalf("from %d on it came to %d", from-before, at-before)
				}
			}
			for _, sku := range []string{"P", "P-S"} {
				i := f.item(sku)
				if i.StockDue {
					stock = append(stock, sku)
				}
				if i.ContentDue {
					content = append(content, sku)
				}
			}
			return stock, content
		}
		for since, want := range map[int64][2][]string{
			last: {nil, nil}, product: {{"P-S"}, nil}, level: {{"P", "P-S"}, {"P"}}, before: {{"P", "P-S"}, {"P"}}, level - 1: {{"P", "P-S"}, {"P"}},
		} {
			if stock, content := due(since); !slices.Equal(stock, want[0]) || !slices.Equal(content, want[1]) {
				t.Errorf("since %d: stock of %v, content of %v", since-before, stock, content)
			}
		}
		listed := func() (skus []string, c channelsync.Counts) {
			f.write(func(tx *db.Tx) error {
				list, err := channelsync.StockDue(tx, f.channel, channelsync.Item{}, 10)
				for _, i := range list {
					skus = append(skus, i.SKU)
				}
				if err == nil {
					c, err = channelsync.CountDue(tx, f.channel)
				}
				return err
			})
			return skus, c
		}
		due(level)
		if skus, c := listed(); !slices.Equal(skus, []string{"P-S"}) || c.Stock != 1 || c.Content != 1 || c.Operations != 0 {
			t.Errorf("to be pushed: %v, %+v", skus, c)
		}
		f.write(func(tx *db.Tx) error {
			i := f.known(tx, "P-S")
			i.Operation = "batch 1"
			channelsync.Put(tx, i)
			return nil
		})
		if skus, c := listed(); len(skus) != 0 || c.Stock != 0 || c.Operations != 1 {
			t.Errorf("while the platform works: %v, %+v", skus, c)
		}
	})
}

// known reads the item of a SKU in a transaction.
func (f *fixture) known(tx *db.Tx, sku string) channelsync.Item {
	f.Helper()
	i, err := channelsync.BySKU(tx, f.channel, sku)
	if err != nil || i == nil {
		f.Fatalf("%s: %v, %v", sku, i, err)
	}
	return *i
}

// One at a time renews a channel's tokens, until it has ended or its time is over.
func TestLease(t *testing.T) {
	engines(t, func(f *fixture) {
		take := func(d time.Duration) (taken bool) {
			f.write(func(tx *db.Tx) (err error) { taken, err = channelsync.Lease(tx, f.channel, d); return err })
			return taken
		}
		if !take(time.Minute) || take(time.Minute) {
			t.Error("the lease is not one's alone")
		}
		f.write(func(tx *db.Tx) error { channelsync.EndLease(tx, f.channel); return nil })
		if !take(0) || !take(time.Minute) {
			t.Error("a lease that has ended, or whose time is over, is not free")
		}
	})
}

// A channel is looked after once its pull is due or its account changed; one that is held after a failure only once its pull is due.
func TestWhichChannelsAreDue(t *testing.T) {
	engines(t, func(f *fixture) {
		state := func(change func(s *channelsync.State)) (due bool) {
			f.write(func(tx *db.Tx) error {
				s, err := channelsync.Lock(tx, f.channel)
				if err != nil {
					return err
				}
				s.PullAt, s.HeldUntil, s.CheckAt = start.Add(time.Hour).UnixMicro(), 0, 0
				s.Clock = 1 << 60
				change(&s)
				s.Save(tx)
				return nil
			})
			err := f.store.Read(f.Context(), db.Across, func(tx *db.Tx) error {
				list, err := channelsync.Due(tx, 100)
				due = slices.Contains(list, channelsync.Waiting{Tenant: f.tenant, Channel: f.channel})
				return err
			})
			if err != nil {
				f.Fatal(err)
			}
			return due
		}
		f.write(func(tx *db.Tx) error { // the account's clock moves
			tx.Stamps(1)
			tx.Change("DELETE FROM publications WHERE tenant_id = $1", tx.Tenant)
			return nil
		})
		at := start.UnixMicro()
		for name, c := range map[string]struct {
			change func(s *channelsync.State)
			due    bool
		}{
			"nothing":                 {func(*channelsync.State) {}, false},
			"a pull":                  {func(s *channelsync.State) { s.PullAt = at }, true},
			"a pull in a moment":      {func(s *channelsync.State) { s.PullAt = at + 1 }, false},
			"a check":                 {func(s *channelsync.State) { s.CheckAt = at }, true},
			"a change":                {func(s *channelsync.State) { s.Clock = 0 }, true},
			"a change, held":          {func(s *channelsync.State) { s.Clock, s.HeldUntil = 0, at+1 }, false},
			"a change, held till now": {func(s *channelsync.State) { s.Clock, s.HeldUntil = 0, at }, true},
			"a pull, held":            {func(s *channelsync.State) { s.PullAt, s.HeldUntil = at, at+1 }, true},
		} {
			if due := state(c.change); due != c.due {
				t.Errorf("%s: due %v", name, due)
			}
		}
	})
}

// The stored state of a channel reads back as it was written.
func TestStateKeeps(t *testing.T) {
	engines(t, func(f *fixture) {
		var s channelsync.State
		f.write(func(tx *db.Tx) error {
			channelsync.Begin(tx, f.channel, start.Add(2*time.Hour)) // it has a row already
			channelsync.KeepFacts(tx, f.channel, map[string]string{"a": "1"})
			channelsync.Pulled(tx, f.channel, 5, 6)
			channelsync.Failed(tx, f.channel, "refused")
			return nil
		})
		f.write(func(tx *db.Tx) (err error) { s, err = channelsync.ByChannel(tx, f.channel); return err })
		if s.Fact("a") != "1" || !maps.Equal(s.AllFacts(), map[string]string{"a": "1"}) || s.PulledUntil != 5 || s.PullAt != 6 ||
			s.PulledAt != start.UnixMicro() || s.LastError != "refused" {
			t.Errorf("%+v", s)
		}
		s.SetSince("order_pull", 7)
		s.SetSince("stock_push", 8)
		s.SetSince("order_pull", 0)
		if s.Since("order_pull") != 0 || s.Since("stock_push") != 8 || s.Failing != `{"stock_push":8}` {
			t.Errorf("failing: %s", s.Failing)
		}
		f.write(func(tx *db.Tx) error { channelsync.Delete(tx, f.channel); return nil })
		f.write(func(tx *db.Tx) (err error) { s, err = channelsync.ByChannel(tx, f.channel); return err })
		if s.Channel != f.channel || s.Facts != "{}" || s.PullAt != 0 {
			t.Errorf("after its end: %+v", s)
		}
	})
}

// What is written of one channel changes nothing of another, and a deleted channel leaves nothing behind.
func TestChannelsAreApart(t *testing.T) {
	engines(t, func(f *fixture) {
		other := id.New[id.Channel]()
		f.write(func(tx *db.Tx) error {
			channels.Channel{ID: other, Name: "Other", Platform: channels.WooCommerce, Status: channels.Active, Settings: "{}",
				Oversell: "allow"}.Insert(tx)
			channelsync.Begin(tx, other, start.Add(time.Hour))
			for _, channel := range []id.Channel{f.channel, other} {
				channelsync.Put(tx, channelsync.NewItem(channel, "A", id.New[id.Product](), ""))
			}
			return nil
		})
		f.write(func(tx *db.Tx) error {
			channelsync.Pulled(tx, f.channel, start.UnixMicro(), start.Add(time.Minute).UnixMicro())
			return nil
		})
		f.write(func(tx *db.Tx) error {
			own, err := channelsync.ByChannel(tx, f.channel)
			if err != nil {
				return err
			}
			s, err := channelsync.ByChannel(tx, other)
			if own.PulledUntil != start.UnixMicro() || s.PulledUntil != 0 || s.PullAt != start.Add(time.Hour).UnixMicro() {
				t.Errorf("pulled until %d, the other channel until %d, and again at %d", own.PulledUntil, s.PulledUntil, s.PullAt)
			}
			return err
		})
		f.write(func(tx *db.Tx) error { channelsync.Delete(tx, f.channel); return nil })
		for table, want := range map[string]int64{"channel_items": 1, "channel_syncs": 1} {
			f.write(func(tx *db.Tx) error {
				var all, own int64
				err := tx.Row("SELECT count(*), count(*) FILTER (WHERE channel_id = $2) FROM "+table+" WHERE tenant_id = $1",
					[]any{tx.Tenant, f.channel}, &all, &own)
				if all != want || own != 0 {
					t.Errorf("%s: %d rows, %d of the deleted channel", table, all, own)
				}
				return err
			})
		}
	})
}
