package dashboard

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"entrepot/internal/accounts"
	"entrepot/internal/dbtest"
)

var shots = flag.String("shots", "", "folder for a picture of every page in every width and colour")

// widths are those of a desk, a tablet, a phone, and the narrowest that must work.
var widths = []int64{1440, 1000, 390, 320}

// pages are the addresses of every page that can be opened, with ids that the sample data has.
func (s *site) pages() (list []string) {
	for _, route := range s.routes {
		if route.method != "GET" || route.path == "/live" || route.path == "" {
			continue
		}
		path := strings.TrimSuffix(route.path, "{$}")
		if strings.Contains(path, "{") {
			found := ""
			for from, to := range s.samples {
				if strings.HasPrefix(path, from+"/{") {
					found = strings.Replace(path, path[strings.Index(path, "{"):strings.Index(path, "}")+1], to, 1)
				}
			}
			if found == "" || strings.Contains(found, "{") {
				continue
			}
			path = found
		}
		list = append(list, path)
	}
	return list
}

// Pictures of all pages, when a folder is named: make shots.
func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("no folder for pictures is named: make shots")
	}
	if err := os.MkdirAll(*shots, 0o755); err != nil {
		t.Fatal(err)
	}
	s := newSite(t, "sqlite")
	s.seed()
	b, door := s.window(t, s.owner), s.window(t, accounts.User{})
	for _, path := range s.pages() {
		at := b
		if path == "/login" || path == "/setup" {
			at = door
		}
		at.look(widths[0], "light")
		at.open(path)
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range widths {
				at.look(width, scheme)
				name := fmt.Sprintf("%s-%s-%d.png", strings.Trim(strings.ReplaceAll(path, "/", "-"), "-"), scheme, width)
				if err := os.WriteFile(filepath.Join(*shots, name), run(at, chromedp.FullScreenshot(100)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

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

// Every page, in every width and both colours: nothing for axe-core to find (WCAG 2.2 A and AA), nothing wider than the screen, and no
// complaint of the console.
func TestEveryPageIsAccessible(t *testing.T) {
	dbtest.Long(t, "a browser")
	s := newSite(t, "sqlite")
	axe, err := os.ReadFile(axePath)
	if err != nil {
		t.Fatalf("there is no axe-core: run make browser (%v)", err)
	}
	s.seed()
	for _, path := range s.pages() {
		t.Run(path, func(t *testing.T) {
			b := s.window(t, s.owner)
			b.look(widths[0], "light")
			b.open(path)
			b.do(chromedp.Evaluate[chromedp.Void](string(axe) + "; undefined"))
			for _, scheme := range []string{"light", "dark"} {
				for _, width := range widths {
					b.look(width, scheme)
					b.examine(t, fmt.Sprint(scheme, " ", width))
				}
			}
		})
	}
}

// examine reports what axe-core finds on the page as it is shown now, and whether it is wider than the screen.
func (b *window) examine(t *testing.T, how string) {
	t.Helper()
	if wide := eval[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
		t.Errorf("%s: %d px too wide", how, wide)
	}
	found := run(b, chromedp.Evaluate[string](`axe.run({runOnly: ["wcag2a","wcag2aa","wcag21a","wcag21aa","wcag22aa","best-practice"]})`+
		`.then(r => JSON.stringify(r.violations))`, chromedp.EvalAwaitPromise))
	var list []violation
	if err := json.Unmarshal([]byte(found), &list); err != nil {
		t.Fatal(err)
	}
	for _, v := range list {
		t.Errorf("%s: %s: %s", how, v.ID, v.Help)
		for i, n := range v.Nodes {
			if i < 3 {
				t.Logf("  %.200s\n  %.300s", n.HTML, n.Summary)
			}
		}
	}
}
