package dashboard

import (
	"strings"
	"testing"
	"time"

	"entrepot/internal/backups"
)

// The settings show when the service's store was backed up and checked last, and what an administrator must do; nothing
// of a service without backups. Places and errors are not shown.
func TestSettingsShowTheBackups(t *testing.T) {
	s := newSite(t, "sqlite")
	const head = "Backups of the service"
	if page := s.as(s.owner).get("/settings/account").words(); strings.Contains(page, head) {
		t.Error("a service without backups shows some")
	}
	now := s.DB.Now()
	good := backups.Status{At: now, Backup: backups.State{Task: backups.BackupTask, Every: 24 * time.Hour, TriedAt: now, DoneAt: now,
		File: "entrepot-x.db", Bytes: 7<<20 + 1}, Check: backups.State{Task: backups.CheckTask, Every: backups.CheckEvery, TriedAt: now, DoneAt: now}}
	bad := good
	bad.Backup.Error, bad.Check.Error = "no room on /secret", "/secret is damaged"
	for name, c := range map[string]struct {
		status backups.Status
		want   []string
	}{
		"new":  {backups.Status{At: now}, []string{"Last backup none yet", "Last check none yet", "Next backup at once"}},
		"good": {good, []string{"Last backup", "Size 8 MB", "Last check", "Next backup"}},
		"bad":  {bad, []string{"The last try failed", "cannot be restored"}},
	} {
		s.Backups = func() (backups.Status, bool) { return c.status, true }
		page := s.as(s.owner).get("/settings/account").words()
		for _, text := range append(c.want, head) {
			if !strings.Contains(page, text) {
				t.Errorf("%s: no %q in %s", name, text, page)
			}
		}
		if strings.Contains(page, "secret") {
			t.Errorf("%s: shows a place", name)
		}
	}
}
