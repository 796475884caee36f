package api

import (
	"fmt"
	"go/parser"
	"go/token"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"entrepot/internal/api/reference"
	"entrepot/internal/db/dbtest"
)

// operationPage is the page of an operation in a reference.
func operationPage(t *testing.T, pages http.Handler, name string) string {
	t.Helper()
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/docs/"+name, nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d", name, w.Code)
	}
	return w.Body.String()
}

// sampleOf is a sample of a page: go, node, php, python, or curl.
func sampleOf(t *testing.T, page, language string) string {
	t.Helper()
	text := `<details name="sample"[^>]*id="` + language + `">\s*<summary>[^<]*</summary>\s*<pre[^>]*>([^<]*)</pre>`
	if language == "curl" {
		text = `<pre class="curl"[^>]*>([^<]*)</pre>`
	}
	found := regexp.MustCompile(text).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no sample for %s", language)
	}
	return html.UnescapeString(found[1])
}

// Every operation has samples, and those in Go are programs.
func TestEveryOperationHasSamples(t *testing.T) {
	dbtest.Long(t, "the page of every route is rendered")
	a := New(Config{Version: "test"})
	pages := reference.Handler(a.Description, nil, "")
	for _, r := range a.table.routes {
		page := operationPage(t, pages, r.name)
		for _, language := range []string{"curl", "node", "php", "python"} {
			if sample := sampleOf(t, page, language); !strings.Contains(sample, r.path) {
				t.Errorf("%s in %s: %s", r.name, language, sample)
			}
		}
		sample := sampleOf(t, page, "go")
		if _, err := parser.ParseFile(token.NewFileSet(), "main.go", sample, 0); err != nil || !strings.Contains(sample, r.path) {
			t.Errorf("%s in Go: %v\n%s", r.name, err, sample)
		}
	}
}

// The samples of a read, a write with a body, and an operation for logins do what they say, in every language that is installed.
func TestSamplesRun(t *testing.T) {
	dbtest.Long(t, "programs are compiled and run")
	tools := map[string][]string{"curl": {"sh", "sample.sh"}, "go": {"go", "run", "main.go"}, "node": {"node", "sample.mjs"},
		"php": {"php", "sample.php"}, "python": {"python3", "sample.py"}}
	for language, command := range tools {
		tool := command[0]
		if language == "curl" {
			tool = "curl"
		}
		t.Run(language, func(t *testing.T) {
			if _, err := exec.LookPath(tool); err != nil {
				t.Skipf("the samples in %s are not run: %s is not installed (PHP comes with: make php)", language, tool)
			}
			s := newServer(t, "sqlite", nil)
			server := httptest.NewServer(s.API)
			defer server.Close()
			pages := reference.Handler(s.Description, nil, "")
			for operation, want := range map[string]string{"listOrders": `"total"`, "createCategory": `"slug"`, "createApiKey": "pk_live_"} {
				folder := t.TempDir()
				text := sampleOf(t, operationPage(t, pages, operation), language)
				if language == "curl" {
					text = strings.Replace(text, "curl ", "curl -s ", 1)
				}
				if err := os.WriteFile(filepath.Join(folder, command[len(command)-1]), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				run := exec.CommandContext(t.Context(), command[0], command[1:]...)
				run.Dir = folder
				// Go runs with the flags of this test, so that its library is compiled already.
				run.Env = append(os.Environ(), "BASE="+server.URL, "KEY="+s.key, "TOKEN="+s.token, "GO111MODULE=off")
				out, err := run.CombinedOutput()
				if err != nil || !strings.Contains(string(out), want) {
					t.Errorf("%s: %v\n%s\n%s", operation, err, out, text)
				}
			}
		})
	}
}

// A search of the reference shows what it finds and nothing else; an operation that does not exist has no page.
func TestReferenceIsSearched(t *testing.T) {
	h := reference.Handler(New(Config{Version: "test"}).Description, nil, "")
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	articles := func(page string) string {
		return fmt.Sprint(regexp.MustCompile(`<article id="([^"]+)"`).FindAllStringSubmatch(page, -1))
	}
	if _, page := get("/docs?q=SHIPMENT+post"); !strings.Contains(articles(page), "createShipment") ||
		strings.Contains(articles(page), "listOrders") {
		t.Errorf("%s", articles(page))
	}
	if _, page := get("/docs?q=" + "%3Cscript%3E"); !strings.Contains(page, "Nothing has “&lt;script&gt;”") || articles(page) != "[]" {
		t.Errorf("%s", articles(page))
	}
	if code, _ := get("/docs/nothing"); code != http.StatusNotFound {
		t.Errorf("an unknown operation: %d", code)
	}
	if _, page := get("/docs/createOrder"); articles(page) != "[[<article id=\"createOrder\" createOrder]]" {
		t.Errorf("%s", articles(page))
	}
}
