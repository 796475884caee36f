package jobs_test

import (
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// onChannel claims a job that calls a platform; nil for none.
func (y *yard) onChannel() (claimed *jobs.Job) {
	y.Helper()
	err := y.store.Write(y.Context(), db.Across, func(tx *db.Tx) error {
		claimed = nil
		j, ok, err := jobs.ClaimOnChannel(tx, time.Minute)
		if ok {
			claimed = &j
		}
		return err
	})
	if err != nil {
		y.Fatal(err)
	}
	return claimed
}

// due gives when the next job of each kind is due, in seconds from now; -1 for none.
func (y *yard) due() (other, onChannel float64) {
	y.Helper()
	err := y.store.Read(y.Context(), db.Across, func(tx *db.Tx) error {
		seconds := func(at time.Time, ok bool, err error) (float64, error) {
			if !ok {
				return -1, err
			}
			return at.Sub(tx.Now()).Seconds(), err
		}
		var err error
		if other, err = seconds(jobs.NextDue(tx)); err == nil {
			onChannel, err = seconds(jobs.NextDueOnChannel(tx))
		}
		return err
	})
	if err != nil {
		y.Fatal(err)
	}
	return other, onChannel
}

// Of a channel's jobs that call its platform one runs at a time, oldest first, until its lease has ended; imports into it run beside them.
func TestJobsOfAChannel(t *testing.T) {
	engines(t, func(y *yard) {
		channel := id.New[id.Channel]()
		pull := y.insert(jobs.Job{Type: jobs.OrderPull, Channel: channel})
		y.pass(time.Second)
		push := y.insert(jobs.Job{Type: jobs.StockPush, Channel: channel})
		y.pass(time.Second)
		imported := y.insert(jobs.Job{Type: jobs.ProductImport, Channel: channel})
		if other, on := y.due(); other != 0 || on != -2 {
			t.Errorf("due in %v s, and on a channel in %v s", other, on)
		}
		if list := y.claim(10); len(list) != 1 || list[0].ID != imported.ID {
			t.Fatalf("claimed %+v", list)
		}
		first := y.onChannel()
		if first == nil || first.ID != pull.ID || first.Tries != 1 {
			t.Fatalf("claimed %+v", first)
		}
		if second := y.onChannel(); second != nil {
			t.Fatalf("two at once: %+v", second)
		}
		if other, on := y.due(); other != 60 || on != -1 {
			t.Errorf("while they run, due in %v s, and on a channel in %v s", other, on)
		}
		y.pass(2 * time.Minute) // the lease is over
		if again := y.onChannel(); again == nil || again.ID != push.ID {
			t.Errorf("after the lease the job that is due longest runs: %+v", again)
		}
		if err := y.write(func(tx *db.Tx) error { jobs.EndOfChannel(tx, channel, "[]"); return nil }); err != nil {
			t.Fatal(err)
		}
		for _, job := range []id.Job{pull.ID, push.ID, imported.ID} {
			if j := y.read(job); j.Status != jobs.Failed || j.CompletedAt == 0 || j.DueAt != 0 {
				t.Errorf("after the channel's end: %+v", j)
			}
		}
		y.pass(time.Second)
		ended := y.read(pull.ID)
		if err := y.write(func(tx *db.Tx) error { jobs.EndOfChannel(tx, channel, "[]"); return nil }); err != nil {
			t.Fatal(err)
		}
		if again := y.read(pull.ID); again != ended {
			t.Errorf("a job that has ended is ended again: %+v", again)
		}
	})
}

// waiting is what waits for a channel of order pulls, and how many jobs the account has that have not ended.
func (y *yard) waiting(channel id.Channel) (job id.Job, waits bool, active int) {
	y.Helper()
	err := y.store.Read(y.Context(), y.tenant, func(tx *db.Tx) error {
		j, err := jobs.PendingOnChannel(tx, jobs.OrderPull, channel)
		if err != nil {
			return err
		}
		if j != nil {
			job, waits = j.ID, true
		}
		list, err := jobs.Active(tx, 10)
		active = len(list)
		return err
	})
	if err != nil {
		y.Fatal(err)
	}
	return job, waits, active
}

// A job of a kind that waits for a channel is the one that is asked for again, the oldest of several; one that runs, one of another kind
// and one of another channel is not.
func TestOneWaitsForAChannel(t *testing.T) {
	engines(t, func(y *yard) {
		channel := id.New[id.Channel]()
		once := func() {
			if err := y.write(func(tx *db.Tx) error { jobs.InsertOnce(tx, jobs.OrderPull, channel, "{}"); return nil }); err != nil {
				t.Fatal(err)
			}
			y.pass(time.Second)
		}
		once()
		once()
		first, waits, active := y.waiting(channel)
		if first == "" || !waits || active != 1 {
			t.Fatalf("%q waits (%v) among %d jobs", first, waits, active)
		}
		y.insert(jobs.Job{Type: jobs.OrderPull, Channel: channel}) // for orders that were named
		if job, _, _ := y.waiting(channel); job != first {
			t.Errorf("%s waits, not the oldest", job)
		}
		y.onChannel()
		y.pass(2 * time.Minute)
		y.onChannel()
		if job, waits, active := y.waiting(channel); job != "" || waits || active != 2 {
			t.Errorf("of those that run %q waits (%v) among %d jobs", job, waits, active)
		}
		y.insert(jobs.Job{Type: jobs.OrderPull, Channel: id.New[id.Channel]()})
		y.insert(jobs.Job{Type: jobs.StockPush, Channel: channel})
		if job, waits, _ := y.waiting(channel); job != "" || waits {
			t.Errorf("others count as waiting: %q, %v", job, waits)
		}
		once()
		if job, waits, active := y.waiting(channel); job == "" || !waits || active != 5 {
			t.Errorf("%q waits (%v) among %d jobs", job, waits, active)
		}
	})
}

// Progress is a share of what there is to do, and never more than all of it.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		job  jobs.Job
		want int64
	}{
		{jobs.Job{}, 0}, {jobs.Job{Total: 3, Processed: 1}, 33}, {jobs.Job{Total: 2, Processed: 3}, 100},
		{jobs.Job{CompletedAt: 1, Status: jobs.Completed}, 100}, {jobs.Job{CompletedAt: 1, Status: jobs.Failed, Total: 4, Processed: 1}, 25},
	} {
		if got := c.job.Progress(); got != c.want {
			t.Errorf("%+v: %d %%", c.job, got)
		}
	}
}

// A start after a crash ends the leases, and nothing else.
func TestAbandonedJobs(t *testing.T) {
	engines(t, func(y *yard) {
		y.insert(jobs.Job{Type: jobs.StatusPush})
		y.pass(time.Second)
		claimed := y.claim(1)[0]
		sameStart := y.read(claimed.ID).StartedAt
		abandon := func() (n int64) {
			err := y.store.Write(y.Context(), db.Across, func(tx *db.Tx) (err error) { n, err = jobs.Abandon(tx); return err })
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		y.insert(jobs.Job{Type: jobs.ProductImport, Status: jobs.Processing}) // accepted, not begun
		y.pass(-time.Second)
		if n := abandon(); n != 1 {
			t.Errorf("%d leases ended", n)
		}
		y.pass(2 * time.Second)
		if again := y.claim(1); len(again) != 1 || again[0].Tries != 2 || again[0].StartedAt != sameStart {
			t.Errorf("taken over: %+v", again)
		}
	})
}
