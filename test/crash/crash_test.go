package crash

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

var (
	kills   = flag.Int("kills", 3, "how often the service is killed, on each engine")
	clients = flag.Int("clients", 6, "how many clients write at once")
	seed    = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the clients' choices and of the moments of death")
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Cleanup()
	dbtest.Stop()
	os.Exit(code)
}

// TestKilled kills the service again and again under mixed writes and then audits the store.
func TestKilled(t *testing.T) {
	t.Logf("seed %d, %d kills, %d clients", *seed, *kills, *clients)
	harness.Each(t, func(t *testing.T, engine harness.Engine) {
		receiver := harness.NewReceiver()
		defer receiver.Close()
		server := harness.Start(t, engine, harness.Options{Retries: "300ms,300ms,300ms,300ms,300ms"})
		account := server.FirstAccount(t)
		inbox := receiver.Inbox()
		account.Endpoint(t, inbox)
		seedCatalog(t, account)
		workers := newWorkers(*clients, account.Key)
		moments := rand.New(rand.NewPCG(*seed, 999))
		stop, done := make(chan struct{}), make(chan struct{})
		go func() { together(workers, func(w *worker) { w.work(stop) }); close(done) }()
		for kill := range *kills {
			time.Sleep(time.Duration(200+moments.IntN(1300)) * time.Millisecond)
			server.Kill()
			if kill%3 == 2 { // killed again while it is coming up
				launched := make(chan struct{})
				go func() { _ = server.TryLaunch(); close(launched) }()
				for !server.Running() {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(time.Duration(moments.IntN(300)) * time.Millisecond)
				server.Kill()
				<-launched
			}
			server.Launch()
		}
		time.Sleep(500 * time.Millisecond)
		close(stop)
		<-done
		settleAll(workers)
		audit(t, fmt.Sprintf("%d kills", *kills), server, account, inbox, workers)
	})
}

// seedCatalog puts the SKUs the workers sell into the catalog.
func seedCatalog(t *testing.T, account *harness.Account) {
	t.Helper()
	var products []any
	for n := range skus {
		products = append(products, map[string]any{"sku": sku(n), "name": "Crash " + fmt.Sprint(n), "price": 1,
			"stock": map[string]any{"quantity": 1000}})
	}
	answer, err := account.Key.Call(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", map[string]any{"products": products})
	if err != nil || answer.Status != http.StatusOK || len(answer.List("errors")) > 0 {
		t.Fatalf("preparing products: %v %s", err, answer)
	}
}
