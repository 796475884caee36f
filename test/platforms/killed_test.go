package platforms

import (
	"math/rand/v2"
	"testing"
	"time"

	"entrepot/internal/connector/woocommerce/fakeshop"
	"entrepot/internal/dbtest"
	"entrepot/test/blackbox/harness"
)

// The service is killed again and again in the middle of its work with a shop: while products go out, while orders come in and while
// parcels go back. In the end nothing is lost, nothing doubled, and stock is equal.
func TestWooKilled(t *testing.T) {
	dbtest.Long(t, "it kills a service many times")
	t.Parallel()
	const products, count = 30, 20
	harness.Each(t, func(t *testing.T, engine harness.Engine) {
		t.Parallel()
		server := harness.Start(t, engine, harness.Options{Env: []string{"ENTREPOT_PULL_EVERY=2s"}})
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		moments := rand.New(rand.NewPCG(seed, 0))
		kill := func() {
			time.Sleep(time.Duration(50+moments.IntN(900)) * time.Millisecond) // somewhere in the middle
			server.Kill()
			server.Launch()
		}
		s := &service{T: t, base: server.Base, key: server.FirstAccount(t).Key.Key, again: kill}
		s.between = func() {
			for range 3 {
				kill()
			}
		}
		shop := newWooShop(t, fakeshop.Habits{Slow: 20 * time.Millisecond, LoseAnswer: 29, Duplicate: true})
		channel := s.connect(shop, nil)
		s.catalog(channel, products)
		s.between()
		s.awaitFor("products", 3*time.Minute, func() string {
			counts, first := s.states(channel)
			return unless(counts["published"] == products, counts, first, s.jobs(channel))
		})
		placed := s.ordersArrive(shop, channel, count, products)
		s.shipBack(shop, channel, placed)
		s.awaitFor("stock in the end", 3*time.Minute, func() string { return s.equalStock(shop) })
		if here := s.here(channel); len(here) != count {
			t.Errorf("%d orders are here, want %d", len(here), count)
		}
	})
}
