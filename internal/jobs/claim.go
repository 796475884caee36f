package jobs

import (
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// The statements of this file serve every tenant: they find whose work is due.

// Claim takes up to limit jobs that are due and call no platform, oldest first, and holds them for a lease. A job whose worker died is due
// again when its lease ends; Tries counts how often that happened.
func Claim(tx *db.Tx, limit int, lease time.Duration) ([]Job, error) {
	var list []Job
	err := tx.Each(func(r db.Rows) error {
		var tenant id.Tenant
		var job id.Job
		err := r.Scan(&tenant, &job)
		list = append(list, Job{Tenant: tenant, ID: job})
		return err
	}, `UPDATE jobs SET status = 'PROCESSING', tries = tries + 1, due_at = $2, started_at = coalesce(started_at, $1::BIGINT)
		WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM jobs j WHERE due_at <= $1 AND NOT (`+onChannel+`)
			ORDER BY due_at, id LIMIT $3::BIGINT FOR UPDATE SKIP LOCKED)
		RETURNING tenant_id, id`, tx.Micros(), tx.Now().Add(lease).UnixMicro(), limit)
	if err != nil {
		return nil, err
	}
	for i := range list {
		found, err := read(tx, "WHERE j.tenant_id = $1 AND j.id = $2", list[i].Tenant, list[i].ID)
		if err != nil {
			return nil, err
		}
		list[i] = found[0]
	}
	return list, nil
}

// NextDue is when the next job that calls no platform is due, over all tenants; ok is false when none waits.
func NextDue(tx *db.Tx) (at time.Time, ok bool, err error) {
	var micros int64
	err = tx.Row("SELECT coalesce(min(due_at), 0) FROM jobs j WHERE due_at IS NOT NULL AND NOT ("+onChannel+")", nil, &micros)
	return time.UnixMicro(micros).UTC(), micros != 0, err
}

// Sweep drops up to limit jobs that ended before a time.
func Sweep(tx *db.Tx, before time.Time, limit int) (int64, error) {
	if _, err := tx.Exec(`DELETE FROM job_orders WHERE (tenant_id, job_id) IN
		(SELECT tenant_id, id FROM jobs WHERE completed_at < $1 ORDER BY completed_at LIMIT $2::BIGINT)`, before.UnixMicro(), limit); err != nil {
		return 0, err
	}
	return tx.Exec(`DELETE FROM jobs WHERE completed_at < $1 AND (tenant_id, id) IN
		(SELECT tenant_id, id FROM jobs WHERE completed_at < $1 ORDER BY completed_at LIMIT $2::BIGINT)`, before.UnixMicro(), limit)
}
