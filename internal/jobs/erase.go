package jobs

import (
	"errors"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Texts are the parts of a job that may contain personal data: input, cursor and errors.
type Texts struct {
	ID                    id.Job
	Input, Cursor, Errors string
}

// Search finds the jobs with a text that matches one of the patterns (db.Where.AndLike): all of them, or those whose
// texts may have changed since a time; completed jobs do not change. It leaves out operations: the text of an erasure
// is what it searches for, and is deleted with it.
func Search(tx *db.Tx, since int64, patterns []string) (list []id.Job, err error) {
	changed := []string{"TRUE"}
	if since != 0 {
		changed = []string{"due_at IS NOT NULL", "completed_at >= ?"}
	}
	for _, condition := range changed {
		w := db.NewWhere(tx, "").And(condition, since).And(isShown).AndLike(texts, patterns)
		found, err := db.List(tx, func(r db.Rows) (job id.Job, err error) { return job, r.Scan(&job) },
			"SELECT id FROM jobs WHERE "+w.String(), w.Args()...)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

var texts = []string{"input", "cursor", "errors"}

// Load reads the texts of jobs; those that are gone are left out.
func Load(tx *db.Tx, list []id.Job) (found []Texts, err error) {
	return found, db.Chunks(list, func(piece []id.Job) error {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		some, err := db.List(tx, func(r db.Rows) (t Texts, err error) { return t, r.Scan(&t.ID, &t.Input, &t.Cursor, &t.Errors) },
			"SELECT id, input, cursor, errors FROM jobs WHERE tenant_id = $1 AND id IN "+db.In(len(args)-1, 2), args...)
		found = append(found, some...)
		return err
	})
}

// Save writes a job's texts, which were others before. If they have changed since they were read, the transaction
// runs again: a job goes on meanwhile, and is given more to do.
func (t Texts) Save(tx db.Writer, before Texts) {
	tx.Queue("UPDATE jobs SET input = $3, cursor = $4, errors = $5 WHERE tenant_id = $1 AND id = $2::UUID "+
		"AND input = $6 AND cursor = $7 AND errors = $8",
		tx.TenantID(), t.ID, t.Input, t.Cursor, t.Errors, before.Input, before.Cursor, before.Errors).Rows(1, nil)
}

// Interrupt marks the account's jobs that have begun and not ended, by their start, which becomes a microsecond
// later: a run that finds that (Reread) stores no text any more that it had in memory. It waits for transactions of
// such jobs. What is committed before it can be searched then; what comes later notices it.
func Interrupt(tx *db.Tx) error {
	_, err := tx.Exec(`UPDATE jobs SET started_at = started_at + 1 WHERE tenant_id = $1 AND id IN (SELECT id FROM jobs
		WHERE tenant_id = $1 AND due_at IS NOT NULL AND started_at IS NOT NULL AND `+isShown+` ORDER BY id FOR UPDATE)`, tx.Tenant)
	return err
}

// Reread reads the errors of a job whose lease the caller holds, and locks it, as every transaction does that stores
// texts of a run. If a person was erased since the job was read (Interrupt), the job has another start now, and the
// run must store no older text but these. Errors: ErrLost.
func Reread(tx *db.Tx, j Job) (stored string, startedAt int64, err error) {
	err = tx.Row("SELECT errors, started_at FROM jobs WHERE tenant_id = $1 AND id = $2::UUID AND tries = $3 AND due_at IS NOT NULL FOR UPDATE",
		[]any{tx.Tenant, j.ID, j.Tries}, &stored, db.Opt(&startedAt))
	if errors.Is(err, db.ErrNoRow) {
		err = ErrLost
	}
	return stored, startedAt, err
}
