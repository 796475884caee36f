package jobs

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// InsertOnce queues a new job of a channel with an input, due now, unless one of its type is waiting: that one covers
// the request. Two jobs that are queued at the same moment may both be stored; the second then finds nothing to do.
func InsertOnce(tx db.Writer, kind Type, channel id.Channel, input string) {
	table.InsertFrom(tx, Job{ID: id.At[id.Job](tx.Micros()), Type: kind, Channel: channel, Status: Pending, Errors: "[]", Input: input,
		DueAt: tx.Micros(), CreatedAt: tx.Micros()},
		`WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.tenant_id = $1 AND jobs.channel_id = v.channel_id AND jobs.type = v.type
			AND jobs.status = v.status AND jobs.due_at IS NOT NULL)`)
	tx.Wake(Topic)
}

// PendingOnChannel is the waiting job of a type for a channel; nil if there is none.
func PendingOnChannel(tx *db.Tx, kind Type, channel id.Channel) (*Job, error) {
	list, err := read(tx, `WHERE j.tenant_id = $1 AND j.channel_id = $2 AND j.type = $3 AND j.status = 'PENDING'
		AND j.due_at IS NOT NULL ORDER BY j.due_at, j.id LIMIT 1`, tx.Tenant, channel, string(kind))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// OthersDue reports whether jobs of other types that call a channel's platform are due.
func OthersDue(tx *db.Tx, kind Type, channel id.Channel) (bool, error) {
	var n int64
	err := tx.Row("SELECT count(*) FROM jobs j WHERE j.tenant_id = $1 AND j.channel_id = $2::UUID AND j.status = 'PENDING' "+
		"AND j.due_at <= $3 AND "+known+" AND "+onChannel+" AND j.type <> $4", []any{tx.Tenant, channel, tx.Micros(), string(kind)}, &n)
	return n > 0, err
}

// Amend saves the input, the number of items, the time and the cursor of a waiting job. It returns false, and changes
// nothing, if the job has started since it was read.
func Amend(tx *db.Tx, j Job) (bool, error) {
	n, err := tx.Exec("UPDATE jobs SET input = $4, total = $5, due_at = $6, cursor = $7 WHERE tenant_id = $1 AND id = $2::UUID "+
		"AND tries = $3 AND status = 'PENDING' AND due_at IS NOT NULL", tx.Tenant, j.ID, j.Tries, j.Input, j.Total, j.DueAt, j.Cursor)
	return n == 1, err
}
