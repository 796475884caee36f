package dashboard

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/test/filler"
)

var storyOrders = flag.Int("orders", 2000, "orders of the story of a long list; 100000 for its full size")

// Bounds of a search by what is typed: the rows it looks at beside the blocks of texts, and the elements of the page.
const (
	fewRows      = 100
	mostElements = 1500
)

// filled is a site whose account has orders of two years; read counts what it reads.
func filled(t *testing.T, engine string, n int, read *dbtest.Statements) *site {
	t.Helper()
	clock := filler.NewClock(time.Now())
	s := newSiteOn(t, engine, func(c *db.Config) {
		c.Now, c.Trace = clock.Now, func(sql string, args []any) {
			if !strings.Contains(sql, "FROM audit_log") { // the watch for news asks, when it likes
				read.Add(sql, args)
			}
		}
	})
	shop := channels.Channel{ID: id.New[id.Channel](), Name: "Shop", Platform: channels.Custom, Status: channels.Active, Settings: "{}",
		Oversell: "allow"}
	s.do(s.account.Tenant, func(tx *db.Tx) error { shop.Insert(tx); return nil })
	size := filler.Size{Orders: n, SKUs: 300, Customers: max(n/10, 100)}
	if err := filler.Fill(t.Context(), s.DB, clock, s.account.Tenant, []id.Channel{shop.ID}, size, io.Discard); err != nil {
		t.Fatal(err)
	}
	dbtest.Analyse(t, s.DB, s.account.Tenant)
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

// planStep is a step of PostgreSQL's plan.
type planStep struct {
	Relation string  `json:"Relation Name"`
	Rows     float64 `json:"Actual Rows"`
	Filtered float64 `json:"Rows Removed by Filter"`
	Checked  float64 `json:"Rows Removed by Index Recheck"`
	Loops    float64 `json:"Actual Loops"`
	Plans    []planStep
}

// read is how many rows of tables a step and those below it look at.
func (n planStep) read() (rows float64) {
	if n.Relation != "" {
		rows = (n.Rows + n.Filtered + n.Checked) * n.Loops
	}
	for _, below := range n.Plans {
		rows += below.read()
	}
	return rows
}

// rowsRead are the rows that statements look at, run again on PostgreSQL; on SQLite, 0, and no statement may go through all orders.
func (s *site) rowsRead(list []dbtest.Statement) (rows float64) {
	s.t.Helper()
	if s.config.URL == "" {
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			for _, one := range list {
				if plan := one.Plan(s.t, tx); allOrders.MatchString(plan) {
					s.t.Errorf("%s\ngoes through all orders:\n%s", one.SQL, plan)
				}
			}
			return nil
		})
		return 0
	}
	for _, one := range list {
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			var text string
			if err := tx.Row("EXPLAIN (ANALYZE, FORMAT JSON) "+one.SQL, one.Args, &text); err != nil {
				return fmt.Errorf("%s: %w", one.SQL, err)
			}
			var plans []struct{ Plan planStep }
			if err := json.Unmarshal([]byte(text), &plans); err != nil {
				return err
			}
			rows += plans[0].Plan.read()
			return nil
		})
	}
	return rows
}

// allOrders matches a step of SQLite's plan that reads orders, or their lines, from the first to the last.
var allOrders = regexp.MustCompile(`(?m)^SCAN (o|l|orders|order_lines)\b`)

// A long list follows what is typed, with an address that can be kept and gone back from; the filter is saved as a view, and
// the file of a view has as many rows as the view has orders. On PostgreSQL the view is saved, and the file written, by another node.
func TestStoryOfALongList(t *testing.T) {
	dbtest.Long(t, "a browser")
	parallel(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			var read dbtest.Statements
			s := filled(t, engine, *storyOrders, &read)
			searchALongList(t, s, s.node2(t), &read)
		})
	}
}

func searchALongList(t *testing.T, s, there *site, read *dbtest.Statements) {
	b, other := s.window(t, s.owner), there.window(t, there.owner)
	b.hearNothing() // what news read would be counted
	b.open("/orders?status=DELIVERED")
	fastest, most := 1e9, 0.0
	for i := range 6 {
		number := fmt.Sprintf("ORD-%06d", *storyOrders/2+i)
		b.open("/orders")
		b.asks("")
		read.Reset()
		took := run(b, chromedp.Evaluate[float64](fmt.Sprintf(paints, "1 order", number), chromedp.EvalAwaitPromise))
		if fastest = min(fastest, took); b.path() != prefix+"/orders?search="+number {
			t.Errorf("the address is %s", b.path())
		}
		rows := s.rowsRead(read.List())
		most = max(most, rows)
		if list := b.asks("/orders"); len(list) != 1 {
			t.Errorf("what is typed asks for %q", list)
		}
		if n := eval[int](b, "document.querySelectorAll('*').length"); n > mostElements {
			t.Errorf("%d elements", n)
		}
	}
	t.Logf("%d orders: %.0f rows read", *storyOrders, most)
	// What is typed costs one request, and looks at few rows of the store, however many orders there are: blocks of a thousand texts each,
	// and what the page shows. The bound of 150 ms is for the full size.
	if most > fewRows+float64(*storyOrders/300) {
		t.Errorf("%.0f rows are read", most)
	}
	within(t, "from a letter to its rows", time.Duration(fastest*float64(time.Millisecond)), 150*time.Millisecond)

	b.open("/orders?status=DELIVERED")
	all := eval[string](b, "document.querySelector('.pager').innerText")
	b.focus("#orders-search")
	b.keys("ORD-00")
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

	other.do(chromedp.Navigate(there.url + here))
	other.press("Save view")
	other.fill("#view-name", "Big ones")
	other.press("Save")
	other.shows("Saved the view")
	b.open("/orders")
	b.press("Big ones")
	b.until("document.querySelector('.pager')?.innerText === " + fmt.Sprintf("%q", rows))
	text := run(other, chromedp.Evaluate[string](`fetch(document.querySelector('#orders-do form[method=post]').action, { method: 'POST',
			body: new URLSearchParams(new FormData(document.querySelector('#orders-do form[method=post]'))) }).then(r => r.text())`,
		chromedp.EvalAwaitPromise))
	list, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	want, _, _ := strings.Cut(rows[strings.LastIndex(rows, "of ")+3:], " orders")
	want = strings.ReplaceAll(want, ",", "")
	if err != nil || strconv.Itoa(len(list)-1) != want {
		t.Errorf("the file has %d rows, the view %s: %v", len(list)-1, want, err)
	}
}
