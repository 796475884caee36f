package webhooks

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// Status says whether an endpoint's deliveries are sent now.
type Status string

// The statuses. A paused endpoint keeps its queue.
const (
	Active Status = "active"
	Paused Status = "paused"
)

// Statuses lists them.
var Statuses = []Status{Active, Paused}

// All subscribes to every event, including kinds that later releases add.
const All = "*"

// Endpoint is where an account wants events sent (interface §2.7.10).
type Endpoint struct {
	ID             id.Endpoint
	URL            string
	Secret         string // encrypted
	OldSecret      string // encrypted, or ""; it signs too until OldSecretUntil
	OldSecretUntil int64
	Events         []string // names, or All alone
	Description    string
	Status         Status
	Ordered        bool  // events of one resource strictly in commit order
	Since          int64 // stamp after which it gets events
	CreatedAt      int64
	UpdatedAt      int64

	MadeByKey  id.Key  // the key that chose where which events go, "" for a user or the service itself
	MadeByUser id.User // the user who chose it, or who made that key; "" for none

	keyUntil   int64  // when that key ends, 0 if it was revoked
	keyScopes  string // of that key, with spaces between them
	userStatus string // of that user, "" if it was deleted
	readAt     int64
}

// PausedReason says why the endpoint gets nothing although nobody paused it: its maker may not read the events any
// more (interface §4.5.9). It is "" otherwise.
func (e *Endpoint) PausedReason() string {
	switch {
	case e.MadeByUser != "" && e.userStatus == "":
		return "the user who made it was deleted"
	case e.MadeByUser != "" && e.userStatus != "active":
		return "the user who made it is disabled"
	case e.MadeByKey != "" && e.keyUntil == 0:
		return "the API key that made it was revoked"
	case e.MadeByKey != "" && e.keyUntil <= e.readAt:
		return "the API key that made it has expired"
	}
	for _, scope := range ReadScopes(e.Events) {
		if !e.reads(scope) {
			return "the API key that made it lacks the scope " + scope
		}
	}
	return ""
}

// reads reports whether the endpoint's maker has a read scope: every user has.
func (e *Endpoint) reads(scope string) bool {
	scopes := strings.Fields(e.keyScopes)
	return e.MadeByKey == "" || slices.Contains(scopes, scope) || slices.Contains(scopes, "write"+strings.TrimPrefix(scope, "read"))
}

// MayGet reports whether an event may be sent there, also if it was queued when the endpoint was subscribed to others.
func (e *Endpoint) MayGet(event string) bool { return e.reads(ReadScope(event)) }

// State is the status that callers see: paused as well while there is a PausedReason.
func (e *Endpoint) State() Status {
	if e.PausedReason() != "" {
		return Paused
	}
	return e.Status
}

// MadeBy makes somebody answer for where the endpoint's events go.
func (e *Endpoint) MadeBy(key id.Key, scopes []string, user id.User) {
	e.MadeByKey, e.MadeByUser, e.keyUntil, e.keyScopes, e.userStatus = key, user, never, strings.Join(scopes, " "), "active"
}

// Wants reports whether the endpoint is subscribed to an event.
func (e *Endpoint) Wants(event string) bool {
	return len(e.Events) == 1 && e.Events[0] == All || slices.Contains(e.Events, event)
}

// Insert stores a new endpoint with its queue. It receives the events that are committed after it. Errors: Conflict
// when the account has limits.MaxEndpoints; they are counted after the change clock is taken, so the limit is exact.
func (e *Endpoint) Insert(tx db.Writer) {
	e.CreatedAt, e.UpdatedAt = tx.Micros(), tx.Micros()
	endpointTable.InsertFrom(tx, *e, "WHERE (SELECT count(*) FROM endpoints "+living+") < "+strconv.Itoa(limits.MaxEndpoints)).
		Rows(1, apperr.New(apperr.Conflict, "too_many_endpoints",
			"an account has at most %d webhook endpoints: remove one that is not needed any more", limits.MaxEndpoints))
	tx.Change(`INSERT INTO dispatch_cursors (tenant_id, stamp) VALUES ($1, `+db.Clock+` + $2::BIGINT) ON CONFLICT DO NOTHING`,
		tx.TenantID(), tx.Stamps(1))
	tx.Queue(`INSERT INTO queues (tenant_id, endpoint_id, due_at, holder, pending, delivered, failed) VALUES ($1,$2,NULL,'',0,0,0)`,
		tx.TenantID(), e.ID)
}

// Save writes every column of an endpoint but its identity, and has a node read its queue.
func (e *Endpoint) Save(tx db.Writer) {
	e.UpdatedAt = tx.Micros()
	endpointTable.Update(tx, e, "id = $2::UUID AND deleted_at IS NULL", e.ID).Rows(1, endpointTable.Missing())
	schedule(tx, tx.Change, e.ID)
}

// Delete deletes an endpoint: nothing is sent to it any more. A maintenance task deletes its deliveries later, in
// small steps.
func (e *Endpoint) Delete(tx db.Writer) {
	tx.Queue("UPDATE endpoints SET deleted_at = $3, secret = '', old_secret = '' WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL",
		tx.TenantID(), e.ID, tx.Micros()).Rows(1, endpointTable.Missing())
	tx.Change("DELETE FROM queues WHERE tenant_id = $1 AND endpoint_id = $2", tx.TenantID(), e.ID)
	tx.Wake(Due)
}

// living is the condition for the account's endpoints that are not deleted.
const living = "WHERE tenant_id = $1 AND deleted_at IS NULL"

// endpointScanner scans endpoints as they are at a time.
func endpointScanner(now int64) func(db.Rows) (Endpoint, error) {
	scan := endpointTable.Scanner()
	return func(r db.Rows) (Endpoint, error) {
		e, err := scan(r)
		e.readAt = now
		return e, err
	}
}

// RightsChanged has nodes look again at the endpoints that a key, a user, or a key of that user made, because what
// they may do has changed; "" for none.
func RightsChanged(tx db.Writer, key id.Key, user id.User) {
	const theirs = " WHERE tenant_id = $1 AND endpoint_id IN (SELECT id FROM endpoints " + living +
		" AND (made_by_key = $2::UUID OR made_by_user = $3::UUID))"
	args := []any{tx.TenantID(), db.Null(key), db.Null(user)}
	// see lockQueues
	tx.Change("SELECT pending FROM queues"+theirs+" ORDER BY endpoint_id FOR UPDATE", args...).Reads = true
	tx.Change("UPDATE queues SET due_at = $4"+theirs, append(args, tx.Micros())...)
	tx.Wake(Due)
}

// readEndpoints reads the endpoints that end, the end of the statement, selects.
func readEndpoints(tx *db.Tx, end string, args ...any) ([]Endpoint, error) {
	return db.List(tx, endpointScanner(tx.Micros()), "SELECT "+endpointTable.Columns("")+" FROM endpoints "+living+end, append([]any{tx.Tenant},
		args...)...)
}

// ByID reads an endpoint. Errors: NotFound.
func ByID(tx *db.Tx, endpoint id.Endpoint) (*Endpoint, error) {
	return oneEndpoint(tx, " AND id = $2::UUID", endpoint)
}

// Lock reads an endpoint and locks it until the end of the transaction. Errors: NotFound.
func Lock(tx *db.Tx, endpoint id.Endpoint) (*Endpoint, error) {
	return oneEndpoint(tx, " AND id = $2::UUID FOR UPDATE", endpoint)
}

// lockEndpoints locks all endpoints of the account until the end of the transaction.
func lockEndpoints(tx *db.Tx) error {
	return tx.Each(func(r db.Rows) error { return r.Scan(new(id.Endpoint)) },
		"SELECT id FROM endpoints WHERE tenant_id = $1 ORDER BY id FOR UPDATE", tx.Tenant)
}

func scanEndpointID(r db.Rows) (e id.Endpoint, err error) { return e, r.Scan(&e) }

func oneEndpoint(tx *db.Tx, end string, endpoint id.Endpoint) (*Endpoint, error) {
	e, err := endpointTable.First(readEndpoints(tx, end, endpoint))
	return &e, err
}

// prefetchEndpoint reads an endpoint; it leaves nil if there is none.
func prefetchEndpoint(tx *db.Tx, endpoint id.Endpoint, into **Endpoint) *db.PendingRead {
	scan := endpointScanner(tx.Micros())
	return tx.Prefetch(func(r db.Rows) error {
		e, err := scan(r)
		*into = &e
		return err
	}, "SELECT "+endpointTable.Columns("")+" FROM endpoints "+living+" AND id = $2::UUID", tx.Tenant, endpoint)
}

// Endpoints reads a page of an account's endpoints, oldest first, and how many there are.
func Endpoints(tx *db.Tx, limit, offset int) (list []Endpoint, total int64, err error) {
	counted := tx.Prefetch(func(r db.Rows) error { return r.Scan(&total) }, "SELECT count(*) FROM endpoints "+living, tx.Tenant)
	list, err = readEndpoints(tx, " ORDER BY id LIMIT $2 OFFSET $3", limit, offset)
	return list, total, errors.Join(err, counted.Wait())
}

// Counts are how many of an endpoint's deliveries are in each state.
type Counts struct{ Pending, Delivered, Failed int64 }

// Tally reads an endpoint's counts, which writes keep up to date. Errors: NotFound.
func Tally(tx *db.Tx, endpoint id.Endpoint) (Counts, error) {
	return countTable.One(tx, db.NoLock, "endpoint_id = $2", endpoint)
}

// add counts n deliveries as being in a state.
func (c *Counts) add(s State, n int64) {
	switch s {
	case Pending:
		c.Pending += n
	case Delivered:
		c.Delivered += n
	case Failed:
		c.Failed += n
	}
}

// Of is how many deliveries are in a state, or in any state for "".
func (c Counts) Of(s State) int64 {
	switch s {
	case Pending:
		return c.Pending
	case Delivered:
		return c.Delivered
	case Failed:
		return c.Failed
	}
	return c.Pending + c.Delivered + c.Failed
}
