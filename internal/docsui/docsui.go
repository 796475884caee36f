// Package docsui serves the API reference at /docs: a page that reads /api/v1/openapi.json in the browser, with everything
// it needs embedded and no call outside (interface §9).
package docsui

import (
	_ "embed"
	"net/http"
)

//go:embed index.html
var page []byte

//go:embed start.js
var start []byte

//go:embed scalar.js.gz
var scalar []byte

// policy keeps the page from calling anything but this server.
const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:"

// Handler serves /docs and what the page loads from below it.
func Handler() http.Handler {
	mux := http.NewServeMux()
	serve := func(path, kind, encoding string, body []byte) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("Content-Type", kind)
			h.Set("Content-Security-Policy", policy)
			h.Set("Cache-Control", "public, max-age=3600")
			if encoding != "" {
				h.Set("Content-Encoding", encoding)
			}
			w.Write(body)
		})
	}
	serve("/docs", "text/html; charset=utf-8", "", page)
	serve("/docs/{$}", "text/html; charset=utf-8", "", page)
	serve("/docs/start.js", "text/javascript; charset=utf-8", "", start)
	serve("/docs/scalar.js", "text/javascript; charset=utf-8", "gzip", scalar)
	return mux
}
