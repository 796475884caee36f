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

// Matching reads the jobs with a text that matches one of the patterns (db.Where.AndLike).
func Matching(tx *db.Tx, patterns []string) ([]Texts, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	w := db.NewWhere(tx, "").AndLike([]string{"input", "cursor", "errors"}, patterns)
	return db.List(tx, func(r db.Rows) (t Texts, err error) { return t, r.Scan(&t.ID, &t.Input, &t.Cursor, &t.Errors) },
		"SELECT id, input, cursor, errors FROM jobs WHERE "+w.String(), w.Args()...)
}

// Save writes a job's texts.
func (t Texts) Save(tx db.Writer) {
	tx.Queue("UPDATE jobs SET input = $3, cursor = $4, errors = $5 WHERE tenant_id = $1 AND id = $2::UUID", tx.TenantID(), t.ID,
		t.Input, t.Cursor, t.Errors)
}
