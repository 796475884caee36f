package webhooks

import (
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// A replay for an ordered endpoint has what came before the endpoint, though it is not dispatched to others yet, and of what came later
// only what is dispatched: the rest is on its way, and a replay must not overtake it.
func TestReplayOfWhatIsNotDispatched(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		made := func(ordered bool) id.Endpoint {
			e := Endpoint{ID: id.New[id.Endpoint](), URL: "https://x.example", Events: []string{All}, Status: Active, Ordered: ordered}
			err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
				if err := tx.Row("SELECT coalesce(max(last), 0) FROM change_clocks WHERE tenant_id = $1", []any{tx.Tenant}, &e.Since); err != nil {
					return err
				}
				e.Insert(tx)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return e.ID
		}
		size := func(endpoint id.Endpoint) (n int64) {
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				r, err := NewReplay(tx, Replay{Endpoint: endpoint, To: forever})
				if err == nil {
					n, err = r.Size(tx)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		plain := made(false)
		fillLog(t, store, tenant, 3)
		ordered := made(true)
		fillLog(t, store, tenant, 2)
		if of, others := size(ordered), size(plain); of != 3 || others != 5 {
			t.Errorf("the replays have %d and %d events, not 3 and 5", of, others)
		}
	})
}
