package dashboard

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

var (
	aTable  = regexp.MustCompile(`<table[^>]*>`)
	aName   = regexp.MustCompile(` aria-label(ledby)?="[^"]+"`)
	aHead   = regexp.MustCompile(`(?s)<th\b[^>]*>(.*?)</th>`)
	aTag    = regexp.MustCompile(`<[^>]*>`)
	aNaming = regexp.MustCompile(`<table[^>]* aria-labelledby="([^"]+)"`)
)

// Every table has a name, by which screen readers list it, and every head of a column says something.
func TestTablesHaveNames(t *testing.T) {
	names, err := fs.Glob(embedded, "templates/*.html")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	found := 0
	for _, name := range names {
		content, err := fs.ReadFile(embedded, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range aTable.FindAllString(string(content), -1) {
			if found++; !aName.MatchString(table) {
				t.Errorf("%s: %s", name, table)
			}
		}
		for _, head := range aHead.FindAllStringSubmatch(string(content), -1) {
			if !aName.MatchString(head[1]) && strings.TrimSpace(aTag.ReplaceAllString(head[1], "")) == "" {
				t.Errorf("%s has an empty head of a column: %s", name, head[0])
			}
		}
	}
	s := newSite(t, "sqlite")
	s.seed()
	b := s.as(s.owner)
	for _, path := range s.pages() {
		page := b.get(path)
		for _, table := range aNaming.FindAllStringSubmatch(page.body, -1) {
			if strings.Count(page.body, ` id="`+table[1]+`"`) != 1 {
				t.Errorf("%s: nothing has the id %s", path, table[1])
			}
		}
		if strings.Contains(page.body, ` aria-label=""`) {
			t.Errorf("%s has an empty label", path)
		}
		for _, head := range aHead.FindAllStringSubmatch(page.body, -1) {
			if !aName.MatchString(head[1]) && strings.TrimSpace(aTag.ReplaceAllString(head[1], "")) == "" {
				t.Errorf("%s has an empty head of a column: %s", path, head[0])
			}
		}
	}
	if found < 20 {
		t.Errorf("%d tables", found)
	}
}
