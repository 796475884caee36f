package api

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/webhooks"
)

// caller is one kind of caller: the credentials that it sends, and the answer it must get.
type caller struct {
	name   string
	header map[string]string
	status int    // 0: as the request says
	scope  string // requiredScope of a 403
}

// credentials are those that are valid for nothing any more, or never were, and those of users with few rights.
type credentials struct {
	revoked, expired, channel                   string // keys
	lapsed, left, disabled, void, viewer, admin string // tokens
}

// credentials makes them; it moves the clock, so it comes before every other.
func (w *fixture) credentials() (c credentials) {
	w.t.Helper()
	user, lapsed := w.user(accounts.Admin)
	w.now.move(accounts.TokenLife + time.Minute)
	w.token = w.newToken(w.owner)
	c.lapsed = lapsed
	c.left = w.newToken(user)
	w.makeAs("POST", "/api/v1/auth/logout", nil, withToken(c.left))
	user, c.disabled = w.user(accounts.Admin)
	w.makeAs("PATCH", "/api/v1/users/"+string(user.ID), member{"status": "disabled"}, w.asOwner())
	user, c.void = w.user(accounts.Admin)
	w.makeAs("DELETE", "/api/v1/users/"+string(user.ID), nil, w.asOwner())
	_, c.viewer = w.user(accounts.Viewer)
	_, c.admin = w.user(accounts.Admin)
	w.write(w.tenant, func(tx *db.Tx) error {
		key, secret, err := w.Commerce.CreateKey(tx, accounts.Caller{}, commerce.KeyDraft{Name: "revoked", Scopes: accounts.AllScopes})
		c.revoked = secret
		if err != nil {
			return err
		}
		return w.Commerce.RevokeKey(tx, accounts.Caller{}, key.ID)
	})
	w.write(w.tenant, func(tx *db.Tx) (err error) {
		_, c.expired, err = w.Commerce.CreateKey(tx, accounts.Caller{},
			commerce.KeyDraft{Name: "expired", Scopes: accounts.AllScopes, ExpiresAt: tx.Now()})
		return err
	})
	c.channel = text(w.make("POST", "/api/v1/channels", member{"name": "ERP", "platform": "CUSTOM"}), "data", "apiKey", "key")
	return c
}

const unknown = "0123456789012345678901234567890123456789"

// strangers are callers that no route but a public one accepts (interface §5.1).
func (w *fixture) strangers(r *route, c credentials) []caller {
	list := []caller{
		{name: "no credential"},
		{name: "unknown key", header: withKey("pk_live_" + unknown)},
		{name: "empty key", header: withKey("")},
		{name: "odd key", header: withKey("' OR 1=1 --")},
		{name: "revoked key", header: withKey(c.revoked)},
		{name: "expired key", header: withKey(c.expired)},
		{name: "unknown token", header: withToken("at_" + unknown)},
		{name: "lapsed token", header: withToken(c.lapsed)},
		{name: "token of someone who left", header: withToken(c.left)},
		{name: "token of a disabled user", header: withToken(c.disabled)},
		{name: "token of a removed user", header: withToken(c.void)},
		{name: "token as key", header: withKey(w.token)},
		{name: "another scheme", header: map[string]string{"Authorization": "Basic " + w.key}},
		{name: "unknown key beside a good token",
			header: map[string]string{"X-API-Key": "pk_live_" + unknown, "Authorization": "Bearer " + w.token}},
	}
	if r.access == keyHeader {
		list = append(list, caller{name: "owner's token", header: w.asOwner()}, caller{name: "key as token", header: withToken(w.key)})
	}
	for i := range list {
		list[i].status = http.StatusUnauthorized
	}
	return list
}

// powerless are callers whose credential is good and does not suffice (interface §5.1).
func (w *fixture) powerless(r *route, scope string, c credentials) (list []caller) {
	refused := func(name string, header map[string]string, scope string) {
		list = append(list, caller{name, header, http.StatusForbidden, scope})
	}
	if r.access == loginOnly {
		refused("key of every scope", withKey(w.key), "login")
		refused("key as token", withToken(w.key), "login")
		refused("channel's key", withKey(c.channel), "login")
		if strings.HasPrefix(r.path, "/api/v1/developer/api-keys") {
			refused("viewer", withToken(c.viewer), "role:admin")
		}
	}
	if scope == "" {
		return list
	}
	verb, resource, _ := strings.Cut(scope, ":")
	without := w.keyWithout("write:"+resource, "read:"+resource)
	refused("key of every other resource", withKey(without), scope)
	if verb == "write" {
		refused("key of every other scope", withKey(w.keyWithout(scope)), scope)
		if r.access != keyHeader {
			refused("viewer", withToken(c.viewer), scope)
		}
	}
	if r.access != keyHeader {
		refused("key of every other resource as token", withToken(without), scope)
	}
	if !slices.Contains(accounts.ChannelScopes, scope) {
		refused("channel's key", withKey(c.channel), scope)
	}
	return list
}

// admitted are callers that the route must accept.
func (w *fixture) admitted(r *route, m row, c credentials) (list []caller) {
	scope := m.needs(r)
	may := func(name string, header map[string]string) { list = append(list, caller{name: name, header: header}) }
	if r.access != loginOnly {
		needed := scope
		if needed == "" {
			needed = "read:analytics"
		}
		if m.reads {
			may("key of this scope alone", withKey(w.keyOf(append(webhooks.ReadScopes([]string{webhooks.All}), needed)...)))
		} else {
			may("key of this scope alone", withKey(w.keyOf(needed)))
		}
		may("key beside an unknown token", map[string]string{"X-API-Key": w.key, "Authorization": "Bearer at_" + unknown})
		if resource, ok := strings.CutPrefix(needed, "read:"); ok {
			may("key of the write scope", withKey(w.keyOf("write:"+resource)))
		}
		if scope == "" || slices.Contains(accounts.ChannelScopes, scope) {
			may("channel's key", withKey(c.channel))
		}
	}
	if r.access == anyCredential {
		may("key as token", withToken(w.key))
	}
	if r.access != keyHeader {
		may("owner", w.asOwner())
		may("admin", withToken(c.admin))
		if (scope == "" || strings.HasPrefix(scope, "read:")) && !strings.HasPrefix(r.path, "/api/v1/developer/api-keys") {
			may("viewer", withToken(c.viewer))
		}
	}
	return list
}

// eachRoute runs a check of every route that has a row, on each engine.
func eachRoute(t *testing.T, check func(w *fixture, r *route, made row)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			w := newFixture(t, engine)
			start := time.Now()
			for _, r := range routes() {
				if made := rows[r.method+" "+r.path]; made.req != nil { // else TestEveryRouteHasARow fails
					check(w, r, made)
				}
			}
			t.Logf("%d routes, %d requests in %v", len(routes()), w.validator.answers, time.Since(start).Round(time.Millisecond))
		})
	}
}

// needs is the scope of an operation.
func (m row) needs(r *route) string { return cmp.Or(m.scope, r.scope) }

// Every operation is refused to those who must not call it, and nothing changes (interface §5.1, §7).
func TestRefusedCallers(t *testing.T) {
	dbtest.Long(t, "every route is called")
	t.Parallel()
	var c credentials
	var other *fixture
	eachRoute(t, func(w *fixture, r *route, made row) {
		if other == nil || other.API != w.API {
			c, other = w.credentials(), w.neighbour()
		}
		a, callers := made.req(w), append(w.strangers(r, c), w.powerless(r, made.needs(r), c)...)
		if r.access == public { // credentials mean nothing there
			callers = []caller{{name: "odd credentials", header: map[string]string{"X-API-Key": "nonsense", "Authorization": "Bearer nonsense"}}}
		}
		before := append(w.dump(), other.dump()...)
		for _, h := range callers {
			w.expect(r, a, h)
		}
		if d := differ(before, append(w.dump(), other.dump()...)); d != "" && r.access != public {
			w.t.Errorf("%s %s: a refused request changed the store:\n%s", r.method, r.path, d)
		}
	})
}

// Every operation accepts each kind of caller that may call it, with no more scopes than it needs (interface §5.1).
func TestAdmittedCallers(t *testing.T) {
	dbtest.Long(t, "every route is called")
	t.Parallel()
	var c credentials
	var api *API
	eachRoute(t, func(w *fixture, r *route, made row) {
		if api != w.API {
			api, c = w.API, w.credentials()
		}
		if r.access == public || made.own {
			return
		}
		for _, h := range w.admitted(r, made, c) {
			if w.DB.Engine() == "sqlite" || r.method == http.MethodGet || h.name == "key of this scope alone" {
				w.expect(r, made.req(w), h)
			}
		}
	})
}

// Another account's ids are not found, and nothing of one account is seen or changed with the other's credential, though both
// have the same SKUs, references, codes and e-mail addresses (interface §5.1, §7).
func TestForeignAccounts(t *testing.T) {
	dbtest.Long(t, "every route is called")
	var other *fixture
	eachRoute(t, func(w *fixture, r *route, made row) {
		if other == nil || other.API != w.API {
			other = w.neighbour()
		}
		w.checkForeign(r, made, other)
		if r == w.table.routes[len(w.table.routes)-1] {
			w.checkApart(other)
		}
	})
}

// expect sends a request as one kind of caller and checks the answer.
func (w *fixture) expect(r *route, a req, h caller) {
	w.t.Helper()
	want := h.status
	if want == 0 {
		want = a.wants(r)
	}
	got := w.send(r, a, h.header)
	if got.status != want {
		w.t.Errorf("%s %s called by %s: %d, not %d: %s", r.method, r.path, h.name, got.status, want, short(got.body))
		return
	}
	if got.status < 300 && h.scope == "" { // which may be a file
		return
	}
	if scope := text(got.json(w.t), "requiredScope"); scope != h.scope {
		w.t.Errorf("%s %s called by %s: requiredScope %q, not %q", r.method, r.path, h.name, scope, h.scope)
	}
}

// checkForeign makes the other account request this one's records: by the path, by parts of the path, by the body, by
// the query. Requests that must be refused come first: after them neither account may have changed, and after the rest
// this one may not.
func (w *fixture) checkForeign(r *route, made row, other *fixture) {
	w.t.Helper()
	if r.access == public || made.own {
		return
	}
	mine, theirs := made.req(w), made.req(other)
	places := pathParameter.FindAllStringSubmatch(r.path, -1)
	type foreign struct {
		what string
		req  req
		want int
	}
	list := []foreign{{"all", mine, cmp.Or(made.foreign, mine.wants(r))}}
	if made.foreign == 0 && (len(places) > 0 || made.held) {
		list[0].want = http.StatusNotFound
	}
	if len(places) > 1 {
		for _, one := range places {
			a := theirs
			a.ids = maps.Clone(theirs.ids)
			a.ids[one[1]] = mine.ids[one[1]]
			list = append(list, foreign{"{" + one[1] + "}", a, http.StatusNotFound})
		}
	}
	if made.held {
		a := theirs
		a.body = exchange(string(encode(w.t, theirs.body)), string(encode(w.t, mine.body)))
		list = append(list, foreign{"ids of the body", a, cmp.Or(made.mixed, http.StatusNotFound)})
	}
	for _, name := range queryNames(r) {
		if make := queryIDs[name]; make != nil && len(places) == 0 {
			a := theirs
			a.query = name + "=" + make(w)
			list = append(list, foreign{name, a, http.StatusOK})
		}
	}
	slices.SortStableFunc(list, func(a, b foreign) int { return b.want - a.want })
	before, ours := w.dump(), other.dump()
	known := strings.Join(before, "\n")
	for _, f := range list {
		if f.want < 400 && ours != nil {
			if d := differ(ours, other.dump()); d != "" {
				w.t.Errorf("%s %s: refused requests changed the account they came from:\n%s", r.method, r.path, d)
			}
			ours = nil
		}
		other.foreign(r, f.what, f.req, f.want, known)
	}
	if d := differ(before, w.dump()); d != "" {
		w.t.Errorf("%s %s: requests of another account changed this one:\n%s", r.method, r.path, d)
	}
}

// exchange puts the ids of one text in the places of the other's, in their order.
func exchange(into, from string) string {
	ids := uuid.FindAllString(from, -1)
	return uuid.ReplaceAllStringFunc(into, func(old string) string {
		if len(ids) == 0 {
			return old
		}
		first := ids[0]
		ids = ids[1:]
		return first
	})
}

// foreign makes a request that names something of another account, whose ids are known.
func (w *fixture) foreign(r *route, what string, a req, want int, known string) {
	w.t.Helper()
	got := w.send(r, a, w.credential(r, a))
	if got.status != want {
		w.t.Errorf("%s %s, another account's %s: %d, not %d: %s", r.method, r.path, what, got.status, want, short(got.body))
	}
	if list, _ := at(got.json(w.t), "data").([]any); queryIDs[what] != nil && len(list) > 0 {
		w.t.Errorf("%s %s, another account's %s: %s", r.method, r.path, what, short(got.body))
	}
	asked := fmt.Sprint(a.ids) + a.query + string(encode(w.t, a.body))
	for one := range idsIn(string(got.body)) {
		if strings.Contains(known, one) && !strings.Contains(asked, one) {
			w.t.Errorf("%s %s, another account's %s: the answer shows %s of the other account: %s", r.method, r.path, what, one, short(got.body))
		}
	}
}

// queryIDs are ids that lists are filtered by: another account's find nothing, as those that do not exist.
var queryIDs = map[string]func(w *fixture) string{
	"channelId": (*fixture).channel, "customerId": (*fixture).customer, "categoryId": (*fixture).category, "parentId": (*fixture).category,
	"segmentId": (*fixture).newSegment, "endpointId": (*fixture).endpoint, "keyId": (*fixture).newAPIKey,
	"ids": func(w *fixture) string { w.sku(); return w.kept["product"] },
}

// checkApart looks whether any row of one account names anything of the other.
func (w *fixture) checkApart(other *fixture) {
	w.t.Helper()
	mine := idsIn(strings.Join(w.dump(), "\n"))
	for _, row := range other.dump() {
		for one := range idsIn(row) {
			if mine[one] {
				w.t.Errorf("a row of one account names %s, which the other one's do too: %s", one, row)
			}
		}
	}
}

// ownTime matches what the account's own look at a record moves.
var ownTime = regexp.MustCompile(`"(serverTime|lastUsedAt)":"[^"]*"`)

// What one account does is not seen by another, not even in its sums: every read answers the same before and after everything was
// done once in the neighbour's account.
func TestNeighboursAreNotSeen(t *testing.T) {
	dbtest.Long(t, "every route is called")
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			w := newFixture(t, engine)
			other := w.neighbour()
			type read struct {
				route *route
				req   req
				body  string
			}
			var reads []read
			for _, r := range routes() {
				if made := rows[r.method+" "+r.path]; r.method == http.MethodGet && made.req != nil {
					reads = append(reads, read{route: r, req: made.req(w)})
				}
			}
			look := func(one read) string {
				got := w.send(one.route, one.req, w.credential(one.route, one.req))
				return ownTime.ReplaceAllString(string(got.body), "")
			}
			for i := range reads {
				reads[i].body = look(reads[i])
			}
			for _, r := range routes() {
				if made := rows[r.method+" "+r.path]; r.method != http.MethodGet && made.req != nil {
					a := made.req(other)
					other.send(r, a, other.credential(r, a))
				}
			}
			for _, one := range reads {
				if now := look(one); now != one.body {
					t.Errorf("GET %s shows what a neighbour did:\n%s\n%s", one.route.path, short([]byte(one.body)), short([]byte(now)))
				}
			}
		})
	}
}
