package api

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"entrepot/internal/audit"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// refusals collects refused requests in memory, so that a refused request writes nothing itself. Equal ones are
// counted.
type refusals struct {
	mu    sync.Mutex
	seen  map[refusalKind]*audit.Refused
	words map[string]bool // the words that occur in the paths of routes
}

func newRefusals() *refusals {
	f := &refusals{seen: map[refusalKind]*audit.Refused{}, words: map[string]bool{}}
	for _, r := range routes() {
		for _, part := range strings.Split(r.path, "/") {
			f.words[part] = true
		}
	}
	return f
}

type refusalKind struct {
	tenant        id.Tenant
	key           id.Key
	user          id.User
	method, route string
	status        int
	code          string
}

// Bounds between two writes: of one account, so that one account's flood does not hide the others' refusals, and of
// the node.
const (
	accountRefusals = 50
	nodeRefusals    = 2000
)

// noteRefused counts a refused request whose account is known. Failed logins and platforms' notifications have logs of
// their own.
func (a *API) noteRefused(r *request, out answer) {
	if out.status < 400 || out.status >= 500 || out.status == statusHungUp || r.route == nil || r.route.access == public {
		return
	}
	who := r.caller
	if who.Tenant == 0 {
		if who = r.spent; who.Tenant == 0 {
			return
		}
	}
	route := r.route.path
	if route == "" {
		route = a.refused.shown(r.http.URL.Path)
	}
	kind := refusalKind{who.Tenant, who.Key, who.User, clip(r.http.Method, 16), route, out.status, out.code}
	a.refused.mu.Lock()
	defer a.refused.mu.Unlock()
	seen := a.refused.seen[kind]
	if seen == nil {
		if !a.refused.room(who.Tenant) {
			return
		}
		seen = &audit.Refused{Key: who.Key, User: who.User, Method: kind.method, Route: route, Status: int64(out.status), Code: out.code}
		a.refused.seen[kind] = seen
	}
	seen.Times++
	seen.At, seen.RequestID = a.DB.Now().UnixMicro(), keptRequestID(r.id)
}

// room reports whether another kind of refusal of an account can be stored.
func (f *refusals) room(tenant id.Tenant) bool {
	if len(f.seen) >= nodeRefusals {
		return false
	}
	own := 0
	for kind := range f.seen {
		if kind.tenant == tenant {
			own++
		}
	}
	return own < accountRefusals
}

// impersonal are request ids that cannot name a person: UUIDs, ULIDs, hexadecimal numbers.
var impersonal = regexp.MustCompile(`^([0-9a-fA-F-]{8,64}|[0-9A-HJKMNP-TV-Z]{26})$`)

func keptRequestID(given string) string {
	if impersonal.MatchString(given) {
		return given
	}
	return ""
}

// shown is the path of a request without a route: parts that no route has may name a person and become *.
func (f *refusals) shown(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, part := range parts {
		if !f.words[part] {
			parts[i] = "*"
		}
	}
	if len(parts) > 8 {
		parts = append(parts[:8], "…")
	}
	return "/" + strings.Join(parts, "/")
}

// flushRefused writes what was collected, one transaction for each account.
func (a *API) flushRefused(ctx context.Context) error {
	a.refused.mu.Lock()
	seen := a.refused.seen
	a.refused.seen = map[refusalKind]*audit.Refused{}
	a.refused.mu.Unlock()
	lists := map[id.Tenant][]audit.Refused{}
	for kind, refused := range seen {
		lists[kind.tenant] = append(lists[kind.tenant], *refused)
	}
	for _, tenant := range slices.Sorted(maps.Keys(lists)) {
		list := lists[tenant]
		slices.SortFunc(list, func(x, y audit.Refused) int { return cmp.Compare(x.At, y.At) })
		if err := a.DB.Write(ctx, tenant, func(tx *db.Tx) error { audit.RecordRefused(tx, list); return nil }); err != nil {
			return err // what was not written is lost, which a log for people permits
		}
	}
	return nil
}

func readRefusedFilter(q *apijson.Query) (page, audit.RefusedFilter) {
	p := readPage(q, 20, 100)
	return p, audit.RefusedFilter{Key: apijson.QueryID[id.Key](q, "keyId"), Status: int64(q.Int("status", 0, 0, 499)), Limit: p.Limit,
		Offset: p.Offset()}
}

// listRefusedRequests serves GET /api/v1/refused-requests: 200; 400, 403.
func (a *API) listRefusedRequests(r *request) (answer, error) {
	q := r.query()
	p, filter := readRefusedFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return a.list(r, p, func(tx *db.Tx, w *apijson.Writer) (int64, error) {
		list, total, err := audit.ListRefused(tx, filter)
		if err != nil {
			return 0, err
		}
		return total, writeRows(r, w, list, func(e *audit.Refused) { writeRefused(w, e) })
	})
}

func writeRefused(w *apijson.Writer, e *audit.Refused) {
	w.Record("RefusedRequest", "")
	apijson.ID(w, "id", e.ID)
	apijson.IDOrNull(w, "keyId", e.Key)
	apijson.IDOrNull(w, "userId", e.User)
	w.Text("method", e.Method)
	w.Text("route", e.Route)
	w.Int("statusCode", e.Status)
	w.Text("code", e.Code)
	w.TextOrNull("requestId", e.RequestID)
	w.Int("times", e.Times)
	w.Micros("at", e.At)
	w.End()
}

func sampleRefused(w *apijson.Writer) {
	e := audit.Refused{ID: "019a1c52-7c1e-7d40-9a55-000000000007", Key: records.SampleKey.ID, User: records.SampleUser.ID, Method: "PATCH",
		Route: "/api/v1/orders/{id}/status", Status: 422, Code: "invalid_transition", RequestID: "019a1c52-7c1e-7d40-9a55-000000000008",
		Times: 3, At: records.SampleTime}
	sampleList(w, func(w *apijson.Writer) { writeRefused(w, &e) })
}
