package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"entrepot/internal/base/netguard"
	"entrepot/internal/connector"
	"entrepot/internal/connector/all"

	amazonshop "entrepot/internal/connector/amazon/fakeshop"
)

// driven is a simulated shop that was started with a flag, and a connector's session with it.
type driven struct {
	*simulated
	connector.Session
	t       *testing.T
	address string
	kept    connector.Credentials
	facts   map[string]string
	lost    bool // an answer ended with the connection
	begun   func()
	said    []said
}

// said is an answer of the shop.
type said struct {
	path   string
	status int
	header http.Header
	body   string
}

// watcher keeps an answer.
type watcher struct {
	http.ResponseWriter
	of   *driven
	said said
}

func (w *watcher) WriteHeader(status int) {
	w.said.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *watcher) Write(b []byte) (int, error) {
	w.said.body += string(b)
	return w.ResponseWriter.Write(b)
}

func (w *watcher) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.of.lost = true
	return w.ResponseWriter.(http.Hijacker).Hijack()
}

// drive starts a shop with flags. Its answers come one after the other.
func drive(t *testing.T, slug string, flags ...string) *driven {
	t.Helper()
	d := &driven{t: t, facts: map[string]string{}, begun: func() {}}
	for _, shop := range simulatedShops() {
		if shop.slug == slug {
			d.simulated = shop
		}
	}
	if err := newSimulatedCommand(d.simulated, "127.0.0.1:0").ParseFlags(flags); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		d.begun()
		at := &watcher{ResponseWriter: w, of: d, said: said{path: r.URL.Path, status: 200}}
		defer func() {
			ended := recover()
			d.lost = d.lost || ended != nil
			at.said.header = w.Header().Clone()
			d.said = append(d.said, at.said)
			if ended != nil {
				panic(ended)
			}
		}()
		d.simulated.ServeHTTP(at, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	d.address, d.kept = server.URL, connector.Credentials(d.takes(server.URL))
	set, err := all.Connectors(http.DefaultClient, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	found, _ := set.ByPlatform(d.platform)
	platform := found.(connector.Platform)
	ahead := time.Duration(0) // rests are over at once
	clients := connector.NewClients(&netguard.Guard{Dev: true}, "entrepot/test").Timed(func() time.Time { return time.Now().Add(ahead) },
		func(ctx context.Context, rest time.Duration) error { ahead += rest; return ctx.Err() })
	d.Session = platform.Open(connector.Link{Client: clients.Client("c", nil), Tokens: d, Facts: d, Now: time.Now,
		Channel: connector.Channel{ID: "c", Platform: d.platform, Credentials: maps.Clone(d.kept)}})
	return d
}

// Renew, Fact and Keep are those of a session's channel.
func (d *driven) Renew(ctx context.Context, _, _ string,
	renew func(context.Context, connector.Credentials) (connector.Credentials, error)) (connector.Credentials, error) {
	fresh, err := renew(ctx, maps.Clone(d.kept))
	maps.Copy(d.kept, fresh)
	return d.kept, err
}

func (d *driven) Fact(name string) string { return d.facts[name] }

// Keep keeps a fact.
func (d *driven) Keep(name, value string) { d.facts[name] = value }

// mug puts a product on sale.
func (d *driven) mug(ctx context.Context, name string) ([]connector.Result, error) {
	return d.Upsert(ctx, []connector.Product{{ID: "p1", SKU: "MUG", Name: name, Slug: "mug", OnSale: true, Price: 100_000, Currency: "EUR",
		Quantity: 9, Images: []connector.Image{{ID: "i", URL: "https://pictures.example/1.png", Known: "tos-fake/1"}},
		Attributes: []connector.Attribute{{Name: "EAN", Value: "4006381333931"}}}})
}

// all calls the shop in some ways, whatever becomes of it.
func (d *driven) all() {
	_, _ = d.Session.Test(d.t.Context())
	_, _ = d.mug(d.t.Context(), "Mug")
	_, _ = d.PullOrders(d.t.Context(), connector.Cursor{Since: time.Now().Add(-time.Hour)})
}

// shows reports whether the shop gave an answer, after all calls.
func shows(is func(a said) bool) func(t *testing.T, slug string, flags ...string) bool {
	return func(t *testing.T, slug string, flags ...string) bool {
		d := drive(t, slug, flags...)
		d.all()
		return slices.ContainsFunc(d.said, is)
	}
}

func status(want int) func(t *testing.T, slug string, flags ...string) bool {
	return shows(func(a said) bool { return a.status == want })
}

func text(want string) func(t *testing.T, slug string, flags ...string) bool {
	return shows(func(a said) bool { return strings.Contains(a.body, want) })
}

func loses(t *testing.T, slug string, flags ...string) bool {
	d := drive(t, slug, flags...)
	d.all()
	return d.lost
}

// hangs reports whether a request gets no answer. It is broken off as soon as it has come.
func hangs(t *testing.T, slug string, flags ...string) bool {
	d := drive(t, slug, flags...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	came := make(chan struct{}, 100)
	d.begun = func() { came <- struct{}{} }
	ended := make(chan error, 1)
	go func() {
		_, err := d.Session.Test(ctx)
		ended <- err
	}()
	<-came
	select {
	case <-ended: // it answers
		return false
	case <-time.After(briefly):
		cancel()
		return <-ended != nil
	}
}

// slow reports whether an answer takes the 50 ms that the flag says.
func slow(t *testing.T, slug string, flags ...string) bool {
	d := drive(t, slug, flags...)
	began := time.Now()
	_, _ = d.Session.Test(t.Context())
	return time.Since(began) >= 50*time.Millisecond
}

// tells gives notifications of three orders, in the order in which they come, as soon as there are so many; all are placed before the first
// is sent. Of a shop that sends fewer it gives those of a moment.
func tells(t *testing.T, slug string, many int, most time.Duration, flags ...string) (bodies []string) {
	d := drive(t, slug, flags...)
	came := make(chan string, 1000)
	listener := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.HasPrefix(string(body), "webhook_id=") { // WooCommerce's test of the address
			came <- r.Header.Get("X-WC-Webhook-Topic") + string(body)
		}
	}))
	t.Cleanup(listener.Close)
	if d.install != nil {
		d.install(listener.URL, "0123456789abcdef")
	} else if _, err := d.EnsureWebhooks(t.Context(), connector.WebhookTarget{URL: listener.URL, Secret: "0123456789abcdef"}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		d.order(wish{SKUs: map[string]int64{"MUG": 1}, Email: "ada@shop.example"})
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); d.deliver(ctx) }()
	end := time.After(most)
	for over := false; !over && len(bodies) < many; {
		select {
		case body := <-came:
			bodies = append(bodies, body)
		case <-end:
			over = true
		}
	}
	cancel()
	<-done
	return bodies
}

const patient, briefly = 5 * time.Minute, 300 * time.Millisecond

func drops(t *testing.T, slug string, flags ...string) bool {
	if len(flags) == 0 {
		return len(tells(t, slug, 3, patient)) < 3
	}
	return len(tells(t, slug, 1, briefly, flags...)) == 0
}

func doubles(t *testing.T, slug string, flags ...string) bool {
	list := tells(t, slug, 2, patient, flags...)
	return len(list) == 2 && list[0] == list[1]
}

// turns reports whether what is told first with the flag is not what is told first without it.
func turns(t *testing.T, slug string, flags ...string) bool {
	if len(flags) == 0 {
		return false
	}
	first := func(flags ...string) string {
		list := tells(t, slug, 1, patient, flags...)
		if len(list) == 0 {
			t.Fatal("nothing was told")
		}
		return ordersOf.FindString(list[0])
	}
	return first() != first(flags...)
}

// ordersOf finds the id of an order in a notification.
var ordersOf = regexp.MustCompile(`"(?:id|order_id|id_order|orderId|admin_graphql_api_id)":\s*"?[^",}]+`)

// waits reports whether a product that is put on sale is on sale only later.
func waits(t *testing.T, slug string, flags ...string) bool {
	d := drive(t, slug, flags...)
	results, err := d.mug(t.Context(), "Mug")
	if err != nil || len(results) == 0 {
		t.Fatal(results, err)
	}
	polled, err := d.Poll(t.Context(), []string{results[0].Operation})
	live := func(r connector.Result) bool { return r.State != connector.Waiting }
	return err == nil && results[0].State == connector.Waiting && !slices.ContainsFunc(polled, live)
}

// flagChecks report whether a shop has a habit: with its flag it has, without it has not.
var flagChecks = map[string]map[string]struct {
	value string
	has   func(t *testing.T, slug string, flags ...string) bool
}{
	"woocommerce": {
		"fail-after-write": {"1", status(500)}, "lose-answer": {"1", loses}, "warn": {"1", text("<b>Warning</b>")},
		"too-many": {"1", status(429)},
		"hang":     {"1", hangs}, "drop": {"1", drops}, "reorder": {"true", turns}, "duplicate": {"true", doubles}, "slow": {"50ms", slow},
		"signed":       {"true", basic(401)},
		"strip-header": {"true", basic(401)},
		"fulfillments": {"true", keepsParcels},
	},
	"prestashop": {
		"fail-after-write": {"1", status(500)}, "lose-answer": {"1", loses}, "warn": {"true", text("<b>Warning</b>")},
		"too-many": {"1", status(503)}, "drop": {"1", drops}, "reorder": {"true", turns}, "duplicate": {"true", doubles},
	},
	"shopify": {
		"lose-answer": {"1", loses}, "too-many": {"1", text("THROTTLED")}, "broken": {"1", status(502)}, "blind": {"true", blind},
		"drop": {"1", drops}, "reorder": {"true", turns}, "duplicate": {"true", doubles},
	},
	"ebay": {
		"lose-answer": {"1", loses}, "broken": {"1", status(500)}, "challenge": {"true", challenges},
		"drop": {"1", drops}, "reorder": {"true", turns}, "duplicate": {"true", doubles},
	},
	"tiktok-shop": {
		"lose-answer": {"1", loses}, "fail-after-write": {"1", status(500)}, "too-many": {"1", status(429)}, "html": {"1", text("<html>")},
		"hang": {"1", hangs}, "slow": {"50ms", slow}, "drop": {"1", drops}, "reorder": {"true", turns},
		"audit": {"1h", waits}, "refuses": {"Mug", refuses},
	},
	"amazon": {
		"lose-answer": {"1", loses}, "fail-after-write": {"1", status(500)}, "broken": {"1", status(500)}, "too-many": {"1", status(429)},
		"html": {"1", text("<html>")}, "slow": {"50ms", slow},
		"duplicate":  {"true", searches(func(ids []string) bool { return len(ids) == 6 })},
		"reorder":    {"true", searches(func(ids []string) bool { return !slices.IsSorted(ids) })},
		"no-persons": {"true", status(403)},
		"settle":     {"1h", waits},
		"working":    {"1h", feeds},
	},
}

// basic requests orders of WooCommerce with a key in the header.
func basic(want int) func(t *testing.T, slug string, flags ...string) bool {
	return func(t *testing.T, slug string, flags ...string) bool {
		d := drive(t, slug, flags...)
		r, err := http.NewRequestWithContext(t.Context(), "GET", d.address+"/wp-json/wc/v3/orders", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth(d.kept["consumerKey"], d.kept["consumerSecret"])
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode == want
	}
}

// keepsParcels reports whether a parcel becomes one there, not a note.
func keepsParcels(t *testing.T, slug string, flags ...string) bool {
	d := drive(t, slug, flags...)
	_, _ = d.mug(t.Context(), "Mug")
	id := d.order(wish{SKUs: map[string]int64{"MUG": 1}})[0]
	parcel := connector.Parcel{Key: "k", Carrier: "DHL", Number: "JD1"}
	err := d.PushShipment(t.Context(), connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{parcel}}, parcel)
	return err == nil && slices.ContainsFunc(d.said, func(a said) bool { return strings.Contains(a.path, "/fulfillments") && a.status == 201 })
}

// blind reports whether Shopify does not find a SKU that was just put on sale, so that it is put there twice.
func blind(t *testing.T, slug string, flags ...string) bool {
	d := drive(t, slug, flags...)
	ids := map[string]bool{}
	for _, id := range []string{"p1", "p2"} {
		results, err := d.Upsert(t.Context(), []connector.Product{{ID: id, SKU: "MUG", Name: "Mug " + id, OnSale: true, Price: 100_000,
			Currency: "EUR", Quantity: 9}})
		if err != nil || len(results) == 0 {
			t.Fatal(results, err)
		}
		ids[results[0].IDs.Product] = true
	}
	return len(ids) == 2
}

// challenges reports whether eBay refuses a destination that does not answer the challenge.
func challenges(t *testing.T, slug string, flags ...string) bool {
	d := drive(t, slug, flags...)
	listener := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(listener.Close)
	_, err := d.EnsureWebhooks(t.Context(), connector.WebhookTarget{URL: listener.URL})
	return err != nil
}

// refuses reports whether TikTok's audit refuses a product.
func refuses(t *testing.T, slug string, flags ...string) bool {
	d := drive(t, slug, flags...)
	results, err := d.mug(t.Context(), "Mug")
	if err != nil || len(results) == 0 {
		t.Fatal(results, err)
	}
	polled, err := d.Poll(t.Context(), []string{results[0].Operation})
	return err == nil && slices.ContainsFunc(polled, func(r connector.Result) bool { return r.State == connector.Failed })
}

// searches reports something of the ids that Amazon's search for three orders gives.
func searches(is func(ids []string) bool) func(t *testing.T, slug string, flags ...string) bool {
	return func(t *testing.T, slug string, flags ...string) bool {
		d := drive(t, slug, flags...)
		for range 3 {
			d.order(wish{SKUs: map[string]int64{"MUG": 1}})
		}
		d.later(time.Hour)
		page, err := d.PullOrders(t.Context(), connector.Cursor{Since: time.Now().Add(-time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, o := range page.Orders {
			ids = append(ids, o.ExternalID)
		}
		return is(ids)
	}
}

// feeds reports whether a feed of Amazon's is not done yet.
func feeds(t *testing.T, slug string, flags ...string) bool {
	d := drive(t, slug, flags...)
	var items []connector.StockItem
	for i := range 60 { // more than are changed one by one
		sku := fmt.Sprint("MUG-", i)
		items = append(items, connector.StockItem{Item: connector.Item{SKU: sku, IDs: connector.IDs{Product: sku}}, Quantity: 5})
	}
	results, err := d.SetStock(t.Context(), items)
	if err != nil || results[0].State != connector.Waiting {
		t.Fatal(results, err)
	}
	d.later(10 * time.Minute)
	polled, err := d.Poll(t.Context(), []string{results[0].Operation})
	return err == nil && len(polled) == 0
}

// later sets the clock of an Amazon account.
func (d *driven) later(by time.Duration) {
	d.Handler.(*amazonshop.Account).Now = func() time.Time { return time.Now().Add(by) }
}

// Every flag that the help of simulate lists for a platform is checked, and does what it says.
func TestFlagsOfSimulate(t *testing.T) {
	t.Parallel()
	for _, shop := range simulatedShops() {
		newSimulatedCommand(shop, "").Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "addr" || f.Name == "orders-every" || f.Name == "help" {
				return
			}
			t.Run(shop.slug+" --"+f.Name, func(t *testing.T) {
				check, ok := flagChecks[shop.slug][f.Name]
				if !ok {
					t.Fatal("nothing checks it")
				}
				if !check.has(t, shop.slug, "--"+f.Name+"="+check.value) {
					t.Error("it does nothing")
				}
				if f.Name == "hang" || f.Name == "slow" { // a machine may be slow
					return
				}
				var without []string
				if f.Value.Type() == "duration" {
					without = []string{"--" + f.Name + "=0s"}
				}
				if check.has(t, shop.slug, without...) {
					t.Error("it is so without it")
				}
			})
		})
	}
}
