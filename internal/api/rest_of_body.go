package api

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// What is read of the body of a request that was refused before its end: a larger one, or one that takes longer, is cut off.
const (
	restBytes = 32 << 20
	restTime  = 5 * time.Second
)

// takeRest reads and drops what is left of a body. Most clients send all of it before they listen: if the connection were
// closed on them, they would see a broken one and never the answer that says why (413, 401, 429).
func takeRest(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength > restBytes || strings.EqualFold(r.Header.Get("Expect"), "100-continue") {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(restTime)) // a client that stalls is not waited for
	_, _ = io.CopyN(io.Discard, r.Body, restBytes)                              // what goes wrong here the answer cannot mend
}
