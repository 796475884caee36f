package dashboard

import (
	"compress/gzip"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Bounds of what a page weighs on the wire: the first visit brings the static files, too.
const (
	firstVisit = 80_000
	laterVisit = 20_000
)

// counting counts what is written to it.
type counting int

func (n *counting) Write(p []byte) (int, error) { *n += counting(len(p)); return len(p), nil }

// wire is how many bytes a text takes on the wire.
func wire(t *testing.T, text string) int {
	t.Helper()
	var n counting
	zip := gzip.NewWriter(&n)
	if _, err := io.WriteString(zip, text); err != nil || zip.Close() != nil {
		t.Fatal(err)
	}
	return int(n)
}

var (
	assetLink = regexp.MustCompile(`"` + prefix + `(/static/[^"#]+)`)
	anElement = regexp.MustCompile(`<[a-z]`)
)

// Every page is light: over the wire, with all that it loads, and in elements.
func TestPagesAreLight(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.as(s.owner)
	files := map[string]int{}
	heaviest, most := 0, 0
	for _, path := range s.pages() {
		page := b.get(path)
		later := wire(t, page.body)
		first, seen := later, map[string]bool{}
		for _, found := range assetLink.FindAllStringSubmatch(page.body, -1) {
			name := found[1]
			if files[name] == 0 {
				files[name] = wire(t, b.get(name).body)
			}
			if !seen[name] {
				first += files[name]
			}
			seen[name] = true
		}
		elements := len(anElement.FindAllString(page.body, -1))
		if later > laterVisit || first > firstVisit || elements > mostElements {
			t.Errorf("%s: %d bytes, %d with all that it loads, %d elements", path, later, first, elements)
		}
		heaviest, most = max(heaviest, first), max(most, elements)
	}
	t.Logf("at most %d bytes with all that is loaded, %d elements; static files %v", heaviest, most, files)
	if len(files) < 3 {
		t.Errorf("pages load %v", files)
	}
}

// The script stays so short that it can be read in one sitting: 530 lines, with their comments, none too long.
func TestScriptIsShort(t *testing.T) {
	const most, widest = 530, 140
	names, err := fs.Glob(embedded, "static/*.js")
	if err != nil || len(names) < 5 {
		t.Fatalf("%q %v", names, err)
	}
	lines := 0
	for _, name := range names {
		content, err := fs.ReadFile(embedded, name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			lines++
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > widest {
				t.Errorf("%s: longer than %d characters: %s", name, widest, line)
			}
		}
	}
	t.Logf("%d lines", lines)
	if lines > most {
		t.Errorf("the script has %d lines, at most %d are wanted: see what the browser does by itself, and what a page can render", lines, most)
	}
}

// No module of the script imports itself in the end: each can be read after those that it imports.
func TestModulesOfTheScriptStandInAnOrder(t *testing.T) {
	imported := regexp.MustCompile(`(?m)^import [^;]*"\./([a-z]+\.js)";$`)
	over := map[string]bool{} // modules that were read
	var read func(name string, from []string)
	read = func(name string, from []string) {
		if slices.Contains(from, name) {
			t.Fatalf("%s imports itself by %s", name, strings.Join(from, ", "))
		}
		if over[name] {
			return
		}
		content, err := fs.ReadFile(embedded, "static/"+name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range imported.FindAllStringSubmatch(string(content), -1) {
			read(found[1], append(slices.Clone(from), name))
		}
		over[name] = true
	}
	read("app.js", nil)
	if names, _ := fs.Glob(embedded, "static/*.js"); len(over) != len(names) {
		t.Errorf("of %d modules %d are imported", len(names), len(over))
	}
}
