package webhooks

import (
	"strconv"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// EventRef is an event that may contain data of the erased person.
type EventRef struct {
	Stamp    int64
	Resource string
}

// Newest is the stamp of the newest event. Stamps grow in commit order: an event committed later has a greater one.
func Newest(tx *db.Tx) (stamp int64, err error) {
	return stamp, tx.Row("SELECT coalesce(max(stamp), 0) FROM events WHERE tenant_id = $1", []any{tx.Tenant}, &stamp)
}

// listSizes are the numbers of resources that one query of the log names.
var listSizes = []int{16, 256, 4096}

// FindEvents finds in the log, after a stamp, the events about some resources, and those whose payload contains one of
// the ids.
func FindEvents(tx *db.Tx, after int64, resources, ids []string) (list []EventRef, err error) {
	for first := true; first || len(resources) > 0; first = false {
		piece := resources[:min(listSizes[len(listSizes)-1], len(resources))]
		resources = resources[len(piece):]
		args := []any{tx.Tenant, after}
		var any []string
		if first {
			for _, text := range ids {
				args = append(args, "%"+text+"%")
				any = append(any, "payload LIKE $"+strconv.Itoa(len(args)))
			}
		}
		if len(piece) > 0 {
			n := len(args)
			for i, size := 0, sizeFor(len(piece)); i < size; i++ {
				args = append(args, piece[min(i, len(piece)-1)])
			}
			any = append(any, "resource_id IN "+db.In(len(args)-n, n+1))
		}
		if len(any) == 0 {
			break
		}
		found, err := db.List(tx, func(r db.Rows) (m EventRef, err error) { return m, r.Scan(&m.Stamp, &m.Resource) },
			"SELECT stamp, resource_id FROM events WHERE tenant_id = $1 AND stamp > $2 AND ("+strings.Join(any, " OR ")+")", args...)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

func sizeFor(n int) int {
	for _, size := range listSizes {
		if n <= size {
			return size
		}
	}
	return n
}

// LoggedEvent is an event of the log with its envelope.
type LoggedEvent struct {
	Stamp   int64
	Name    string
	Payload string
}

// LoadEvents reads events by their stamps, which must be sorted. Events are read and rewritten in that order, in which
// DeleteOldEvents locks them too.
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

// Rewrite replaces the envelope of an event: every later delivery sends the new one.
func (t LoggedEvent) Rewrite(tx db.Writer, payload string) {
	tx.Queue("UPDATE events SET payload = $3, edited_at = $4 WHERE tenant_id = $1 AND stamp = $2", tx.TenantID(), t.Stamp, payload,
		tx.Micros())
	tx.Wake(Edited)
}

// ForgetAnswers deletes the answers of receivers to deliveries about some resources, because an answer may repeat the
// data it received. Outcomes of attempts under way are stored after this transaction, and without their answers (see
// keepAttempts).
func ForgetAnswers(tx *db.Tx, resources []string) error {
	// The rows of deleted endpoints are locked, as DeleteDeadEndpoint does: their queues, which are usually locked, are gone.
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
