package jobs

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// EndOfChannel queues the end of every job of a channel that is deleted; errors, a JSON list, says so.
func EndOfChannel(tx db.Writer, channel id.Channel, errors string) {
	tx.Queue(`UPDATE jobs SET status = 'FAILED', errors = $4,
			started_at = coalesce(started_at, $3::BIGINT), completed_at = $3, due_at = NULL
		WHERE tenant_id = $1 AND channel_id = $2::UUID AND due_at IS NOT NULL`, tx.TenantID(), channel, tx.Micros(), errors)
}
