package postgres

import "github.com/jackc/pgx/v5"

// answer iterates over the rows of a result.
type answer struct {
	pgx.Rows
	results pgx.BatchResults
	session *session
	err     error
}

// Close ends the result, after which the transaction may use its connection again.
func (r *answer) Close() {
	if r.session == nil { // closed already, or the message is read by another
		if r.Rows != nil {
			r.Rows.Close()
		}
		return
	}
	r.Rows.Close()
	if err := r.results.Close(); err != nil && r.err == nil {
		r.err = err
	}
	r.session.rows, r.session = nil, nil
}

func (r *answer) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}
