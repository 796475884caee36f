package jobs_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// yard is a store with one account and a clock that the test moves.
type yard struct {
	*testing.T
	store  *db.DB
	tenant id.Tenant
	now    *atomic.Int64 // microseconds
}

func engines(t *testing.T, test func(y *yard)) {
	now := &atomic.Int64{}
	now.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMicro())
	dbtest.EnginesAt(t, func() time.Time { return time.UnixMicro(now.Load()) }, func(t *testing.T, store *db.DB) {
		test(&yard{t, store, dbtest.Account(t, store), now})
	})
}

func (y *yard) pass(d time.Duration) { y.now.Add(d.Microseconds()) }

func (y *yard) write(operation func(tx *db.Tx) error) error {
	return y.store.Write(y.Context(), y.tenant, operation)
}

func (y *yard) insert(j jobs.Job) (made jobs.Job) {
	y.Helper()
	if err := y.write(func(tx *db.Tx) error { made = jobs.Insert(tx, j); return nil }); err != nil {
		y.Fatal(err)
	}
	return made
}

func (y *yard) claim(limit int) (list []jobs.Job) {
	y.Helper()
	err := y.store.Write(y.Context(), db.Across, func(tx *db.Tx) (err error) {
		list, err = jobs.Claim(tx, limit, time.Minute)
		return err
	})
	if err != nil {
		y.Fatal(err)
	}
	return list
}

func (y *yard) read(job id.Job) (j jobs.Job) {
	y.Helper()
	err := y.store.Read(y.Context(), y.tenant, func(tx *db.Tx) (err error) {
		j, err = jobs.ByID(tx, job)
		return err
	})
	if err != nil {
		y.Fatal(err)
	}
	return j
}

// A job is one worker's at a time, and another's once its lease has ended; the first then has no say any more.
func TestLease(t *testing.T) {
	engines(t, func(y *yard) {
		made := y.insert(jobs.Job{Type: jobs.OrderPull, Total: 4})
		if j := y.read(made.ID); j.Status != jobs.Pending || j.DueAt == 0 || j.Errors != "[]" {
			y.Errorf("queued: %+v", j)
		}
		first := y.claim(10)
		if len(first) != 1 || first[0].ID != made.ID || first[0].Tenant != y.tenant || first[0].Status != jobs.Processing || first[0].Tries != 1 {
			y.Fatalf("claimed: %+v", first)
		}
		if again := y.claim(10); len(again) != 0 {
			y.Errorf("claimed twice: %+v", again)
		}
		y.pass(50 * time.Second)
		first[0].Processed, first[0].Cursor = 2, "page 2"
		if err := y.write(func(tx *db.Tx) error { jobs.Advance(tx, first[0], time.Minute); return nil }); err != nil {
			y.Fatal(err)
		}
		y.pass(50 * time.Second)
		if again := y.claim(10); len(again) != 0 {
			y.Errorf("claimed though it was held on to: %+v", again)
		}
		y.pass(20 * time.Second)
		second := y.claim(10)
		if len(second) != 1 || second[0].Cursor != "page 2" || second[0].Progress() != 50 || second[0].Tries != 2 {
			y.Fatalf("taken over: %+v", second)
		}
		err := y.write(func(tx *db.Tx) error { jobs.Finish(tx, first[0], false); return nil })
		if !errors.Is(err, jobs.ErrLost) {
			y.Errorf("the first still finishes it: %v", err)
		}
		if err := y.write(func(tx *db.Tx) error { jobs.Finish(tx, second[0], false); return nil }); err != nil {
			y.Fatal(err)
		}
		done := y.read(made.ID)
		if done.Status != jobs.Completed || done.Progress() != 100 || done.Processed != 4 || done.CompletedAt == 0 || done.DueAt != 0 {
			y.Errorf("done: %+v", done)
		}
		if again := y.claim(10); len(again) != 0 {
			y.Errorf("claimed after its end: %+v", again)
		}
	})
}

// A job ends with errors if some of its items failed, and fails if its worker reports that.
func TestEnds(t *testing.T) {
	engines(t, func(y *yard) {
		y.insert(jobs.Job{Type: jobs.ProductImport, Status: jobs.Processing, Total: 2, Failed: 1, Errors: `[{"sku":"A"}]`})
		y.pass(time.Second)
		y.insert(jobs.Job{Type: jobs.StockPush})
		y.pass(time.Second) // what is reported may be about no item
		y.insert(jobs.Job{Type: jobs.OrderPull, Errors: `[{"error":"refused"}]`})
		y.pass(time.Second)
		y.insert(jobs.Job{Type: jobs.StockPush})
		for i, want := range []jobs.Status{jobs.CompletedWithErrors, jobs.Failed, jobs.CompletedWithErrors, jobs.Completed} {
			j := y.claim(1)[0]
			y.pass(time.Second)
			if err := y.write(func(tx *db.Tx) error { jobs.Finish(tx, j, i == 1); return nil }); err != nil {
				y.Fatal(err)
			}
			if got := y.read(j.ID); got.Status != want {
				y.Errorf("%s ended as %s, not %s", got.Type, got.Status, want)
			}
		}
		err := y.store.Read(y.Context(), y.tenant, func(tx *db.Tx) error {
			active, err := jobs.Active(tx, 10)
			if err != nil || len(active) != 0 {
				y.Errorf("active: %+v %v", active, err)
			}
			last, err := jobs.Last(tx)
			if err != nil || last == nil || last.Type != jobs.StockPush {
				y.Errorf("last: %+v", last)
			}
			return err
		})
		if err != nil {
			y.Fatal(err)
		}
	})
}

// A job given back runs again when its time has come.
func TestAgain(t *testing.T) {
	engines(t, func(y *yard) {
		y.insert(jobs.Job{Type: jobs.StatusPush})
		j := y.claim(1)[0]
		later := y.store.Now().Add(5 * time.Minute)
		if err := y.write(func(tx *db.Tx) error { jobs.Again(tx, j, later); return nil }); err != nil {
			y.Fatal(err)
		}
		if list := y.claim(1); len(list) != 0 {
			y.Errorf("too early: %+v", list)
		}
		y.store.Read(y.Context(), db.Across, func(tx *db.Tx) error {
			if at, ok, err := jobs.NextDue(tx); !ok || !at.Equal(later) || err != nil {
				y.Errorf("next due %v %v %v", at, ok, err)
			}
			return nil
		})
		y.pass(5 * time.Minute)
		if list := y.claim(1); len(list) != 1 || list[0].Tries != 2 {
			y.Errorf("in time: %+v", list)
		}
	})
}

// A job of a type that a newer version has added waits for a node of that version.
func TestJobsOfUnknownTypesWait(t *testing.T) {
	engines(t, func(y *yard) {
		shop := id.New[id.Channel]()
		for _, of := range []any{nil, shop} {
			err := y.write(func(tx *db.Tx) error {
				j := jobs.Insert(tx, jobs.Job{Type: jobs.OrderBulk})
				tx.Queue("UPDATE jobs SET type = 'of_a_newer_version', channel_id = $3 WHERE tenant_id = $1 AND id = $2", tx.Tenant, j.ID, of)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if list := y.claim(10); len(list) > 0 {
			t.Errorf("claimed: %+v", list)
		}
		if job := y.onChannel(); job != nil {
			t.Errorf("claimed: %+v", job)
		}
		for _, next := range []func(*db.Tx) (time.Time, bool, error){jobs.NextDue, jobs.NextDueOnChannel, jobs.NextDueOfFile} {
			err := y.store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
				at, ok, err := next(tx)
				if ok {
					t.Errorf("due at %s", at)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if mine := y.insert(jobs.Job{Type: jobs.OrderBulk}); len(y.claim(10)) != 1 {
			t.Errorf("%s was not claimed", mine.ID)
		}
	})
}

// An erasure that rewrites the texts of a job does not take back what was asked of the job, or done, since it read them.
func TestTextsThatChangeWhileTheyAreRewritten(t *testing.T) {
	engines(t, func(y *yard) {
		job := y.insert(jobs.Job{Type: jobs.OrderBulk, Input: "Ada"})
		tries := 0
		err := y.write(func(tx *db.Tx) error {
			list, err := jobs.Load(tx, []id.Job{job.ID})
			if err != nil {
				return err
			}
			if tries++; tries == 1 { // as another node may at this moment
				if _, err := tx.Exec("UPDATE jobs SET input = 'Ada and more' WHERE tenant_id = $1", tx.Tenant); err != nil {
					return err
				}
				list[0].Save(tx, list[0])
				return nil
			}
			now := list[0]
			now.Input = "erased"
			now.Save(tx, list[0])
			return nil
		})
		if got := y.read(job.ID).Input; err != nil || tries != 2 || got != "erased" {
			t.Errorf("after %d tries it is %q (%v)", tries, got, err)
		}
	})
}

// A lease that is prolonged at the moment in which the job is released does not have it run before its time.
func TestALeaseIsProlongedAsItsJobIsReleased(t *testing.T) {
	engines(t, func(y *yard) {
		y.insert(jobs.Job{Type: jobs.OrderBulk})
		job := y.claim(1)[0]
		for _, do := range []func(tx *db.Tx){
			func(tx *db.Tx) { jobs.Again(tx, job, tx.Now().Add(time.Hour)) },
			func(tx *db.Tx) { jobs.Hold(tx, job, time.Minute) },
		} {
			if err := y.write(func(tx *db.Tx) error { do(tx); return nil }); err != nil {
				y.Fatal(err)
			}
		}
		if in := y.read(job.ID).DueAt - y.now.Load(); in != time.Hour.Microseconds() {
			t.Errorf("it is due in %s", time.Duration(in)*time.Microsecond)
		}
	})
}
