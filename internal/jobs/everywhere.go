package jobs

import (
	"time"

	"entrepot/internal/db"
)

// The statements of this file serve every tenant: they are what /metrics shows of all jobs.

// Backlog is the jobs of all accounts that have not ended, operations included, and those that failed of late.
type Backlog struct {
	Open    int64
	Overdue int64          // since when the first of them is due and not taken, in microseconds since 1970; 0 for none
	Failed  map[Type]int64 // that ended with FAILED in the last day; types without such a job are left out
}

// failedFor is how long a job that failed is counted.
const failedFor = 24 * time.Hour

// Everywhere reads the backlog of all accounts.
func Everywhere(tx *db.Tx) (b Backlog, err error) {
	var due int64
	if err := tx.Row("SELECT count(*), min(due_at) FROM jobs WHERE due_at IS NOT NULL", nil, &b.Open, db.Opt(&due)); err != nil {
		return b, err
	}
	if due > 0 && due < tx.Micros() {
		b.Overdue = due
	}
	b.Failed = map[Type]int64{}
	return b, tx.Each(func(r db.Rows) error {
		var of Type
		var n int64
		err := r.Scan(&of, &n)
		b.Failed[of] = n
		return err
	}, "SELECT type, count(*) FROM jobs WHERE status = 'FAILED' AND completed_at > $1 GROUP BY type",
		tx.Now().Add(-failedFor).UnixMicro())
}
