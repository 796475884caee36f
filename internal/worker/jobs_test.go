package worker

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
	"entrepot/internal/webhooks"
)

// job waits until a job has ended.
func (s *shop) job(which id.Job) (j jobs.Job) {
	s.t.Helper()
	dbtest.Until(s.t, "the job ends", func() bool {
		s.read(func(tx *db.Tx) (err error) {
			j, err = jobs.ByID(tx, which)
			return err
		})
		return j.CompletedAt != 0
	})
	return j
}

// emitted finds the newest event of a name.
func (s *shop) emitted(name string) (payload string) {
	s.t.Helper()
	s.read(func(tx *db.Tx) error {
		log, err := webhooks.Log(tx, webhooks.LogFilter{Limit: 1000})
		for _, l := range log.Events {
			if strings.Contains(l.Payload, `"event":"`+name+`"`) {
				payload = l.Payload
			}
		}
		return err
	})
	return payload
}

func (s *shop) queue(j jobs.Job) (which id.Job) {
	s.t.Helper()
	s.write(func(tx *db.Tx) error { which = jobs.Insert(tx, j).ID; return nil })
	return which
}

// The job of a bulk import ends with an event in the same commit, and another node takes the job over when its node
// dies.
func TestImportJobs(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		hopeless := s.queue(jobs.Job{Type: jobs.ProductImport, Total: 1})
		s.write(func(tx *db.Tx) error {
			tx.Queue("UPDATE jobs SET tries = $3 WHERE tenant_id = $1 AND id = $2", tx.Tenant, hopeless, jobTries)
			return nil
		})
		s.start()
		if j := s.job(hopeless); j.Status != jobs.Failed || !strings.Contains(s.emitted("channel.sync_failed"), string(hopeless)) {
			t.Errorf("%+v", j)
		}
		clean := s.job(s.queue(jobs.Job{Type: jobs.ProductImport, Status: jobs.Processing, Total: 10, Created: 7, Updated: 3}))
		if clean.Status != jobs.Completed || clean.Processed != 10 || clean.Progress() != 100 {
			t.Errorf("%+v", clean)
		}
		if event := s.emitted("channel.sync_completed"); !strings.Contains(event, `"stats":{"total":10,"created":7,"updated":3,"failed":0}`) ||
			!strings.Contains(event, string(clean.ID)) {
			t.Errorf("event %s", event)
		}
		faulty := s.job(s.queue(jobs.Job{Type: jobs.ProductImport, Total: 2, Created: 1, Failed: 1,
			Errors: `[{"sku":"A","error":"price is required"}]`}))
		if event := s.emitted("channel.sync_completed"); faulty.Status != jobs.CompletedWithErrors ||
			!strings.Contains(event, `"syncErrors":[{"sku":"A","error":"price is required"}]`) {
			t.Errorf("%+v, event %s", faulty, event)
		}
		unknown := s.job(s.queue(jobs.Job{Type: jobs.StatusPush}))
		if event := s.emitted("channel.sync_failed"); unknown.Status != jobs.Failed || !strings.Contains(event, string(unknown.ID)) {
			t.Errorf("%+v, event %s", unknown, event)
		}
		var dead id.Job
		s.write(func(tx *db.Tx) error {
			dead = jobs.Insert(tx, jobs.Job{Type: jobs.ProductImport, Total: 1}).ID
			tx.Queue("UPDATE jobs SET status = 'PROCESSING', tries = 1, due_at = $3 WHERE tenant_id = $1 AND id = $2",
				tx.Tenant, dead, tx.Now().Add(300*time.Millisecond).UnixMicro())
			return nil
		})
		if j := s.job(dead); j.Status != jobs.Completed {
			t.Errorf("%+v", j)
		}
	})
}

// The only node of a store continues the jobs of a crash at once.
func TestJobsOfACrash(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		left := s.queue(jobs.Job{Type: jobs.ProductImport, Total: 1})
		s.write(func(tx *db.Tx) error {
			tx.Queue("UPDATE jobs SET status = 'PROCESSING', tries = 1, due_at = $3 WHERE tenant_id = $1 AND id = $2",
				tx.Tenant, left, tx.Now().Add(time.Hour).UnixMicro())
			return nil
		})
		s.start(func(c *Config) { c.Alone = true })
		if j := s.job(left); j.Status != jobs.Completed {
			t.Errorf("%+v", j)
		}
	})
}

// The jobs of a killed node continue on another when their lease has run out; the jobs of a live node stay with it,
// however long they take. The store's clock moves only when the live node has prolonged its lease, as it does in time
// on a machine that keeps up.
func TestJobsOfTheKilledGoOn(t *testing.T) {
	var now atomic.Int64
	now.Store(time.Now().UnixMicro())
	dbtest.EnginesAt(t, func() time.Time { return time.UnixMicro(now.Load()) }, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		claim := func() (j jobs.Job) {
			s.queue(jobs.Job{Type: jobs.ProductImport, Total: 1})
			if err := store.Write(t.Context(), db.Across, func(tx *db.Tx) error {
				list, err := jobs.Claim(tx, 1, jobLease)
				if err == nil {
					j = list[0]
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return j
		}
		look := func(which id.Job) (j jobs.Job) {
			s.read(func(tx *db.Tx) (err error) {
				j, err = jobs.ByID(tx, which)
				return err
			})
			return j
		}
		busy := claim()
		killed := claim()
		living := &Worker{Config: Config{DB: store, Log: slog.New(slog.DiscardHandler), JobLease: jobLease}, stopping: t.Context()}
		held, end := context.WithCancel(t.Context())
		var holding sync.WaitGroup
		holding.Go(func() {
			_ = living.holding(held, busy, func(ctx context.Context) error { <-ctx.Done(); return nil })
		})
		s.start()
		for leased := busy.DueAt; leased < busy.DueAt+jobLease.Microseconds(); {
			now.Add((jobLease / 2).Microseconds())
			dbtest.Until(t, "the lease is prolonged", func() bool { return look(busy.ID).DueAt > leased })
			leased = look(busy.ID).DueAt
		}
		if j := s.job(killed.ID); j.Status != jobs.Completed {
			t.Errorf("the killed node's job: %+v", j)
		}
		if j := look(busy.ID); j.Tries != 1 || j.CompletedAt != 0 {
			t.Errorf("it was taken from the node that runs it: %+v", j)
		}
		end()
		holding.Wait()
	})
}
