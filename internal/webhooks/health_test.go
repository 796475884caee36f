package webhooks

import (
	"slices"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// What the store counts as failing is what Failing says of the same attempts, whatever their answers, errors and number.
func TestFailingIsCountedAsItIsJudged(t *testing.T) {
	ok, refused, broken, silent := Attempt{StatusCode: 204}, Attempt{StatusCode: 500}, Attempt{StatusCode: 200, Error: "cut off"},
		Attempt{Error: "timeout"}
	redirect, early, last := Attempt{StatusCode: 300}, Attempt{StatusCode: 199}, Attempt{StatusCode: 299}
	of := func(n int, a Attempt, more ...Attempt) []Attempt {
		return append(more, slices.Repeat([]Attempt{a}, n)...)
	} // oldest first
	cases := []struct {
		attempts []Attempt
		failing  bool
	}{
		{nil, false}, {of(leastFailed-1, refused), false}, {of(leastFailed, refused), true}, {of(leastFailed, broken), true},
		{of(leastFailed, silent), true}, {of(leastFailed, redirect), true}, {of(leastFailed, early), true}, {of(leastFailed, last), false},
		{of(leastFailed, refused, ok), false}, {of(leastFailed, ok, refused), false},
		{of(healthAttempts-1, refused, ok), false}, {of(healthAttempts, refused, ok), true},
	}
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		for i, c := range cases {
			var endpoint *Endpoint
			err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
				endpoint = &Endpoint{ID: id.New[id.Endpoint](), URL: "https://shop.example", Events: []string{All}, Status: Active}
				endpoint.Insert(tx)
				for n, a := range c.attempts {
					tx.Queue(`INSERT INTO attempts (tenant_id, endpoint_id, position, number, at, status_code, duration_ms, error)
						VALUES ($1,$2,$3,1,$3,$4,1,$5)`, tenant, endpoint.ID, n+1, db.Null(a.StatusCode), db.Null(a.Error))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			err = store.Write(t.Context(), tenant, func(tx *db.Tx) error {
				health, err := HealthOf(tx, []id.Endpoint{endpoint.ID})
				if err != nil {
					return err
				}
				n, err := CountFailing(tx)
				if health[0].Failing() != c.failing || (n == 1) != c.failing {
					t.Errorf("case %d: failing %v by its health %+v, %d counted", i, health[0].Failing(), health[0], n)
				}
				tx.Queue("UPDATE endpoints SET deleted_at = $3 WHERE tenant_id = $1 AND id = $2", tenant, endpoint.ID, tx.Micros())
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
