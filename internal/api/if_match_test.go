package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
)

// recordPath is the path of the single read whose ETag a route takes as If-Match: that of the record at the head of the route's path.
func recordPath(path string) string {
	if before, _, found := strings.Cut(path, "}"); found {
		return before + "}"
	}
	return path
}

// Whatever changes a record that can be read takes If-Match, and what takes it has such a read (interface §4.6).
func TestRoutesThatTakeIfMatch(t *testing.T) {
	reads := map[string]bool{}
	for _, r := range routes() {
		reads[r.path] = reads[r.path] || r.method == http.MethodGet
	}
	for _, r := range routes() {
		changes := r.method == http.MethodPatch || r.method == http.MethodPut
		if changes && reads[r.path] && !r.ifMatch {
			t.Errorf("%s %s does not take If-Match", r.method, r.path)
		}
		if r.ifMatch && (!reads[recordPath(r.path)] || r.method == http.MethodGet) {
			t.Errorf("%s %s takes If-Match: of which read?", r.method, r.path)
		}
	}
}

// A route that takes If-Match refuses a version that is not the current one, changes nothing, and takes the current one; no other route
// looks at it (interface §4.6).
func TestIfMatchOfEveryRoute(t *testing.T) {
	dbtest.Long(t, "it calls every route that takes If-Match many times")
	t.Parallel()
	const stale = `"AAAAAAAAAAAAAAAAAAAAAAAA"`
	eachRoute(t, func(w *fixture, r *route, made row) {
		if r.method == http.MethodGet {
			return
		}
		a := made.req(w)
		with := func(tags string) map[string]string {
			header := map[string]string{"If-Match": tags}
			for name, value := range w.credential(r, a) {
				header[name] = value
			}
			return header
		}
		if !r.ifMatch {
			if got := w.send(r, a, with(stale)); got.status != a.wants(r) {
				w.t.Errorf("%s %s with If-Match: %d, not %d: %s", r.method, r.path, got.status, a.wants(r), short(got.body))
			}
			return
		}
		before := w.dump()
		if got := w.send(r, a, with(stale)); got.status != http.StatusPreconditionFailed {
			w.t.Errorf("%s %s of a version that is not current: %d %s", r.method, r.path, got.status, short(got.body))
		}
		if d := differ(before, w.dump()); d != "" {
			w.t.Errorf("%s %s of a version that is not current changed the store:\n%s", r.method, r.path, d)
		}
		record := &route{path: recordPath(r.path)}
		read := w.do(call{method: "GET", path: req{ids: a.ids}.target(record), header: w.asOwner(), noKey: true})
		if got := w.send(r, a, with(stale+", W/"+read.header.Get("ETag"))); got.status != a.wants(r) {
			w.t.Errorf("%s %s of the current version: %d %s", r.method, r.path, got.status, short(got.body))
		}
	})
}

// The answer to a change is the record as its next read shows it, moments of change included.
func TestAnswersOfChangesAreReads(t *testing.T) {
	dbtest.Long(t, "every route that changes a record is called")
	reads := map[string]bool{}
	for _, r := range routes() {
		reads[r.path] = reads[r.path] || r.method == http.MethodGet
	}
	eachRoute(t, func(w *fixture, r *route, made row) {
		if r.method != http.MethodPatch && r.method != http.MethodPut || !reads[r.path] {
			return
		}
		for _, req := range append(made.more, made.req) {
			a := req(w)
			w.now.move(time.Second)
			changed := w.send(r, a, w.credential(r, a))
			if changed.status != http.StatusOK {
				continue
			}
			read := w.do(call{method: "GET", path: a.target(r), header: w.credential(r, a), noKey: true})
			if string(read.body) != string(changed.body) {
				w.t.Errorf("%s %s answers\n%s\nthe next read\n%s", r.method, r.path, changed.body, read.body)
			}
		}
	})
}
