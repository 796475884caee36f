// Package reference serves the API reference at /docs (interface §9): one page, rendered here from the OpenAPI document of what
// runs, without scripts and without calls to anywhere.
//
//	document.go   what the page needs of the OpenAPI document
//	page.go       operations as the page shows them, by tag
//	page.html     the page; style.css its look, light and dark
package reference

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"sync"
)

//go:embed style.css
var style []byte

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// policy allows the page its stylesheet and nothing else.
const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Render makes the page of an OpenAPI 3.1 document in JSON.
func Render(document []byte) ([]byte, error) {
	p, err := newPage(document)
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	if err := pageTemplate.Execute(&html, p); err != nil {
		return nil, err
	}
	return html.Bytes(), nil
}

// Handler serves /docs and /docs/style.css. document gives the OpenAPI document, or nil while there is none yet: then the page is
// 503. The page is rendered once, at its first request.
func Handler(document func() []byte) http.Handler {
	var (
		mu   sync.Mutex
		page []byte
	)
	rendered := func() ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		if page != nil {
			return page, nil
		}
		text := document()
		if text == nil {
			return nil, nil
		}
		var err error
		page, err = Render(text)
		return page, err
	}
	mux := http.NewServeMux()
	show := func(w http.ResponseWriter, _ *http.Request) {
		html, err := rendered()
		switch {
		case err != nil:
			http.Error(w, "the reference cannot be shown; the description itself is at /api/v1/openapi.json", http.StatusInternalServerError)
		case html == nil:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "the service is starting, try again", http.StatusServiceUnavailable)
		default:
			send(w, "text/html; charset=utf-8", html)
		}
	}
	mux.HandleFunc("GET /docs", show)
	mux.HandleFunc("GET /docs/{$}", show)
	mux.HandleFunc("GET /docs/style.css", func(w http.ResponseWriter, _ *http.Request) { send(w, "text/css; charset=utf-8", style) })
	return mux
}

func send(w http.ResponseWriter, kind string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=300")
	w.Write(body)
}
