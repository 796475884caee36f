package grown

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/server"
	"entrepot/test/blackbox/harness"
	"entrepot/test/filler"
)

var (
	rows  = flag.Int("rows", 2_000, "orders and products of the account; it has a customer for every twelve orders")
	times = flag.Int("times", 2, "how often each request is sent")
	goal  = flag.Duration("goal", 0, "the longest that half of the answers of a request may take; 0: any time")
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Cleanup()
	dbtest.Stop()
	os.Exit(code)
}

func TestAGrownAccount(t *testing.T) {
	dbtest.Long(t, "it fills an account")
	harness.Each(t, func(t *testing.T, engine harness.Engine) {
		s := harness.Start(t, engine, harness.Options{})
		key := fill(t, s)
		client := harness.Client{Base: s.Base, Key: key}
		t.Run("requests", func(t *testing.T) {
			for _, q := range requests(t, client) {
				q.measure(t, client)
			}
		})
		t.Run("pages", func(t *testing.T) { pages(t, s, client) })
		t.Run("metrics", func(t *testing.T) { metrics(t, s) })
		t.Run("neighbours", func(t *testing.T) { neighbours(t, s, client) })
	})
}

// mostReading is the longest that reading the figures of /metrics may take, in seconds, however large the account is.
const mostReading = 0.5

// metrics scrapes /metrics, whose figures are read from kept counts and the beginnings of indexes.
func metrics(t *testing.T, s *harness.Server) {
	t.Helper()
	began := time.Now()
	response, err := http.Get(s.Base + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	_, rest, _ := strings.Cut(string(text), "\nentrepot_figures_read_seconds ")
	read, err := strconv.ParseFloat(strings.SplitN(rest, "\n", 2)[0], 64)
	if err != nil || read > mostReading {
		t.Errorf("the figures of /metrics were read in %v s, at most %v are wanted (%v)", read, mostReading, err)
	}
	t.Logf("/metrics: %s, its figures in %.1f ms", took.Round(time.Millisecond), 1000*read)
}

// fill creates an account with records of two years in the store of a server, and returns a key of every scope.
func fill(t *testing.T, s *harness.Server) (key string) {
	t.Helper()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	clock := filler.NewClock(began)
	folder, database := s.Store()
	store, err := server.OpenStore(t.Context(), server.StoreConfig{Dir: folder, URL: database, Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	write := func(tenant id.Tenant, do func(tx *db.Tx) error) {
		t.Helper()
		if err := store.DB.Write(t.Context(), tenant, do); err != nil {
			t.Fatal(err)
		}
	}
	var tenant id.Tenant
	write(db.Across, func(tx *db.Tx) error {
		made, _, err := store.Commerce.CreateAccount(tx, accounts.Caller{},
			commerce.AccountDraft{Name: "Grown", Plan: accounts.Enterprise, Currency: "EUR"})
		tenant = made.Tenant
		return err
	})
	var shops []id.Channel
	write(tenant, func(tx *db.Tx) (err error) {
		shops = nil
		for i := range 3 {
			shop := channels.Channel{ID: id.New[id.Channel](), Name: fmt.Sprintf("Shop %d", i+1), Platform: channels.Custom,
				Status: channels.Active, Settings: "{}", Oversell: "allow"}
			shop.Insert(tx)
			shops = append(shops, shop.ID)
		}
		_, key, err = store.Commerce.CreateKey(tx, accounts.Caller{}, commerce.KeyDraft{Name: "grown", Scopes: accounts.AllScopes})
		return err
	})
	size := filler.Size{Orders: *rows, SKUs: *rows, Customers: max(1, *rows/12)}
	if err := filler.Fill(t.Context(), store.DB, clock, tenant, shops, size, t.Output()); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d orders and products in %s", *rows, time.Since(began).Round(time.Second))
	s.Launch()
	return key
}

// measure sends a request once so that it finds what it needs in memory, and then *times times.
func (q request) measure(t *testing.T, client harness.Client) {
	t.Helper()
	var took []time.Duration
	for i := range *times + 1 {
		answer, err := client.Call("GET", "/api/v1/"+q.paths[i%len(q.paths)], nil)
		if err != nil || answer.Status != 200 {
			t.Errorf("%s: %v %v", q.name, answer, err)
			return
		}
		if i > 0 {
			took = append(took, answer.Took)
		}
	}
	half, most := quantiles(took)
	t.Logf("%9.1f %9.1f ms  %s", ms(half), ms(most), q.name)
	if *goal > 0 && half > *goal {
		t.Errorf("%s: half of the answers took longer than %s: %s", q.name, *goal, half)
	}
}

// quantiles are the median and the 95th percentile.
func quantiles(took []time.Duration) (half, most time.Duration) {
	slices.Sort(took)
	return took[len(took)/2], took[len(took)*95/100]
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// neighbours measures the orders of a small account alone and while eight clients search and sum up in the large one.
func neighbours(t *testing.T, s *harness.Server, large harness.Client) {
	small := s.NewAccount(t, "enterprise").Key
	if _, err := small.Call("POST", "/api/v1/products", `{"sku":"MUG","name":"Mug","price":7.9}`); err != nil {
		t.Fatal(err)
	}
	order := func() time.Duration {
		answer, err := small.Call("POST", "/api/v1/orders", `{"customerName":"Ada","items":[{"sku":"MUG","quantity":1,"unitPrice":7.9}]}`)
		if err != nil || answer.Status != 201 {
			t.Errorf("%v %v", answer, err)
		}
		return answer.Took
	}
	measure := func(what string) {
		var took []time.Duration
		for range 25 * *times {
			took = append(took, order())
		}
		half, most := quantiles(took)
		t.Logf("%9.1f %9.1f ms  an order of another account, %s", ms(half), ms(most), what)
	}
	measure("alone")
	stop := make(chan struct{})
	var searching sync.WaitGroup
	for n := range 8 {
		path := strings.Split("orders?search=a analytics/sales products?search=1 inventory?search=a", " ")[n%4]
		searching.Go(func() {
			harness.Repeat(stop, func() {
				if answer, err := large.Call("GET", "/api/v1/"+path, nil); err != nil || answer.Status/100 == 5 && answer.Status != 503 {
					t.Errorf("%v %v", answer, err)
				}
			})
		})
	}
	measure("while eight clients search")
	close(stop)
	searching.Wait()
}
