package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"entrepot/internal/api/reference"
)

// The reference shows every operation and every event of the description, and nothing on it comes from elsewhere or is a script.
func TestReferenceShowsEveryOperation(t *testing.T) {
	a := New(Config{Version: "test"})
	page := httptest.NewRecorder()
	reference.Handler(a.Description, nil, "").ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/docs", nil))
	html := page.Body.String()
	for _, r := range a.table.routes {
		_, article, found := strings.Cut(html, `<article id="`+r.name+`">`)
		article, _, _ = strings.Cut(article, "</article>")
		if !found || !strings.Contains(article, r.path) || !strings.Contains(article, ">"+r.method+"<") || !strings.Contains(article, "curl") {
			t.Errorf("%s %s is not shown whole", r.method, r.path)
		}
		if r.scope != "" && !strings.Contains(article, "<code>"+r.scope+"</code>") {
			t.Errorf("%s does not show its scope", r.name)
		}
		if r.example() != nil && !strings.Contains(article, "Request body") {
			t.Errorf("%s does not show its body", r.name)
		}
	}
	for _, word := range []string{"order.shipment_created", "customer.erased", "Payload"} {
		if !strings.Contains(html, word) {
			t.Errorf("%s is not shown", word)
		}
	}
	for _, never := range []string{"<script", "src=", "//cdn", "ZgotmplZ"} {
		if strings.Contains(html, never) {
			t.Errorf("the page has %q", never)
		}
	}
}

// While the service starts there is no description: the page says to try again, and is there afterwards.
func TestReferenceWaitsForTheDescription(t *testing.T) {
	var text []byte
	h := reference.Handler(func() []byte { return text }, nil, "")
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	if w := get("/docs"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("before: %d %v", w.Code, w.Header())
	}
	text = New(Config{}).Description()
	for path, kind := range map[string]string{"/docs": "text/html", "/docs/": "text/html", "/docs/style.css": "text/css"} {
		w := get(path)
		if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) ||
			w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
}
