package jobs

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Texts are the parts of a job that may contain personal data: input, cursor and errors.
type Texts struct {
	ID                    id.Job
	Input, Cursor, Errors string
}

// Search finds the jobs with a text that matches one of the patterns (db.Where.AndLike): all of them, or those whose texts
// may have changed since a time: completed jobs do not change.
func Search(tx *db.Tx, since int64, patterns []string) (list []id.Job, err error) {
	changed := []string{"TRUE"}
	if since != 0 {
		changed = []string{"due_at IS NOT NULL", "completed_at >= ?"}
	}
	for _, condition := range changed {
		w := db.NewWhere(tx, "").And(condition, since).AndLike(texts, patterns)
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

// Save writes a job's texts, which were others before. If they have changed since they were read, the transaction runs again: a job goes on
// meanwhile, and is given more to do.
func (t Texts) Save(tx db.Writer, before Texts) {
	tx.Queue("UPDATE jobs SET input = $3, cursor = $4, errors = $5 WHERE tenant_id = $1 AND id = $2::UUID "+
		"AND input = $6 AND cursor = $7 AND errors = $8",
		tx.TenantID(), t.ID, t.Input, t.Cursor, t.Errors, before.Input, before.Cursor, before.Errors).Rows(1, nil)
}
