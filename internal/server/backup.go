package server

import (
	"context"
	"os"
	"time"

	"entrepot/internal/backups"
	"entrepot/internal/base/bucket"
)

// Backups configures the backups that a service makes by itself.
type Backups struct {
	To    bucket.Bucket // nil: none are made
	Every time.Duration
	Keep  int           // how many stay
	Poll  time.Duration // for tests: see backups.Config
}

// startBackups starts the node's backups; nil if none are configured.
func (s *Server) startBackups(ctx context.Context, store *Store) *backups.Runner {
	b := s.config.Backups
	if b.To == nil {
		return nil
	}
	temp := folder(s.config.Dir)
	if temp == "" {
		temp = os.TempDir()
	}
	return backups.Start(ctx, backups.Config{DB: store.DB, From: backups.Source{URL: s.config.URL, Dir: s.config.Dir}, To: b.To,
		Every: b.Every, Keep: b.Keep, Temp: temp, Log: s.log, Poll: b.Poll})
}

// backupStatus is what this node knows of the backups; ok is false without backups, and while the service starts.
func (s *Server) backupStatus() (status backups.Status, ok bool) {
	if n := s.running.Load(); n != nil && n.backups != nil {
		return n.backups.Status()
	}
	return status, false
}

// now is the injected clock.
func (c Config) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}
