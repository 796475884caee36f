package backups

import (
	"time"

	"entrepot/internal/db"
)

// The statements of this file serve all accounts: backups are the store's.

// Task is what a service does about backups.
type Task string

// The tasks.
const (
	BackupTask Task = "backup"
	CheckTask  Task = "check"
)

// CheckEvery is the time between two checks of the newest backup.
const CheckEvery = 7 * 24 * time.Hour

// retryAfter is the pause after a run that failed.
var retryAfter = map[Task]time.Duration{BackupTask: 10 * time.Minute, CheckTask: time.Hour}

// State is what the store knows of a task.
type State struct {
	Task        Task
	LeasedUntil time.Time     // until then a node is at work on the task
	Every       time.Duration // between two runs, of the service that ran last
	TriedAt     time.Time     // when the last run began; zero: there was none
	DoneAt      time.Time     // when the last run that succeeded began; zero: none has
	Place       string        // the bucket of the last run
	File        string        // the backup that the last good run made, or the one that the last run checked
	Bytes       int64         // of that file
	Took        time.Duration // of the last run
	Error       string        // of the last run; "": it succeeded, or is the first and under way
}

// Failed reports whether the last run that ended failed.
func (s State) Failed() bool { return s.Error != "" }

// DueAt is when the task is due; zero: at once. A run that failed is repeated sooner than one that succeeded.
func (s State) DueAt() time.Time {
	switch {
	case s.Failed():
		return s.TriedAt.Add(min(s.Every, retryAfter[s.Task]))
	case s.DoneAt.IsZero():
		return time.Time{}
	}
	return s.DoneAt.Add(s.Every)
}

// Late reports whether the last good backup is older than twice the time between two.
func (s State) Late(now time.Time) bool { return !s.DoneAt.IsZero() && now.Sub(s.DoneAt) > 2*s.Every }

// Read reads both tasks. One without a run has only its name.
func Read(tx *db.Tx) (backup, check State, err error) {
	backup.Task, check.Task = BackupTask, CheckTask
	err = tx.Each(func(r db.Rows) error {
		var s State
		var leased, every, tried, done, took int64
		err := r.Scan(&s.Task, &leased, &every, &tried, &done, &s.Place, &s.File, &s.Bytes, &took, &s.Error)
		s.LeasedUntil, s.TriedAt, s.Every = at(leased), at(tried), time.Duration(every)*time.Microsecond
		s.Took, s.DoneAt = time.Duration(took)*time.Microsecond, at(done)
		if s.Task == BackupTask {
			backup = s
		} else {
			check = s
		}
		return err
	}, `SELECT task, leased_until, every, tried_at, coalesce(done_at, 0), place, file, bytes, took, error FROM backup_tasks`)
	return backup, check, err
}

// at is a time of the store; 0 is none.
func at(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// Claim takes a task for a run, if it is as s says and no node is at work on it. ok is false if another node was first.
// The result has the beginning of the run, which marks it in the store.
func (s State) Claim(tx *db.Tx, lease time.Duration) (run State, ok bool, err error) {
	run = s
	run.TriedAt, run.LeasedUntil = tx.Now(), tx.Now().Add(lease)
	args := []any{s.Task, run.LeasedUntil.UnixMicro(), s.Every.Microseconds(), run.TriedAt.UnixMicro(), s.Place}
	sql := `INSERT INTO backup_tasks (task, leased_until, every, tried_at, place, file, bytes, took, error) VALUES ($1, $2, $3, $4, $5, '', 0, 0, '')
		ON CONFLICT (task) DO NOTHING`
	if !s.TriedAt.IsZero() {
		args = append(args, s.TriedAt.UnixMicro())
		sql = "UPDATE backup_tasks SET leased_until = $2, every = $3, tried_at = $4, place = $5 WHERE task = $1 AND tried_at = $6 AND " +
			"leased_until <= $4"
	}
	n, err := tx.Exec(sql, args...)
	return run, n == 1, err
}

// Hold extends the lease of a run. ok is false if another node has taken the task.
func (s State) Hold(tx *db.Tx, lease time.Duration) (ok bool, err error) {
	n, err := tx.Exec("UPDATE backup_tasks SET leased_until = $3 WHERE task = $1 AND tried_at = $2", s.Task, s.TriedAt.UnixMicro(),
		tx.Now().Add(lease).UnixMicro())
	return n == 1, err
}

// End records how a run ended, unless another node has taken the task. Of a backup that failed, file and size of the
// one before remain.
func (s State) End(tx *db.Tx) error {
	done := "tried_at"
	if s.Failed() {
		done = "done_at"
	}
	_, err := tx.Exec("UPDATE backup_tasks SET leased_until = 0, done_at = "+done+", file = $3, bytes = $4, took = $5, error = $6 "+
		"WHERE task = $1 AND tried_at = $2", s.Task, s.TriedAt.UnixMicro(), s.File, s.Bytes, s.Took.Microseconds(), s.Error)
	return err
}
