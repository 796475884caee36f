package dashboard

import (
	"entrepot/internal/backups"
)

// backupPairs are what users who see the account's users see of the service's backups; nil without backups. Where the
// backups are is the administrator's matter, and so is the text of an error: the service's log has both.
func (r *request) backupPairs() []pair {
	if r.d.Backups == nil || !r.caller().May("read:users") {
		return nil
	}
	s, ok := r.d.Backups()
	if !ok {
		return nil
	}
	last, check := r.lastRun("Last backup", s.Backup), r.lastRun("Last check", s.Check)
	next := pair{Name: "Next backup", Value: "at once"}
	if due := s.NextBackup(); due.After(s.At) {
		next = pair{Name: "Next backup", At: r.format.Due(due.UnixMicro())}
	}
	list := []pair{last}
	if !s.Backup.DoneAt.IsZero() {
		list = append(list, pair{Name: "Size", Value: r.say("%s MB", r.format.Count((s.Backup.Bytes+1<<20-1)>>20))})
	}
	if s.Backup.Failed() {
		list = append(list, pair{Name: "Failed", Value: "The last try failed. The service's log says why; it tries again."})
	}
	list = append(list, check)
	if s.Check.Failed() {
		list = append(list, pair{Name: "Not good", Value: "The backup that was checked last cannot be restored: the administrator must act. " +
			"The service's log says why."})
	}
	return append(list, next)
}

// lastRun is when a task was done last.
func (r *request) lastRun(name string, s backups.State) pair {
	if s.DoneAt.IsZero() {
		return pair{Name: name, Value: "none yet"}
	}
	return pair{Name: name, At: r.format.Stamp(s.DoneAt.UnixMicro())}
}
