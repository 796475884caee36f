package jobs

import (
	"slices"
	"strings"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// The statements of this file serve every tenant: they find jobs that are due.

// Conditions on the type of a job j. known is true for this version's types: while a new version is rolled out, jobs
// of its types wait for its nodes.
var (
	known     = "j.type IN (" + quoted(slices.Concat(Types, Operations)) + ")"
	fileTypes = quoted(slices.DeleteFunc(slices.Clone(Types), func(t Type) bool { return !t.OfFile() }))
	ofFile    = "j.type IN (" + fileTypes + ")" // it reads a whole file
	exports   = quoted(slices.DeleteFunc(slices.Clone(Types), func(t Type) bool { return !t.IsExport() }))
	isExport  = "j.type IN (" + exports + ")" // it writes one
	// it is about a channel, or a bulk import of the API
	ofSync = "j.type NOT IN ('order_bulk', 'product_bulk', " + fileTypes + ", " + exports + ")"
	short  = "NOT (" + onChannel + ") AND NOT (" + ofFile + ") AND NOT (" + isExport + ") AND NOT (" + isOperation + ")"
)

func quoted(list []Type) string {
	texts := make([]string, len(list))
	for i, t := range list {
		texts[i] = "'" + string(t) + "'"
	}
	return strings.Join(texts, ", ")
}

// Claim leases up to limit short jobs that are due, oldest first: those that call no platform, read or write no file and are
// no operations. If the worker of a job dies, the job is due again when its lease ends; Tries counts the leases.
func Claim(tx *db.Tx, limit int, lease time.Duration) ([]Job, error) {
	return claim(tx, short, limit, lease)
}

// ClaimOfFile leases the job that reads a file and is due first; ok is false if there is none. While a file of an
// account is being read, its other jobs wait, so that one account with many files does not delay the others.
func ClaimOfFile(tx *db.Tx, lease time.Duration) (j Job, ok bool, err error) {
	return claimAlone(tx, fileTypes, lease)
}

// ClaimExport is ClaimOfFile for exports.
func ClaimExport(tx *db.Tx, lease time.Duration) (j Job, ok bool, err error) {
	return claimAlone(tx, exports, lease)
}

// claimAlone leases a job of some types, of which only one of an account runs at once.
func claimAlone(tx *db.Tx, types string, lease time.Duration) (j Job, ok bool, err error) {
	list, err := claim(tx, "j.type IN ("+types+`) AND NOT EXISTS (SELECT 1 FROM jobs o WHERE o.tenant_id = j.tenant_id AND o.id <> j.id
		AND o.type IN (`+types+`) AND o.status = 'PROCESSING' AND o.due_at > $1)`, 1, lease)
	if err != nil || len(list) == 0 {
		return j, false, err
	}
	return list[0], true, nil
}

// ClaimOperation leases the interrupted operation that is due first; ok is false if there is none.
func ClaimOperation(tx *db.Tx, lease time.Duration) (j Job, ok bool, err error) {
	list, err := claim(tx, isOperation, 1, lease)
	if err != nil || len(list) == 0 {
		return j, false, err
	}
	return list[0], true, nil
}

func claim(tx *db.Tx, which string, limit int, lease time.Duration) ([]Job, error) {
	var list []Job
	err := tx.Each(func(r db.Rows) error {
		var tenant id.Tenant
		var job id.Job
		err := r.Scan(&tenant, &job)
		list = append(list, Job{Tenant: tenant, ID: job})
		return err
	}, `UPDATE jobs SET status = 'PROCESSING', tries = tries + 1, due_at = $2, started_at = coalesce(started_at, $1::BIGINT)
		WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM jobs j WHERE due_at <= $1 AND `+known+` AND `+which+`
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

// NextDue is when the next short job is due, over all tenants; ok is false if none waits.
func NextDue(tx *db.Tx) (at time.Time, ok bool, err error) { return nextDue(tx, short) }

// NextDueOfFile is NextDue for jobs that read a file.
func NextDueOfFile(tx *db.Tx) (at time.Time, ok bool, err error) { return nextDue(tx, ofFile) }

// NextDueExport is NextDue for exports.
func NextDueExport(tx *db.Tx) (at time.Time, ok bool, err error) { return nextDue(tx, isExport) }

// NextDueOperation is NextDue for interrupted operations.
func NextDueOperation(tx *db.Tx) (at time.Time, ok bool, err error) { return nextDue(tx, isOperation) }

func nextDue(tx *db.Tx, which string) (at time.Time, ok bool, err error) {
	var micros int64
	err = tx.Row("SELECT coalesce(min(due_at), 0) FROM jobs j WHERE due_at IS NOT NULL AND "+known+" AND "+which, nil, &micros)
	return time.UnixMicro(micros).UTC(), micros != 0, err
}

// DeleteExpired deletes up to limit jobs that ended before a time.
func DeleteExpired(tx *db.Tx, before time.Time, limit int) (int64, error) {
	if _, err := tx.Exec(deleteTheirOrders, before.UnixMicro(), limit); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(deleteTheirProducts, before.UnixMicro(), limit); err != nil {
		return 0, err
	}
	return tx.Exec(deleteExpired, before.UnixMicro(), limit)
}

const (
	expired             = "(SELECT tenant_id, id FROM jobs WHERE completed_at < $1 ORDER BY completed_at LIMIT $2::BIGINT)"
	deleteTheirOrders   = "DELETE FROM job_orders WHERE (tenant_id, job_id) IN " + expired
	deleteTheirProducts = "DELETE FROM job_products WHERE (tenant_id, job_id) IN " + expired
	deleteExpired       = "DELETE FROM jobs WHERE completed_at < $1 AND (tenant_id, id) IN " + expired
)
