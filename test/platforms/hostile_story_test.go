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
	"entrepot/internal/db/dbtest"
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
			for range 5 {
				_, _ = io.WriteString(w, "{")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Millisecond)
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

// hostileFirst is how many answers to each request are hostile: after as many a client has one try left.
const hostileFirst = 2

// A man in between gives hostile bodies in place of the first answers to each request, whether or not the platform has done what was
// requested: on every platform the story ends as if he had not been there, without any of the platform's own faults. Of requests for new
// tokens that are valid once the first ones meet him before the platform sees them: a token is spent by a request whose answer is lost, and
// then only the seller can authorise the channel again.
func TestStoryWithHostileBodies(t *testing.T) {
	dbtest.Long(t, "a shop of each platform lives through a whole story behind a hostile man")
	t.Parallel()
	bodies := hostileBodies()
	for _, shop := range shops() {
		t.Run(shop.Platform, func(t *testing.T) {
			t.Parallel()
			var hostile, renewals atomic.Int64
			var met meetings
			inner := shop.Handler
			shop.Faults = nil
			shop.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/token/refresh") {
					if k := renewals.Add(1); k <= int64(len(bodies)) {
						hostile.Add(1)
						bodies[k-1](w, r)
						return
					}
					inner.ServeHTTP(w, r)
					return
				}
				if met.count(r) >= hostileFirst {
					inner.ServeHTTP(w, r)
					return
				}
				k := hostile.Add(1)
				if k%2 == 0 {
					inner.ServeHTTP(httptest.NewRecorder(), r)
				}
				bodies[int(k)%len(bodies)](w, r)
			})
			story.Run(t, unstarted(t, "sqlite").timed().begin(), shop, story.Size{Products: 16, Orders: 20, Outage: time.Hour, Failing: true})
			if hostile.Load() < 50 {
				t.Errorf("%d hostile answers", hostile.Load())
			}
			if tokens := renewals.Load(); shop.Platform == "TIKTOK_SHOP" && tokens <= int64(len(bodies)) {
				t.Errorf("%d requests for new tokens: not all hostile bodies came", tokens)
			}
		})
	}
}
