package jobs_test

import (
	"errors"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
)

// claimOperation is the interrupted operation that a worker goes on with; nil for none.
func (y *yard) claimOperation() (found *jobs.Job) {
	y.Helper()
	err := y.store.Write(y.Context(), db.Across, func(tx *db.Tx) error {
		job, ok, err := jobs.ClaimOperation(tx, time.Minute)
		if ok {
			found = &job
		}
		return err
	})
	if err != nil {
		y.Fatal(err)
	}
	return found
}

func (y *yard) must(operation func(tx *db.Tx) error) {
	y.Helper()
	if err := y.write(operation); err != nil {
		y.Fatal(err)
	}
}

// An operation is its account's and is there until its last step. It is due when nobody has done a step of it for a while, or at once after
// the only process has stopped; whoever goes on with it has its cursor.
func TestOperations(t *testing.T) {
	engines(t, func(y *yard) {
		subject := id.New[string]()
		y.must(func(tx *db.Tx) error {
			jobs.Begin(tx, jobs.ChannelDeletion, subject, "{}")
			return nil
		})
		if err := y.write(func(tx *db.Tx) error {
			if tx.Try() > 0 {
				return errors.ErrUnsupported
			}
			jobs.Begin(tx, jobs.ChannelDeletion, subject, "{}")
			return nil
		}); err == nil {
			y.Error("it has begun twice")
		}
		if err := y.store.Write(y.Context(), dbtest.Account(y.T, y.store), func(tx *db.Tx) error {
			j, err := jobs.LockOperation(tx, jobs.ChannelDeletion, subject)
			if j != nil {
				y.Error("another account finds it")
			}
			return err
		}); err != nil {
			y.Fatal(err)
		}
		step := func(cursor string) {
			y.must(func(tx *db.Tx) error {
				if j, err := jobs.Operation(tx, jobs.CustomerMerge, subject); j != nil || err != nil {
					y.Errorf("of another type: %+v, %v", j, err)
				}
				j, err := jobs.LockOperation(tx, jobs.ChannelDeletion, subject)
				if err == nil {
					j.Cursor = cursor
					j.StepDone(tx)
				}
				return err
			})
		}
		y.pass(jobs.Interrupted * 3 / 4)
		step("first")
		y.pass(jobs.Interrupted * 3 / 4)
		if j := y.claimOperation(); j != nil {
			y.Fatalf("somebody does its steps: %+v", j)
		}
		y.pass(jobs.Interrupted)
		j := y.claimOperation()
		if j == nil || j.Tenant != y.tenant || j.Type != jobs.ChannelDeletion || string(j.Subject) != subject || j.Cursor != "first" {
			y.Fatalf("%+v", j)
		}
		if again := y.claimOperation(); again != nil || len(y.claim(10)) > 0 {
			y.Fatalf("two go on with it: %+v", again)
		}
		step("second")
		y.must(func(tx *db.Tx) error {
			jobs.BeginOrGoOn(tx, jobs.ChannelDeletion, subject)
			return nil
		})
		if err := y.store.Write(y.Context(), db.Across, func(tx *db.Tx) error { _, err := jobs.Abandon(tx); return err }); err != nil {
			y.Fatal(err)
		}
		if j = y.claimOperation(); j == nil || j.Cursor != "second" {
			y.Fatalf("after a restart: %+v", j)
		}
		y.must(func(tx *db.Tx) error {
			jobs.BeginAnew(tx, jobs.ChannelDeletion, subject)
			return nil
		})
		y.must(func(tx *db.Tx) error {
			j, err := jobs.LockOperation(tx, jobs.ChannelDeletion, subject)
			if j == nil || j.Cursor != "" {
				y.Errorf("from its first record again: %+v", j)
			}
			if err == nil {
				j.LastStepDone(tx)
			}
			return err
		})
		y.must(func(tx *db.Tx) error {
			all, err := jobs.Subjects[id.Channel](tx, jobs.ChannelDeletion)
			if len(all) != 0 {
				y.Errorf("%v are left", all)
			}
			return err
		})
	})
}

// Nobody sees an operation among the jobs, and its texts are not searched or marked for an erasure: they are what an erasure looks for.
func TestOperationsAreNotShown(t *testing.T) {
	engines(t, func(y *yard) {
		y.must(func(tx *db.Tx) error {
			jobs.Begin(tx, jobs.CustomerErasure, id.New[string](), `{"names":["Ada Lovelace"]}`)
			return nil
		})
		y.pass(2 * jobs.Interrupted)
		j := y.claimOperation()
		if j == nil {
			y.Fatal("it is not due")
		}
		y.must(func(tx *db.Tx) error {
			if err := jobs.Interrupt(tx); err != nil {
				return err
			}
			listed, _, err := jobs.List(tx, jobs.Filter{Limit: 10})
			working, _, err2 := jobs.List(tx, jobs.Filter{Statuses: []jobs.Status{jobs.Processing}, Limit: 10})
			active, err3 := jobs.Active(tx, 10)
			byID, err4 := jobs.ByIDs(tx, []id.Job{j.ID})
			found, err5 := jobs.Search(tx, 0, []string{"%Ada%"})
			if n := len(listed) + len(working) + len(active) + len(byID) + len(found); n != 0 {
				y.Errorf("%d times it is shown", n)
			}
			if _, err := jobs.ByID(tx, j.ID); err == nil {
				y.Error("it is shown by its id")
			}
			now, err6 := jobs.Operation(tx, jobs.CustomerErasure, string(j.Subject))
			if now == nil || now.ID != j.ID {
				y.Errorf("%+v", now)
			}
			return errors.Join(err, err2, err3, err4, err5, err6)
		})
	})
}
