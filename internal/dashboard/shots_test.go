package dashboard

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"entrepot/internal/accounts"
)

var shots = flag.String("shots", "", "folder for a picture of every page in every width and colour")

// widths are those of a desk, a tablet, a phone, and the narrowest that must work.
var widths = []int64{1440, 1000, 390, 320}

// pages are the addresses of every page that can be opened, with ids that the sample data has.
func (s *site) pages() (list []string) {
	for _, route := range s.routes {
		if route.method != "GET" || route.path == "/live" || route.path == "" || route.file || route.moved {
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
		at.shoot(t, strings.Trim(strings.ReplaceAll(path, "/", "-"), "-"))
	}
}

// shoot keeps a picture of the page in every width and colour, when a folder is named.
func (b *window) shoot(t *testing.T, name string) {
	t.Helper()
	if *shots == "" {
		return
	}
	if err := os.MkdirAll(*shots, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, look := range allLooks() {
		b.look(look.width, look.scheme)
		file := filepath.Join(*shots, fmt.Sprintf("%s-%s-%d.png", name, look.scheme, look.width))
		if err := os.WriteFile(file, run(b, chromedp.FullScreenshot(100)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
