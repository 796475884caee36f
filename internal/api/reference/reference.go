// Package reference serves the API reference at /docs (interface §9): a page of all operations with a search, and a
// page of each with samples. It renders them from the OpenAPI document of the running program, without scripts and
// without calls to other hosts.
//
//	document.go   what the page needs of the OpenAPI document
//	page.go       operations as the page shows them, by tag
//	samples.go    programs that make an operation's request
//	reader.go     the same with ids and a key of a signed-in user
//	page.html     the page; style.css its look, in the colours and fonts of the dashboard
package reference

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strings"
	"sync"
)

//go:embed style.css
var style string

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// policy allows the page its stylesheet and its search, and nothing else.
const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

func (p *page) render() ([]byte, error) {
	var html bytes.Buffer
	err := pageTemplate.Execute(&html, p)
	return html.Bytes(), err
}

// handler renders pages of one document.
type handler struct {
	document func() []byte
	reader   func(*http.Request) *Reader
	mu       sync.Mutex
	page     *page
	whole    []byte
}

// Handler serves /docs, with ?q= the search, /docs/{operation} with samples in several languages, and
// /docs/style.css. document returns the OpenAPI document, or nil if there is none yet: then a page is 503. The
// document is read once, at the first request. reader finds the signed-in user of a request, for whom the samples
// have ids of the account, and with ?key= the beginning of the key with that id; it returns nil for everyone else,
// and may be nil itself. tokens is CSS that names the colours and fonts: dashboard.Tokens().
func Handler(document func() []byte, reader func(*http.Request) *Reader, tokens string) http.Handler {
	h := &handler{document: document, reader: reader}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /docs", h.show)
	mux.HandleFunc("GET /docs/{$}", h.show)
	mux.HandleFunc("GET /docs/{operation}", h.show)
	look := []byte(tokens + style)
	mux.HandleFunc("GET /docs/style.css", func(w http.ResponseWriter, _ *http.Request) { send(w, "text/css; charset=utf-8", look) })
	return mux
}

// read returns the page and its whole text, nil if there is no document.
func (h *handler) read() (*page, []byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.page != nil {
		return h.page, h.whole, nil
	}
	text := h.document()
	if text == nil {
		return nil, nil, nil
	}
	p, err := newPage(text)
	if err != nil {
		return nil, nil, err
	}
	if h.whole, err = p.render(); err == nil {
		h.page = p
	}
	return p, h.whole, err
}

// longestQuery limits a search, in bytes.
const longestQuery = 200

func (h *handler) show(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Cookie")
	p, html, err := h.read()
	name, query := r.PathValue("operation"), strings.TrimSpace(r.URL.Query().Get("q"))
	part := p
	switch {
	case err != nil || p == nil:
	case name != "":
		if part = p.one(name); part == nil {
			http.NotFound(w, r)
			return
		}
	case query != "" && len(query) <= longestQuery:
		part = p.find(query)
	}
	var reader *Reader
	if h.reader != nil && err == nil && p != nil {
		reader = h.reader(r)
	}
	if reader != nil {
		part = part.forReader(reader, r.URL.Query().Get("key"))
	}
	if part != p {
		html, err = part.render()
	}
	switch {
	case err != nil:
		http.Error(w, "the reference cannot be shown; the description itself is at /api/v1/openapi.json", http.StatusInternalServerError)
	case p == nil:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the service is starting, try again", http.StatusServiceUnavailable)
	default:
		if reader != nil {
			w.Header().Set("Cache-Control", "no-store")
		}
		send(w, "text/html; charset=utf-8", html)
	}
}

func send(w http.ResponseWriter, kind string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "public, max-age=300")
	}
	w.Write(body)
}
