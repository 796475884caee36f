package commerce_test

import (
	"slices"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// publication is what a merchant sees of a product on a channel.
type publication struct{ status, external, url, reason string }

// poll runs a job that asks the platform for results and pushes no products.
func (s *synced) poll() {
	s.t.Helper()
	var job jobs.Job
	s.must(s.write(s.t, func(tx *db.Tx) error {
		jobs.Insert(tx, jobs.Job{Type: jobs.StockPush, Channel: s.channel.ID})
		return nil
	}))
	s.must(s.store.Write(s.t.Context(), db.Across, func(tx *db.Tx) (err error) {
		job, _, err = jobs.ClaimOnChannel(tx, time.Minute)
		return err
	}))
	s.must(s.do.RunChannelJob(s.t.Context(), s.store, job, time.Minute))
}

// A publication that waits for the platform is published once everything of the product is on sale; if a part was refused, what was put on
// sale with it is taken off again. One that buyers see already stays, unless it is gone (interface §6.3).
func TestWhatBecomesOfOperations(t *testing.T) {
	live := func(sku, product string) connector.Result {
		return connector.Result{SKU: sku, State: connector.Live, IDs: connector.IDs{Product: product}, URL: "https://" + product}
	}
	failed := func(sku string) connector.Result {
		return connector.Result{SKU: sku, State: connector.Failed, Error: "no picture"}
	}
	busy := func(sku string) connector.Result {
		return connector.Result{SKU: sku, State: connector.Failed, Error: "busy", Again: true}
	}
	gone := func(sku string) connector.Result { return connector.Result{SKU: sku, State: connector.Gone} }
	for name, c := range map[string]struct {
		before  catalog.PublicationStatus
		results []connector.Result
		then    []connector.Result // of a second poll
		want    publication
		off     []string
		listed  int64 // SKUs that the platform has in the end
		errors  int64
	}{
		"all is on sale": {before: catalog.PublicationPending, results: []connector.Result{live("A", "p"), live("SKU-0", "q")},
			want: publication{"published", "q", "https://q", ""}, listed: 2},
		"one result for all": {before: catalog.PublicationPending, results: []connector.Result{live("", "p")},
			want: publication{"published", "p", "https://p", ""}, listed: 2},
		"a part is": {before: catalog.PublicationPending, results: []connector.Result{live("A", "p")},
			want: publication{"pending", "", "", ""}, listed: 1},
		"one after the other": {before: catalog.PublicationPending, results: []connector.Result{live("A", "p")},
			then: []connector.Result{live("SKU-0", "q")}, want: publication{"published", "q", "https://q", ""}, listed: 2},
		"a part is refused": {before: catalog.PublicationPending, results: []connector.Result{live("SKU-0", "p"), failed("A")},
			want: publication{"failed", "", "", "A: no picture"}, off: []string{"SKU-0"}, errors: 1},
		"all are refused": {before: catalog.PublicationPending, results: []connector.Result{failed("")},
			want: publication{"failed", "", "", "A: no picture"}, errors: 2},
		"a part is refused, all others are": {before: catalog.PublicationPending, results: []connector.Result{live("", "p"), failed("A")},
			want: publication{"failed", "", "", "A: no picture"}, listed: 1, errors: 1},
		"all are refused for now": {before: catalog.PublicationPending, results: []connector.Result{busy("A"), busy("SKU-0")},
			want: publication{"pending", "", "", "A: busy"}, errors: 2},
		"one for now": {before: catalog.PublicationPending, results: []connector.Result{busy("A"), failed("SKU-0")},
			want: publication{"failed", "", "", "A: busy"}, errors: 2},
		"a change is refused": {before: catalog.PublicationPublished, results: []connector.Result{live("SKU-0", "p"), failed("A")},
			want: publication{"published", "", "", ""}, listed: 1, errors: 1},
		"gone": {before: catalog.PublicationPublished, results: []connector.Result{live("A", "p"), gone("SKU-0")},
			want: publication{"failed", "", "", "SKU-0: gone on the platform"}, listed: 1, errors: 1},
	} {
		t.Run(name, func(t *testing.T) {
			syncedEngines(t, 1, func(t *testing.T, s *synced) {
				s.platform.does.Async = true
				s.platform.polled = map[string][]connector.Result{"op": c.results}
				s.must(s.write(t, func(tx *db.Tx) error {
					var product id.Product
					if err := tx.Row("SELECT id FROM products WHERE tenant_id = $1 AND sku = 'SKU-0'", []any{tx.Tenant}, &product); err != nil {
						return err
					}
					s.must(publish(tx, s.channel.ID, c.before, product))
					own := channelsync.NewItem(s.channel.ID, "SKU-0", product, "")
					variant := channelsync.NewItem(s.channel.ID, "A", product, id.New[id.Variant]())
					own.Operation, variant.Operation = "op", "op"
					channelsync.Put(tx, own, variant)
					return nil
				}))
				s.poll()
				if c.then != nil {
					s.platform.polled["op"] = c.then
					s.poll()
				}
				var got publication
				s.must(s.write(t, func(tx *db.Tx) error {
					return tx.Row("SELECT status, external_id, external_url, error FROM publications WHERE tenant_id = $1", []any{tx.Tenant}, &got.status,
						db.Opt(&got.external), db.Opt(&got.url), db.Opt(&got.reason))
				}))
				if got != c.want || !slices.Equal(s.platform.removed, c.off) {
					t.Errorf("%+v, taken off: %v", got, s.platform.removed)
				}
				if n := s.count("SELECT count(*) FROM channel_items WHERE tenant_id = $1 AND external_product <> ''"); n != c.listed {
					t.Errorf("%d SKUs are on the platform", n)
				}
				if n := s.count("SELECT coalesce(sum(failed), 0)::BIGINT FROM jobs WHERE tenant_id = $1"); n != c.errors {
					t.Errorf("%d errors", n)
				}
			})
		})
	}
}

// A refusal after which a later try may succeed has the product pushed once more.
func TestARefusalForNowIsTriedAgain(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.platform.does.Async = true
		s.publish()
		s.platform.polled = map[string][]connector.Result{"op": {{SKU: "SKU-0", State: connector.Failed, Error: "busy", Again: true}}}
		s.must(s.write(t, func(tx *db.Tx) error {
			var product id.Product
			if err := tx.Row("SELECT id FROM products WHERE tenant_id = $1 AND sku = 'SKU-0'", []any{tx.Tenant}, &product); err != nil {
				return err
			}
			item := channelsync.NewItem(s.channel.ID, "SKU-0", product, "")
			item.Operation = "op"
			channelsync.Put(tx, item)
			return nil
		}))
		s.work()
		if n := s.count("SELECT count(*) FROM publications WHERE tenant_id = $1 AND status = 'published'"); n != 1 || s.platform.upserts != 1 {
			t.Errorf("published %d times, %d publications", s.platform.upserts, n)
		}
	})
}

// A platform that is still at work is asked the more seldom the longer it says nothing new, and soon again once it has.
func TestHowOftenPlatformsAreAsked(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.platform.does.Async, s.platform.does.Time.Poll = true, 10*time.Second
		wait := func() time.Duration {
			s.poll()
			return time.UnixMicro(s.count("SELECT coalesce(max(poll_at), 0) FROM channel_syncs WHERE tenant_id = $1")).Sub(*s.clock)
		}
		s.must(s.write(t, func(tx *db.Tx) error {
			var product id.Product
			if err := tx.Row("SELECT id FROM products WHERE tenant_id = $1 AND sku = 'SKU-0'", []any{tx.Tenant}, &product); err != nil {
				return err
			}
			s.must(publish(tx, s.channel.ID, catalog.PublicationPending, product))
			for _, sku := range []string{"SKU-0", "A"} {
				item := channelsync.NewItem(s.channel.ID, sku, product, "")
				item.Operation = "op " + sku
				channelsync.Put(tx, item)
			}
			return nil
		}))
		for _, c := range []struct{ passed, want time.Duration }{
			{0, 10 * time.Second}, {time.Minute, 10 * time.Second}, {15 * time.Minute, 2 * time.Minute}, {24 * time.Hour, 5 * time.Minute}} {
			if *s.clock = s.clock.Add(c.passed); wait() != c.want {
				t.Errorf("after %s more: not %s", c.passed, c.want)
			}
		}
		s.platform.polled = map[string][]connector.Result{"op A": {{SKU: "A", State: connector.Live}}}
		if got := wait(); got != 10*time.Second {
			t.Errorf("after news: %s", got)
		}
	})
}

func publish(tx *db.Tx, channel id.Channel, status catalog.PublicationStatus, product id.Product) error {
	all, err := catalog.ReadPublications(tx, channel, product)
	if err == nil {
		all.Publish(tx, status, []id.Product{product})
	}
	return err
}

// What was put on sale together with a refused part, and cannot be taken off for now, stays known, so that its stock is set.
func TestAPartThatCannotBeTakenOff(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.platform.does.Async, s.platform.keeps = true, true
		s.platform.polled = map[string][]connector.Result{"op": {{SKU: "A", State: connector.Failed, Error: "no picture"},
			{SKU: "SKU-0", State: connector.Live, IDs: connector.IDs{Product: "p"}}}}
		s.must(s.write(t, func(tx *db.Tx) error {
			product := s.product(tx, "SKU-0")
			s.must(publish(tx, s.channel.ID, catalog.PublicationPending, product))
			for _, sku := range []string{"SKU-0", "A"} {
				item := channelsync.NewItem(s.channel.ID, sku, product, "")
				item.Operation = "op"
				channelsync.Put(tx, item)
			}
			return nil
		}))
		s.poll()
		if n := s.count("SELECT count(*) FROM channel_items WHERE tenant_id = $1 AND external_product = 'p'"); n != 1 {
			t.Errorf("%d SKUs are known to be on sale", n)
		}
	})
}
