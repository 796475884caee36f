package db_test

import (
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// Stamps are later than the instant of their transaction and than all stamps before, even while the clock does not
// advance and while stamps are ahead of it, as after the time was set back.
func TestStampsAreLaterThanAllBefore(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	test := func(ahead int64) func(t *testing.T, store *db.DB) {
		return func(t *testing.T, store *db.DB) {
			tenant := dbtest.Account(t, store)
			write := func(run func(tx *db.Tx)) {
				if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { run(tx); return nil }); err != nil {
					t.Fatal(err)
				}
			}
			if ahead > 0 {
				write(func(tx *db.Tx) { tx.Queue("UPDATE change_clocks SET last = $2 WHERE tenant_id = $1", tenant, ahead) })
			}
			newest := max(at.UnixMicro(), ahead)
			for range 3 {
				write(func(tx *db.Tx) {
					first := tx.Stamps(2)
					for i := range int64(2) {
						tx.Change("INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, created_at) VALUES ($1,$2,"+db.Clock+
							" + $3::BIGINT,'e','r','{}',1)", tenant, id.New[id.Event](), first+i*db.StampStep)
					}
				})
				var stamps []int64
				err := store.Read(t.Context(), tenant, func(tx *db.Tx) (err error) {
					stamps, err = db.List(tx, func(r db.Rows) (n int64, err error) { return n, r.Scan(&n) },
						"SELECT stamp FROM events WHERE tenant_id = $1 AND stamp > $2 ORDER BY stamp", tenant, newest)
					return err
				})
				if err != nil || len(stamps) != 2 || stamps[1] != stamps[0]+db.StampStep {
					t.Fatalf("after %d: %v, %v", newest, stamps, err)
				}
				newest = stamps[1]
			}
		}
	}
	t.Run("the time stands still", func(t *testing.T) { dbtest.EnginesAt(t, func() time.Time { return at }, test(0)) })
	t.Run("the clock is ahead", func(t *testing.T) { dbtest.Engines(t, test(1<<60)) })
}
