package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/backups"
	"entrepot/internal/db"
	"entrepot/internal/server"
)

// checkBackups checks what the store knows of its backups and of the export of its master key. A store that cannot be
// read is another check's finding.
func (env *environment) checkBackups(cmd *cobra.Command, c server.StoreConfig) (found []finding) {
	settings, err := env.backupSettings(cmd)
	if err != nil {
		return []finding{{"backups", "error", err.Error()}}
	}
	ctx := cmd.Context()
	store, err := db.OpenExisting(ctx, db.Config{URL: c.URL, Dir: c.Dir})
	if err != nil {
		return nil
	}
	defer store.Close()
	if current, err := store.Current(ctx); err != nil || !current {
		return nil
	}
	found = append(found, checkExport(ctx, store))
	place := ""
	if settings.To != nil {
		place = settings.To.String()
	}
	s, err := backups.Look(ctx, store, place)
	if err != nil {
		return append(found, finding{"backups", "error", err.Error()})
	}
	if s.Backup.Every = settings.Every; settings.To == nil && s.Backup.TriedAt.IsZero() {
		return append(found, finding{"backups", "warning", "the service makes none: give it a folder on another disk, or a bucket, in the setting " +
			"backup-to, or see that something else makes them"})
	}
	return append(found, judgeBackup(s), judgeCheck(s))
}

// checkExport warns until the master key in use was exported.
func checkExport(ctx context.Context, store *db.DB) finding {
	var id string
	var at time.Time
	err := store.Read(ctx, db.Across, func(tx *db.Tx) (err error) {
		id, at, err = accounts.KeyExportedAt(tx)
		return err
	})
	switch {
	case err != nil:
		return finding{"key copy", "error", err.Error()}
	case id == "":
		return finding{"key copy", "ok", "the store has no key yet"}
	case at.IsZero():
		return finding{"key copy", "warning", "key " + id + " was never exported: if it is lost with its disk, no backup has readable " +
			"credentials: run entrepot key-export FILE, and keep the file on another machine"}
	}
	return finding{"key copy", "ok", "key " + id + " was exported on " + at.Format(time.DateOnly)}
}

// judgeBackup is the finding about the last backup.
func judgeBackup(s backups.Status) finding {
	age := s.At.Sub(s.Backup.DoneAt).Round(time.Minute)
	text := fmt.Sprintf("the last good one is %s old: %s in %s", age, s.Backup.File, s.Backup.Place)
	switch {
	case s.Backup.TriedAt.IsZero():
		return finding{"backups", "warning", "none was made yet: the service makes the first within a minute of its start"}
	case s.Backup.DoneAt.IsZero() && s.Backup.Failed():
		return finding{"backups", "error", "none has succeeded, the last failed with: " + s.Backup.Error}
	case s.Backup.DoneAt.IsZero():
		return finding{"backups", "ok", "the first is being made"}
	case s.Backup.Late(s.At) && s.Backup.Failed():
		return finding{"backups", "error", text + "; since then they fail with: " + s.Backup.Error}
	case s.Backup.Late(s.At):
		return finding{"backups", "error", text + fmt.Sprintf(", more than twice %s: see that the service runs with backup-to", s.Backup.Every)}
	case s.Backup.Failed():
		return finding{"backups", "warning", text + "; the newest try failed and is repeated: " + s.Backup.Error}
	}
	return finding{"backups", "ok", text}
}

// judgeCheck is the finding about the last check of a backup.
func judgeCheck(s backups.Status) finding {
	switch {
	case s.Check.Failed():
		return finding{"backup check", "error", s.Check.File + " cannot be restored: " + s.Check.Error + ": make another one at once with " +
			"entrepot backup FILE, and try the older ones"}
	case s.Check.DoneAt.IsZero():
		return finding{"backup check", "warning", "none was checked yet: the service checks the first when it is made; entrepot backup check tries " +
			"it now"}
	case s.At.Sub(s.Check.DoneAt) > 2*backups.CheckEvery:
		return finding{"backup check", "warning", "the last was on " + s.Check.DoneAt.Format(time.DateOnly) + ": see that the service runs with " +
			"backup-to, and try entrepot backup check"}
	}
	return finding{"backup check", "ok", s.Check.File + " could be restored on " + s.Check.DoneAt.Format(time.DateOnly)}
}
