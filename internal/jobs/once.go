package jobs

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// InsertOnce queues a new job of a channel with an input, due now, unless one of its type is waiting: that one covers
// the request. Two that are queued at the same moment may both be stored; the second then finds nothing to do.
func InsertOnce(tx db.Writer, kind Type, channel id.Channel, input string) {
	tx.Queue(`INSERT INTO jobs (tenant_id, id, type, channel_id, status, total, processed, created, updated, failed, errors, input, cursor,
			tries, due_at, created_at)
		SELECT $1::BIGINT, $2::UUID, $3::TEXT, $4::UUID, 'PENDING', 0, 0, 0, 0, 0, '[]', $6::TEXT, '', 0, $5::BIGINT, $5::BIGINT
		WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE tenant_id = $1 AND channel_id = $4::UUID AND type = $3 AND status = 'PENDING'
			AND due_at IS NOT NULL)`,
		tx.TenantID(), id.New[id.Job](), string(kind), channel, tx.Micros(), input)
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

// Amend replaces the input of a waiting job. It returns false, and changes nothing, if the job has started since it was read.
func Amend(tx *db.Tx, j Job, input string) (bool, error) {
	n, err := tx.Exec("UPDATE jobs SET input = $4 WHERE tenant_id = $1 AND id = $2::UUID AND tries = $3 AND status = 'PENDING' "+
		"AND due_at IS NOT NULL", tx.Tenant, j.ID, j.Tries, input)
	return n == 1, err
}
