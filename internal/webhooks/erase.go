package webhooks

import (
	"strconv"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// EventRef is an event that may contain data of the erased person.
type EventRef struct {
	Stamp    int64
	Resource string
}

// AuthorsNaming finds in the log, after a stamp, the events whose author's name or request id matches one of the
// patterns (db.Where.AndLike): callers choose both, and so may have written a person's name into them.
func AuthorsNaming(tx *db.Tx, after int64, patterns []string) ([]int64, error) {
	w := db.NewWhere(tx, "").And("stamp > ?", after)
	w.AndLike([]string{"actor_name", "request_id"}, patterns)
	return db.List(tx, func(r db.Rows) (stamp int64, err error) { return stamp, r.Scan(&stamp) },
		"SELECT stamp FROM events WHERE "+w.String()+" ORDER BY stamp", w.Args()...)
}

// ForgetAuthors queues the removal of the names and request ids of events' authors; their keys, users and channels
// stay.
func ForgetAuthors(tx db.Writer, stamps []int64) {
	db.Chunks(stamps, func(piece []int64) error {
		args := append([]any{tx.TenantID()}, db.Padded(piece)...)
		tx.Queue("UPDATE events SET actor_name = '', request_id = '' WHERE tenant_id = $1 AND stamp IN "+db.In(len(args)-1, 2), args...)
		return nil
	})
}

// Newest is the stamp of the newest event. Stamps grow in commit order: an event committed later has a greater one.
func Newest(tx *db.Tx) (stamp int64, err error) {
	return stamp, tx.Row("SELECT coalesce(max(stamp), 0) FROM events WHERE tenant_id = $1", []any{tx.Tenant}, &stamp)
}

// EventsNaming finds in the log, after a stamp, the events whose payload contains one of the ids. It reads all of
// these events.
func EventsNaming(tx *db.Tx, after int64, ids []string) ([]EventRef, error) {
	args := []any{tx.Tenant, after}
	var any []string
	for _, text := range ids {
		args = append(args, "%"+text+"%")
		any = append(any, "payload LIKE $"+strconv.Itoa(len(args)))
	}
	return db.List(tx, scanRef,
		"SELECT stamp, resource_id FROM events WHERE tenant_id = $1 AND stamp > $2 AND ("+strings.Join(any, " OR ")+")", args...)
}

// EventsOf finds in the log, after a stamp, the events of some records. It leaves out those of products and levels:
// they come by the thousand and are in no index.
func EventsOf(tx *db.Tx, after int64, resources []string) (list []EventRef, err error) {
	return list, db.Chunks(resources, func(piece []string) error {
		args := append([]any{tx.Tenant, after}, db.Padded(piece)...)
		found, err := db.List(tx, scanRef,
			`SELECT stamp, resource_id FROM events WHERE tenant_id = $1 AND stamp > $2 AND event <> 'product.updated' AND event <> 'stock.updated'
				AND event <> 'product.created' AND event <> 'product.deleted' AND resource_id IN `+db.In(len(args)-2, 3), args...)
		list = append(list, found...)
		return err
	})
}

func scanRef(r db.Rows) (m EventRef, err error) { return m, r.Scan(&m.Stamp, &m.Resource) }

// LoggedEvent is an event of the log with its envelope.
type LoggedEvent struct {
	Stamp   int64
	Name    string
	Payload string
}

// LoadEvents reads events by their stamps, which must be sorted, in their order.
func LoadEvents(tx *db.Tx, stamps []int64) (list []LoggedEvent, err error) {
	return list, db.Chunks(stamps, func(piece []int64) error {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		found, err := db.List(tx, func(r db.Rows) (t LoggedEvent, err error) { return t, r.Scan(&t.Stamp, &t.Name, &t.Payload) },
			"SELECT stamp, event, payload FROM events WHERE tenant_id = $1 AND stamp IN "+db.In(len(args)-1, 2)+" ORDER BY stamp", args...)
		list = append(list, found...)
		return err
	})
}

// Edited is the topic on which the store wakes loops when payloads of the log were rewritten.
const Edited = "edited events"

// Rewrite replaces the envelopes of events, sorted by stamp, by those given: every later delivery sends the new ones.
// They are locked in the order in which DeleteOldEvents locks them.
func Rewrite(tx db.Writer, list []LoggedEvent) {
	db.Chunks(list, func(piece []LoggedEvent) error {
		args := append(make([]any, 0, 2+3*len(piece)), tx.TenantID(), tx.Micros())
		stamps := make([]int64, len(piece))
		for i, t := range piece {
			stamps[i], args = t.Stamp, append(args, t.Stamp, t.Payload, db.Checksum(t.Payload))
		}
		keys := append([]any{tx.TenantID()}, db.Padded(stamps)...)
		tx.LockRows("SELECT stamp FROM events WHERE tenant_id = $1 AND stamp IN "+db.In(len(keys)-1, 2)+" ORDER BY stamp FOR UPDATE", keys...)
		tx.Queue(rewriteText.For(len(piece), func(n int) string {
			return "WITH v(stamp, payload, checksum) AS (VALUES " + db.Values(n, 3, 3, "::BIGINT", "::TEXT", "::BIGINT") + `)
				UPDATE events SET payload = v.payload, checksum = v.checksum, edited_at = $2 FROM v
				WHERE events.tenant_id = $1 AND events.stamp = v.stamp`
		}), args...)
		tx.Wake(Edited)
		return nil
	})
}

var rewriteText db.Text

// ForgetAnswers deletes the answers of receivers to deliveries about some resources, because an answer may repeat the
// data it received. Outcomes of attempts under way are stored after this transaction, and without their answers (see
// keepAttempts).
func ForgetAnswers(tx *db.Tx, resources []string) error {
	// The rows of deleted endpoints are locked, as DeleteDeadEndpoint does: their queues, which are usually locked,
	// are gone.
	err := tx.Each(func(r db.Rows) error { return r.Scan(new(id.Endpoint)) },
		"SELECT id FROM endpoints WHERE tenant_id = $1 AND deleted_at IS NOT NULL ORDER BY id FOR UPDATE", tx.Tenant)
	if err != nil {
		return err
	}
	endpoints, err := db.List(tx, scanEndpointID, "SELECT id FROM endpoints WHERE tenant_id = $1 ORDER BY id", tx.Tenant)
	if err != nil {
		return err
	}
	lockQueues(tx, tx.Change, endpoints)
	for _, endpoint := range endpoints {
		db.Chunks(resources, func(piece []string) error {
			args := append([]any{tx.Tenant, endpoint}, db.Padded(piece)...)
			tx.Change(`UPDATE attempts SET response_body = NULL WHERE tenant_id = $1 AND endpoint_id = $2::UUID AND response_body IS NOT NULL
				AND position IN (SELECT position FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2::UUID AND resource_id IN `+
				db.In(len(args)-2, 3)+`)`, args...)
			return nil
		})
	}
	return nil
}
