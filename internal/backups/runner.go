package backups

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"entrepot/internal/base/bucket"
	"entrepot/internal/db"
)

// Config configures the backups of a service.
type Config struct {
	DB    *db.DB // where the state is kept; its clock decides what is due
	From  Source // the same store
	To    bucket.Bucket
	Every time.Duration // between two backups
	Keep  int           // how many backups stay
	Temp  string        // folder for copies and temporary stores
	Log   *slog.Logger
	Poll  time.Duration // how often a node looks whether a task is due; 0: 15 seconds
}

const (
	poll      = 15 * time.Second
	lease     = 2 * time.Minute // for which a task of a dead node waits
	stopAfter = 5 * time.Second // for a run that is under way when the node stops
)

// Runner makes and checks backups when they are due. Every node of a store has one; a lease in the store lets one node
// at a time run a task.
type Runner struct {
	Config
	stop  context.CancelFunc
	ended chan struct{}
	known atomic.Pointer[Status]
}

// Status is what a node knows of the backups.
type Status struct {
	Backup, Check State
	To            string    // the place of this node's settings
	At            time.Time // when it was read
}

// NextBackup is when the next backup is due.
func (s Status) NextBackup() time.Time { return s.Backup.DueAt() }

// NextCheck is when the next check is due; zero: after the first backup.
func (s Status) NextCheck() time.Time {
	if s.Check.TriedAt.IsZero() || s.Check.Failed() && s.Backup.DoneAt.After(s.Check.TriedAt) {
		return s.Backup.DoneAt // it is the first, or newer than the one that was not good
	}
	return s.Check.DueAt()
}

// Start begins to look for due tasks; it runs until Stop.
func Start(ctx context.Context, c Config) *Runner {
	r := &Runner{Config: c, ended: make(chan struct{})}
	ctx, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(r.ended)
		for {
			r.round(ctx)
			select {
			case <-ctx.Done():
				return
			case <-time.After(cmp.Or(c.Poll, poll)):
			}
		}
	}()
	return r
}

// Stop ends the runner. A run under way is interrupted and repeated by the next node that looks; a copy of a SQLite
// store ends with the process.
func (r *Runner) Stop() {
	r.stop()
	select {
	case <-r.ended:
	case <-time.After(stopAfter):
	}
}

// Status returns what the node knows, as of its last look. ok is false before the first.
func (r *Runner) Status() (s Status, ok bool) {
	if known := r.known.Load(); known != nil {
		return *known, true
	}
	return s, false
}

// round runs what is due.
func (r *Runner) round(ctx context.Context) {
	for _, task := range []Task{BackupTask, CheckTask} {
		s, err := r.look(ctx)
		if err == nil {
			err = r.runIfDue(ctx, task, s)
		}
		if err == nil {
			_, err = r.look(ctx)
		}
		if err != nil && ctx.Err() == nil {
			r.Log.Error("backups: looking for what is due failed, trying again", "error", err)
		}
	}
}

func (r *Runner) look(ctx context.Context) (Status, error) {
	s, err := Look(ctx, r.DB, r.To.String())
	if err == nil {
		if s.Backup.Every = r.Every; s.Check.Every == 0 {
			s.Check.Every = CheckEvery
		}
		r.known.Store(&s)
	}
	return s, err
}

// Look reads the state of the backups from the store.
func Look(ctx context.Context, store *db.DB, to string) (Status, error) {
	s := Status{To: to, At: store.Now()}
	err := store.Read(ctx, db.Across, func(tx *db.Tx) (err error) {
		s.Backup, s.Check, err = Read(tx)
		return err
	})
	return s, err
}

// runIfDue runs a task if it is due and no other node is at work on it.
func (r *Runner) runIfDue(ctx context.Context, task Task, s Status) error {
	state, due := s.Backup, s.NextBackup()
	if task == CheckTask {
		if s.Backup.DoneAt.IsZero() {
			return nil
		}
		state, due = s.Check, s.NextCheck()
	}
	if s.At.Before(due) || s.At.Before(state.LeasedUntil) {
		return nil
	}
	state.Place = s.To
	var run State
	var first bool
	err := r.DB.Write(ctx, db.Across, func(tx *db.Tx) (err error) {
		run, first, err = state.Claim(tx, lease)
		return err
	})
	if err != nil || !first {
		return err
	}
	began := time.Now()
	failed := r.holding(ctx, run, func(ctx context.Context) error {
		if task == CheckTask {
			return r.check(ctx, &run)
		}
		return r.make(ctx, &run)
	})
	if ctx.Err() != nil { // the node stops: another one may begin at once
		release, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopAfter)
		defer cancel()
		return r.DB.Write(release, db.Across, func(tx *db.Tx) error { _, err := run.Hold(tx, 0); return err })
	}
	run.Took = time.Since(began)
	if run.Error = ""; failed != nil {
		run.Error = failed.Error()
	}
	r.report(run)
	return r.DB.Write(ctx, db.Across, run.End)
}

// make makes a backup.
func (r *Runner) make(ctx context.Context, run *State) error {
	made, err := Make(ctx, r.From, r.To, r.Keep, r.Temp, run.TriedAt)
	if err == nil {
		run.File, run.Bytes = made.Name, made.Bytes
	}
	return err
}

// check checks the newest backup.
func (r *Runner) check(ctx context.Context, run *State) error {
	checked, err := Check(ctx, r.To, r.Temp, "")
	run.File, run.Bytes = checked.Name, checked.Bytes
	return err
}

// report logs how a run ended.
func (r *Runner) report(run State) {
	log := r.Log.With("place", run.Place, "file", run.File, "bytes", run.Bytes, "took", run.Took.Round(time.Millisecond))
	switch {
	case run.Task == BackupTask && run.Failed():
		log.Error("the backup failed, the last good one stays", "error", run.Error, "again", run.DueAt())
	case run.Task == BackupTask:
		log.Info("backup made and checked")
	case run.Failed():
		log.Error("the newest backup cannot be restored: make another one at once with entrepot backup FILE, and try the older ones",
			"error", run.Error, "again", run.DueAt())
	default:
		log.Info("the newest backup can be restored")
	}
}

// errLost means that another node has taken the task.
var errLost = errors.New("another node has taken over")

// holding runs a task and extends its lease meanwhile. When another node has taken the task, the run's context ends.
func (r *Runner) holding(ctx context.Context, run State, do func(context.Context) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var extending sync.WaitGroup
	done := make(chan struct{})
	extending.Go(func() {
		tick := time.NewTicker(lease / 4)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			ok := true
			err := r.DB.Write(ctx, db.Across, func(tx *db.Tx) (err error) {
				ok, err = run.Hold(tx, lease)
				return err
			})
			if err == nil && !ok {
				end(errLost)
			}
		}
	})
	err := do(ctx)
	close(done)
	extending.Wait()
	if lost := context.Cause(ctx); errors.Is(lost, errLost) {
		return lost
	}
	return err
}
