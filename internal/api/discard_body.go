package api

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// Limits of reading the remainder of a refused request's body; after them the connection is closed.
const (
	restBytes = 32 << 20
	restTime  = 5 * time.Second
)

// takeRest reads and drops the remainder of a body. Most clients send all of it before they read the answer. If the
// connection were closed before, they would see a broken connection and not the answer that explains it (413, 401,
// 429).
func takeRest(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength > restBytes || strings.EqualFold(r.Header.Get("Expect"), "100-continue") {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(restTime)) // a client that stalls is cut off
	// an error here changes nothing of the answer
	_, _ = io.CopyN(io.Discard, r.Body, restBytes)
}
