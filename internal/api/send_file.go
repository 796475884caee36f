package api

import (
	"net/http"
	"strconv"
	"time"

	"entrepot/internal/exports"
)

// fileTime is how long sending a file may take at most; each step of it has stepTime.
const fileTime = time.Hour

// download is a file that is sent as it is read from the store.
type download struct{ export exports.Export }

// sendFile sends a file. When that ends early, the caller sees that bytes are missing.
func (a *API) sendFile(w http.ResponseWriter, r *request, d *download) {
	w.Header().Set("Content-Length", strconv.FormatInt(d.export.Size, 10))
	w.WriteHeader(http.StatusOK)
	if r.http.Method == http.MethodHead {
		return
	}
	to := steady{w, http.NewResponseController(w), time.Now().Add(fileTime)}
	if err := exports.WriteFile(r.ctx(), a.DB, d.export, to); err != nil && r.ctx().Err() == nil {
		a.Log.Warn("a file was not sent completely", "id", r.id, "error", err)
	}
}

// steady is a connection on which each write has stepTime.
type steady struct {
	http.ResponseWriter
	control *http.ResponseController
	last    time.Time
}

// Write implements io.Writer.
func (s steady) Write(p []byte) (int, error) {
	_ = s.control.SetWriteDeadline(earlier(time.Now().Add(stepTime), s.last)) // without a connection, in tests, nothing can stall
	return s.ResponseWriter.Write(p)
}
