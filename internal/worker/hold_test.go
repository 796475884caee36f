package worker

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/netguard"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
)

// A node was suspended for longer than its lease, just before it calls a platform. It does not send the request if
// another node has the job now; if none has, it prolongs the lease first and continues.
func TestNoCallWithoutALease(t *testing.T) {
	var now atomic.Int64
	now.Store(time.Now().UnixMicro())
	clock := func() time.Time { return time.UnixMicro(now.Load()) }
	for _, taken := range []bool{true, false} {
		dbtest.EnginesAt(t, clock, func(t *testing.T, store *db.DB) {
			s, platform := newShop(t, store), newReceiver(t)
			s.queue(jobs.Job{Type: jobs.ProductImport, Total: 1})
			const lease = time.Hour // so long that only the call has it prolonged
			claim := func(job *jobs.Job) {
				if err := store.Write(t.Context(), db.Across, func(tx *db.Tx) error {
					tx.Queue("UPDATE jobs SET due_at = 0 WHERE due_at IS NOT NULL")
					list, err := jobs.Claim(tx, 1, lease)
					if err == nil {
						*job = list[0]
					}
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
			var job, again jobs.Job
			claim(&job)
			client := connector.NewClients(&netguard.Guard{Dev: true}, "test").Client(string(id.New[id.Channel]()), nil)
			node := &Worker{Config: Config{DB: store, Log: slog.New(slog.DiscardHandler), JobLease: lease}, stopping: t.Context()}
			err := node.holding(t.Context(), job, func(ctx context.Context) error {
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, platform.URL+"/parcel", http.NoBody)
				if err != nil {
					return err
				}
				if taken { // the node is suspended, and another node finds the lease ended
					claim(&again)
				}
				now.Add((5 * lease).Microseconds())
				_, err = client.Do(r)
				return err
			})
			calls := len(platform.on("/parcel"))
			if taken && (calls != 0 || !errors.Is(err, jobs.ErrLost)) || !taken && (calls != 1 || err != nil) {
				t.Errorf("taken %t: %d calls, %v", taken, calls, err)
			}
		})
	}
}
