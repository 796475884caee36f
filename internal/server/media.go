package server

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"entrepot/internal/media"
)

// picture serves GET /media/{name}: a file of an uploaded picture, to everybody who has its address (interface §4.5.1).
// It never changes, so that browsers and platforms fetch it once. Any other name is answered as an address where there
// is nothing.
func (s *Server) picture(w http.ResponseWriter, r *http.Request) {
	n, name := s.running.Load(), strings.TrimPrefix(r.URL.Path, media.Path)
	if n == nil || !media.IsName(name) {
		s.serve(w, r)
		return
	}
	file, err := n.store.Commerce.Media.Read(r.Context(), name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.serve(w, r)
		return
	case err != nil:
		s.log.Error("a picture could not be read", "name", name, "error", err)
		notReady(w, "pictures unavailable")
		return
	}
	defer file.Close()
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Type", media.Type(name))
	h.Set("ETag", `"`+name+`"`)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Access-Control-Allow-Origin", "*")
	if strings.Contains(r.Header.Get("If-None-Match"), name) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if r.Method == http.MethodHead {
		return
	}
	if _, err := io.Copy(w, file); err != nil && r.Context().Err() == nil {
		s.log.Warn("a picture was not sent whole", "name", name, "error", err)
	}
}
