package dashboard

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"entrepot/internal/base/netguard"
	"entrepot/internal/worker"
)

// node starts a worker on the site's store; stop ends it in order.
func (s *site) node(t *testing.T) (stop func()) {
	t.Helper()
	w, err := worker.Start(t.Context(), worker.Config{DB: s.DB, Commerce: s.Commerce, Guard: &netguard.Guard{Dev: true}, Version: "test",
		Poll: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// frenchFile is a list of n products as a French shop's program writes it: Windows-1252, semicolons, decimal commas. Every thousandth has
// no price.
func frenchFile(n int) string {
	var b strings.Builder
	b.WriteString("R\xe9f.;D\xe9signation;Prix TTC;Cat\xe9gorie\r\n")
	for i := range n {
		price := fmt.Sprintf("%d,%02d", i%900+1, i%100)
		if i%1000 == 999 {
			price = "sur demande"
		}
		fmt.Fprintf(&b, "GRD-%05d;Pot \xe0 fleurs n\xb0 %d;%s;Jardin\r\n", i, i, price)
	}
	return b.String()
}

// clickOn clicks a button wherever the page has it just now.
func (b *window) clickOn(selector string) {
	b.t.Helper()
	b.act(fmt.Sprintf("document.querySelector(%q)", selector), "el.click()")
}

// choose puts a file into the page's form and sends it.
func (b *window) choose(path string) {
	b.t.Helper()
	b.settle()
	b.do(chromedp.SetUploadFiles(chromedp.CSS(".drop input[type=file]"), []string{path}))
	b.clickOn("main form button.primary")
}

var storyRows = flag.Int("rows", 5000, "rows of the story of an import, in thousands; 50000 for its full size")

// A merchant's file is detected, checked and imported; the page is left and the service restarted meanwhile. The refused rows are
// downloaded, mended and given again: then everything is stored. On PostgreSQL another node, which has not seen the file, ends the import.
func TestStoryOfAnImport(t *testing.T) {
	rows, refused := *storyRows, *storyRows/1000
	nodes(t, func(t *testing.T, s, there *site) {
		stop := s.node(t)
		count := func(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
		path := filepath.Join(t.TempDir(), "printemps.csv")
		if err := os.WriteFile(path, []byte(frenchFile(rows)), 0o600); err != nil {
			t.Fatal(err)
		}
		b := s.window(t, s.owner)
		b.open("/products")
		b.clickOn(`a[href$="/products/import"]`)
		b.until("document.querySelector('.drop')")
		b.choose(path)
		b.timeout = max(pageTimeout, time.Duration(rows)*20*time.Millisecond)
		b.shows(count(rows) + " rows")
		for _, words := range []string{"Windows-1252", "Désignation", "a guess", "Pot à fleurs n° 0"} {
			b.shows(words)
		}
		at := strings.TrimPrefix(b.path(), prefix)
		b.clickOn("main form footer button.primary")
		b.shows("Import " + count(rows-refused) + " products")
		b.shows("sur demande")
		b.clickOn("main form.push button.primary")
		b.until("/the import goes on|Done/.test(document.body.innerText)")
		b.until("(document.querySelector('#import progress')?.value ?? 0) > 0 || document.body.innerText.includes('Done')")
		b.open("/stock")
		stop()
		there.node(t)
		b.open(at)
		b.shows("Done, some refused")
		b.shows(fmt.Sprintf("%d\nrows refused", refused))
		if n := s.countProducts(); n != int64(rows-refused) {
			t.Errorf("%d products", n)
		}
		left := s.as(s.owner).get(at + "/refused")
		if strings.Count(left.body, "\n") != refused+1 {
			t.Fatalf("%q", left.body)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(left.body, "sur demande", "12,50")), 0o600); err != nil {
			t.Fatal(err)
		}
		b.open(importsPath)
		b.choose(path)
		b.shows(fmt.Sprintf("%d rows", refused))
		b.clickOn("main form footer button.primary")
		b.shows(fmt.Sprintf("Import %d products", refused))
		b.clickOn("main form.push button.primary")
		b.until("document.querySelector('.head .badge')?.innerText.trim() === 'Done'")
		if n := s.countProducts(); n != int64(rows) {
			t.Errorf("%d products after the rows were mended", n)
		}
	})
}

// Each stage of an import, in every width and both colours: as all pages (TestEveryPageIsAccessible). With -shots also as pictures.
func TestStagesOfAnImportAreAccessible(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seedWork()
	axe, err := os.ReadFile(axePath)
	if err != nil {
		t.Fatalf("there is no axe-core: run make browser (%v)", err)
	}
	b := s.as(s.owner)
	unknown := importOf(b.give("unknown.csv", strings.NewReader("a;b;c\nMUG;Mug;1.050\n")))
	fresh := importOf(b.give("printemps-2027.csv", strings.NewReader(springList())))
	checked := s.checkedImport("printemps-2027.csv")
	done, running := s.checkedImport("automne-2026.csv"), s.checkedImport("hiver-2026.csv")
	b.follow(b.submit(t, b.get(done), done+"/run"))
	s.runImports()
	b.follow(b.submit(t, b.get(running), running+"/run"))
	w := s.window(t, s.owner)
	w.look(widths[0], "light")
	for name, path := range map[string]string{"first": importsPath, "choice": unknown, "new": fresh, "checked": checked, "running": running,
		"done": done} {
		t.Run(name, func(t *testing.T) {
			w.examinePage(t, path, string(axe))
			w.shoot(t, "import-"+name)
		})
	}
}
