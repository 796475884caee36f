package jobs

import (
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// The statements of this file serve every tenant: they find jobs that are due.

// onChannel is true for jobs that call a channel's platform; the others only use the store.
const onChannel = "j.channel_id IS NOT NULL AND j.type <> 'product_import'"

// ClaimOnChannel leases the oldest due job that calls a channel's platform, of a channel with no running job; ok is
// false if there is none. Two nodes never run jobs of one channel at once.
func ClaimOnChannel(tx *db.Tx, lease time.Duration) (j Job, ok bool, err error) {
	if err := tx.LockName("jobs of channels"); err != nil {
		return j, false, err
	}
	var tenant id.Tenant
	var job id.Job
	err = tx.Each(func(r db.Rows) error { ok = true; return r.Scan(&tenant, &job) },
		`UPDATE jobs SET status = 'PROCESSING', tries = tries + 1, due_at = $2, started_at = coalesce(started_at, $1::BIGINT)
		WHERE (tenant_id, id) IN (SELECT j.tenant_id, j.id FROM jobs j WHERE j.due_at <= $1 AND `+known+` AND `+onChannel+`
			AND NOT EXISTS (SELECT 1 FROM jobs o WHERE o.tenant_id = j.tenant_id AND o.channel_id = j.channel_id AND o.id <> j.id
				AND o.type <> 'product_import' AND o.status = 'PROCESSING' AND o.due_at > $1)
			ORDER BY j.due_at, j.id LIMIT 1)
		RETURNING tenant_id, id`, tx.Micros(), tx.Now().Add(lease).UnixMicro())
	if err != nil || !ok {
		return j, false, err
	}
	list, err := read(tx, "WHERE j.tenant_id = $1 AND j.id = $2", tenant, job)
	if err != nil || len(list) == 0 {
		return j, false, err
	}
	return list[0], true, nil
}

// NextDueOnChannel is when the next job that calls a platform is due, over all tenants; ok is false if none waits.
func NextDueOnChannel(tx *db.Tx) (at time.Time, ok bool, err error) {
	return nextDue(tx, onChannel)
}
