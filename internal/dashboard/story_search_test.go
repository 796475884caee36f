package dashboard

import (
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/filler"
	"entrepot/internal/id"
)

var storyOrders = flag.Int("orders", 2000, "orders of the story of a long list; 100000 for its full size")

// filled is a site whose account has orders of two years.
func filled(t *testing.T, engine string, n int) *site {
	t.Helper()
	clock := filler.NewClock(time.Now())
	s := newSiteOn(t, engine, func(c *db.Config) { c.Now = clock.Now })
	shop := channels.Channel{ID: id.New[id.Channel](), Name: "Shop", Platform: channels.Custom, Status: channels.Active, Settings: "{}",
		Oversell: "allow"}
	s.do(s.account.Tenant, func(tx *db.Tx) error { shop.Insert(tx); return nil })
	size := filler.Size{Orders: n, SKUs: 300, Customers: max(n/10, 100)}
	if err := filler.Fill(t.Context(), s.DB, clock, s.account.Tenant, []id.Channel{shop.ID}, size, io.Discard); err != nil {
		t.Fatal(err)
	}
	return s
}

// paints is a script that types into the search of the list and gives the milliseconds until the rows that match are painted.
const paints = `new Promise(done => {
	const input = document.querySelector('#orders-search'), start = performance.now();
	const look = new MutationObserver(() => {
		if (!document.querySelector('#orders').innerText.includes(%q)) return;
		look.disconnect();
		requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
	});
	look.observe(document.querySelector('#orders'), { subtree: true, childList: true, characterData: true });
	input.focus();
	input.value = %q;
	input.dispatchEvent(new Event('input', { bubbles: true }));
})`

// A long list follows what is typed, with an address that can be kept and gone back from; the filter is saved as a view, and
// the file of a view has as many rows as the view has orders.
func TestStoryOfALongList(t *testing.T) {
	dbtest.Long(t, "a browser")
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { searchALongList(t, filled(t, engine, *storyOrders)) })
	}
}

func searchALongList(t *testing.T, s *site) {
	b := s.window(t, s.owner)
	b.open("/orders?status=DELIVERED")
	fastest := 1e9
	for i := range 6 {
		number := fmt.Sprintf("ORD-%06d", *storyOrders/2+i)
		b.open("/orders")
		took := run(b, chromedp.Evaluate[float64](fmt.Sprintf(paints, "1 of 1", number), chromedp.EvalAwaitPromise))
		if fastest = min(fastest, took); b.path() != prefix+"/orders?search="+number {
			t.Errorf("the address is %s", b.path())
		}
	}
	t.Logf("%d orders: %.0f ms from a letter to its rows", *storyOrders, fastest)
	// The bound of 150 ms counts at the full size, on a machine that does nothing else.
	if fastest > 1000 || *storyOrders >= 100_000 && fastest > 150 {
		t.Error("what is typed is painted too late")
	}

	b.open("/orders?status=DELIVERED")
	all := eval[string](b, "document.querySelector('.pager').innerText")
	b.do(chromedp.Focus(chromedp.CSS("#orders-search")), chromedp.KeyEvent("ORD-00"))
	b.until("new URLSearchParams(location.search).get('search') === 'ORD-00'")
	b.press("Total")
	b.fill("#f-minTotal", "100")
	b.press("Apply")
	b.shows("Total: from 100")
	here := b.path()
	rows := eval[string](b, "document.querySelector('.pager').innerText")
	b.do(chromedp.NavigateBack())
	b.until("document.querySelector('#orders-search').value === 'ORD-00' && !location.search.includes('minTotal')")
	b.do(chromedp.NavigateBack())
	b.until("document.querySelector('#orders-search').value === ''")
	if now := eval[string](b, "document.querySelector('.pager').innerText"); now != all {
		t.Errorf("back at %q, before it was %q", now, all)
	}

	b.do(chromedp.Navigate(s.url + here))
	b.press("Save view")
	b.fill("#view-name", "Big ones")
	b.press("Save")
	b.shows("The view is saved")
	b.open("/orders")
	b.press("Big ones")
	b.until("document.querySelector('.pager')?.innerText === " + fmt.Sprintf("%q", rows))
	text := run(b, chromedp.Evaluate[string](`fetch(document.querySelector('#orders-do form[method=post]').action, { method: 'POST',
			body: new URLSearchParams(new FormData(document.querySelector('#orders-do form[method=post]'))) }).then(r => r.text())`,
		chromedp.EvalAwaitPromise))
	list, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	want, _, _ := strings.Cut(rows[strings.LastIndex(rows, "of ")+3:], "\n")
	want = strings.ReplaceAll(want, ",", "")
	if err != nil || strconv.Itoa(len(list)-1) != want {
		t.Errorf("the file has %d rows, the view %s: %v", len(list)-1, want, err)
	}
}
