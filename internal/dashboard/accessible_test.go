package dashboard

// Tests begin in the order of their files: the longest one is in the first.

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"entrepot/internal/db/dbtest"
)

// axePath is where make browser puts axe-core.
const axePath = "../../.browser/node_modules/axe-core/axe.min.js"

// violation is what axe-core finds.
type violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// look is a way in which a page is examined.
type look struct {
	width  int64
	scheme string
	rules  string
}

// looks are the ways in which every page is examined; make shots examines it by all rules in every width and colour. There are two layouts,
// with the sidebar and without: all rules run in each of them. At the other widths the same things have other places, and only the rules of
// place and size run; in the dark only those of colours.
var looks = []look{
	{1440, "light", allRules}, {1000, "light", placeRules}, {390, "light", allRules}, {320, "light", placeRules},
	{1440, "dark", colourRules}, {390, "dark", colourRules},
}

// allLooks are all rules in every width and colour.
func allLooks() (all []look) {
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range widths {
			all = append(all, look{width, scheme, allRules})
		}
	}
	return all
}

// Rules of axe-core, by tag or by name.
const (
	allRules    = `["wcag2a","wcag2aa","wcag21a","wcag21aa","wcag22aa","best-practice"]`
	placeRules  = `["target-size","scrollable-region-focusable"]`
	colourRules = `["color-contrast","link-in-text-block"]`
)

// Every page, in every width and both colours: nothing for axe-core to find (WCAG 2.2 A and AA), nothing wider than the screen, and no
// complaint of the console. The pages are shared out between as many windows as a small machine has processors.
func TestEveryPageIsAccessible(t *testing.T) {
	dbtest.Long(t, "a browser")
	s := newSite(t, "sqlite")
	axe, err := os.ReadFile(axePath)
	if err != nil {
		t.Fatalf("there is no axe-core: run make browser (%v)", err)
	}
	s.seed()
	pages := make(chan string)
	for i := range 2 {
		t.Run(fmt.Sprint("window ", i+1), func(t *testing.T) {
			t.Parallel()
			b := s.window(t, s.owner)
			b.look(widths[0], "light")
			for path := range pages {
				b.examinePage(t, path, string(axe))
			}
		})
	}
	go func() {
		defer close(pages)
		for _, path := range s.pages() {
			pages <- path
		}
	}()
}

// examinePage opens a page and looks at it in all ways.
func (b *window) examinePage(t *testing.T, path, axe string) {
	t.Helper()
	b.open(path)
	b.do(chromedp.Evaluate[chromedp.Void](axe + "; undefined"))
	ways := looks
	if *shots != "" {
		ways = allLooks()
	}
	for _, look := range ways {
		b.look(look.width, look.scheme)
		b.examine(t, fmt.Sprintf("%s: %s %d", path, look.scheme, look.width), look.rules)
	}
	b.look(widths[0], "light")
	b.check(t)
}

// hollow are the bodies of cards that take room and show nothing, by the texts around them.
const hollow = `[...document.querySelectorAll(".body")].filter(e => e.checkVisibility() && e.offsetHeight && !e.innerText.trim() &&
	![...e.querySelectorAll("input, select, textarea, svg, img, progress")].some(it => it.checkVisibility()))
	.map(e => e.parentElement.innerText.slice(0, 60))`

// examine reports what axe-core finds on the page as it is shown now, and whether it is wider than the screen or has room for nothing.
func (b *window) examine(t *testing.T, how, rules string) {
	t.Helper()
	found := run(b, chromedp.Evaluate[string](`axe.run({ runOnly: `+rules+`, resultTypes: ["violations"], preload: false, iframes: false })`+
		`.then(r => JSON.stringify({ wide: document.documentElement.scrollWidth - innerWidth, list: r.violations, hollow: `+hollow+` }))`,
		chromedp.EvalAwaitPromise))
	var out struct {
		Wide   int         `json:"wide"`
		List   []violation `json:"list"`
		Hollow []string    `json:"hollow"`
	}
	if err := json.Unmarshal([]byte(found), &out); err != nil {
		t.Fatal(err)
	}
	if out.Wide > 0 {
		t.Errorf("%s: %d px too wide", how, out.Wide)
	}
	if len(out.Hollow) > 0 {
		t.Errorf("%s: room for nothing in %q", how, out.Hollow)
	}
	for _, v := range out.List {
		t.Errorf("%s: %s: %s", how, v.ID, v.Help)
		for i, n := range v.Nodes {
			if i < 3 {
				t.Logf("  %.200s\n  %.300s", n.HTML, n.Summary)
			}
		}
	}
}
