package platforms

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest/story"
	"entrepot/internal/dbtest"
)

// hostileBodies are answers that come in place of a platform's: each ends by itself.
func hostileBodies() []http.HandlerFunc {
	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	_, _ = packed.Write(make([]byte, 32<<20))
	_ = packed.Close()
	say := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		}
	}
	return []http.HandlerFunc{
		func(w http.ResponseWriter, _ *http.Request) { // small only while it is packed
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		},
		func(w http.ResponseWriter, _ *http.Request) { // a byte at a time, and never whole
			for range 20 {
				_, _ = io.WriteString(w, "{")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(10 * time.Millisecond)
			}
			panic(http.ErrAbortHandler)
		},
		func(w http.ResponseWriter, _ *http.Request) { // shorter than announced
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"data":`)
		},
		say("<!DOCTYPE html><html><h1>Just a moment…</h1></html>"),
		say("{\"data\":{\"orders\":[{\"id\":\"\xff\xfe"),
	}
}

// A man in between gives hostile bodies in place of some answers, whether or not the platform has done what was asked: on
// every platform the story ends as if he had not been there, without any of the platform's own faults. The first requests for
// new tokens always meet him, but before the platform sees them: a refresh token that is valid once is spent by a request
// whose answer is lost, and then only the seller can authorise the channel again.
func TestStoryWithHostileBodies(t *testing.T) {
	dbtest.Long(t, "a shop of each platform lives through a whole story behind a hostile man")
	t.Parallel()
	bodies := hostileBodies()
	for _, shop := range shops() {
		t.Run(shop.Platform, func(t *testing.T) {
			t.Parallel()
			var requests, hostile, renewals atomic.Int64
			inner := shop.Handler
			shop.Faults = nil
			shop.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n := requests.Add(1)
				if strings.HasSuffix(r.URL.Path, "/token/refresh") {
					if k := renewals.Add(1); k <= int64(len(bodies)) {
						hostile.Add(1)
						bodies[k-1](w, r)
						return
					}
					inner.ServeHTTP(w, r)
					return
				}
				if n%13 != 0 || n < 30 { // the story begins with a connection test
					inner.ServeHTTP(w, r)
					return
				}
				if k := hostile.Add(1); k%2 == 0 {
					inner.ServeHTTP(httptest.NewRecorder(), r)
				} else {
					_, _ = io.Copy(io.Discard, r.Body)
				}
				bodies[int(hostile.Load())%len(bodies)](w, r)
			})
			story.Run(t, unstarted(t, "sqlite").timed().begin(), shop, story.Size{Products: 16, Orders: 20, Outage: time.Hour, Failing: true})
			if hostile.Load() < 5 {
				t.Errorf("%d hostile answers of %d", hostile.Load(), requests.Load())
			}
			if tokens := renewals.Load(); shop.Platform == "TIKTOK_SHOP" && tokens <= int64(len(bodies)) {
				t.Errorf("%d requests for new tokens: not all hostile bodies came", tokens)
			}
		})
	}
}
