package dashboard

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/exports"
	"entrepot/internal/jobs"
)

// runExports does the jobs of exports that wait, as a worker does.
func (s *site) runExports() {
	s.t.Helper()
	for {
		var job jobs.Job
		var ok bool
		s.do(db.Across, func(tx *db.Tx) (err error) {
			job, ok, err = jobs.ClaimExport(tx, time.Minute)
			return err
		})
		if !ok {
			return
		}
		if err := s.Commerce.RunExport(s.t.Context(), s.DB, job, time.Minute); err != nil {
			s.t.Fatal(err)
		}
	}
}

// seedExport makes an export of products, and gives the id of its job.
func (s *site) seedExport() string {
	s.t.Helper()
	var job jobs.Job
	s.do(s.account.Tenant, func(tx *db.Tx) (err error) {
		job, err = s.Commerce.CreateExport(tx, s.caller(), commerce.ExportDraft{Kind: exports.Products, Format: exports.CSV,
			ExportFilter: commerce.ExportFilter{Products: &catalog.Filter{Sort: catalog.ByCreation}}}, 3)
		return err
	})
	s.runExports()
	return string(job.ID)
}

// Products, stock and customers are exported as their list shows them, in three formats.
func TestListsAreExported(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		c.order("PENDING", map[string]any{"customerName": "Ada Lovelace", "customerEmail": "ada@x.example"}, 1)
		for _, list := range []struct{ path, query, column, has, lacks string }{
			{"/products", "search=no such product", "sku,parent,", "", "MUG"},
			{"/products", "", "sku,parent,", "\n", "quantity"},
			{"/stock", "", "sku,warehouseCode,quantity", "MAIN", "parent"},
			{"/customers", "search=ada", "email,firstName", "ada@x.example", "parent"},
			{"/customers", "segmentId=019a1c60-0000-7000-8000-000000000001", "email,firstName", "", "ada@x.example"},
		} {
			out := b.post(list.path+"/export", url.Values{"as": {"csv"}, "list": {list.query}})
			if out.status != 200 || !strings.Contains(out.body, list.column) || !strings.Contains(out.body, list.has) ||
				strings.Contains(out.body, list.lacks) || !strings.HasPrefix(out.header.Get("Content-Type"), "text/csv") {
				t.Errorf("%s?%s: %d %q", list.path, list.query, out.status, out.body)
			}
			page := b.get(list.path)
			if !strings.Contains(page.body, `action="`+prefix+list.path+`/export"`) {
				t.Errorf("%s offers no export", list.path)
			}
		}
		if out := b.post("/customers/export", url.Values{"as": {"jsonl"}}); !strings.HasPrefix(out.body, `{"id":"`) ||
			!strings.Contains(out.header.Get("Content-Disposition"), ".jsonl") {
			t.Errorf("%d %q", out.status, out.body)
		}
		if out := b.post("/stock/export", url.Values{"as": {"xlsx"}}); !strings.HasPrefix(out.body, "PK") {
			t.Errorf("%d %q", out.status, out.body)
		}
		if out := b.post("/stock/export", url.Values{"list": {"view=sold"}}); out.status != 400 {
			t.Errorf("a wrong list: %d", out.status)
		}
	})
}

// A list that is too long to be sent at once is written by a job, whose page shows the progress, the file, and what deletes it.
func TestLongListsAreExportedByAJob(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		for range 3 {
			c.order("PENDING", map[string]any{"customerEmail": "ada@x.example"}, 1)
		}
		s.sentAtOnce = 2
		out := b.post("/orders/export", url.Values{"as": {"csv"}, "list": {"status=PENDING&sort=total:asc"}})
		at := strings.TrimPrefix(out.to(), prefix)
		if out.status != 303 || !strings.HasPrefix(at, "/jobs/") {
			t.Fatalf("%d to %q: %s", out.status, out.to(), out.words())
		}
		if page := b.follow(out); !strings.Contains(page.words(), "Export of orders") || !strings.Contains(page.words(), "0 of 3") ||
			!strings.Contains(page.words(), "Stop") {
			t.Errorf("%s", page.words())
		}
		s.runExports()
		page := b.get(at)
		file := strings.Replace(at, "/jobs/", "/exports/", 1) + "/file"
		if words := page.words(); !strings.Contains(words, "3 rows, ") || !strings.Contains(words, "Kept until") ||
			!strings.Contains(page.body, `href="`+prefix+file+`"`) {
			t.Errorf("%s", words)
		}
		if got := b.get(file); got.status != 200 || strings.Count(got.body, "\n") != 4 || !strings.Contains(got.header.Get("Content-Disposition"), "orders-") {
			t.Errorf("%d %q", got.status, got.body)
		}
		_, user := s.newAccount("Another", "other@test.example")
		if got := s.as(user).get(file); got.status != 404 {
			t.Errorf("another account: %d", got.status)
		}
		s.newUser("vera@test.example", accounts.Viewer)
		if got := s.as(accounts.User{Email: "vera@test.example"}).get(file); got.status != 200 {
			t.Errorf("a viewer: %d", got.status)
		}
		if page := b.follow(b.submit(t, page, strings.TrimSuffix(file, "/file")+"/delete")); !strings.Contains(page.words(), "There is no file any more") ||
			strings.Contains(page.body, file) {
			t.Errorf("%s", page.words())
		}
		if got := b.get(file); got.status != 404 {
			t.Errorf("deleted: %d", got.status)
		}
	})
}
