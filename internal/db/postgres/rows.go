package postgres

import "github.com/jackc/pgx/v5"

// answer walks the rows of an answer.
type answer struct {
	pgx.Rows
	results pgx.BatchResults
	session *session
	err     error
}

// Close ends the answer and gives the connection back to the transaction.
func (r *answer) Close() {
	if r.session == nil { // closed, or its message is read by somebody else
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
