package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/netguard"
	"entrepot/internal/orders"
	"entrepot/internal/seal"
)

// StoreConfig says which store to open and with which master key.
type StoreConfig struct {
	Dir       string           // data folder: SQLite's file and the master key's
	URL       string           // PostgreSQL; empty for SQLite
	MasterKey string           // 32 bytes in base64 or hex; empty: the data folder's master.key, made on first start
	Dev       bool             // http and loopback addresses are allowed
	Allow     netguard.Allowed // addresses that may be reached although interface §6.2 would refuse them
	Now       func() time.Time // nil: the real time
	Log       *slog.Logger
}

// Store is an open, migrated store with the operations on it.
type Store struct {
	DB       *db.DB
	Commerce *commerce.Service
	Guard    *netguard.Guard
}

// OpenStore opens a store, brings its schema up to date, and refuses a master key that is not the store's. Any number
// of processes may have one store open.
func OpenStore(ctx context.Context, c StoreConfig) (*Store, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	key, err := masterKey(c)
	if err != nil {
		return nil, err
	}
	guard := &netguard.Guard{Dev: c.Dev, Allow: c.Allow}
	client := guarded(guard)
	known, err := connectors(client)
	if err != nil {
		return nil, err
	}
	store, err := db.Open(ctx, db.Config{URL: c.URL, Dir: c.Dir, Log: c.Log, Now: c.Now})
	if err != nil {
		return nil, err
	}
	s := &Store{DB: store, Guard: guard,
		Commerce: &commerce.Service{Key: key, Numbers: orders.NewNumbers(), Connectors: known, Guard: guard, HTTP: client, Dev: c.Dev}}
	steps, err := store.Migrate(ctx)
	if err == nil {
		err = store.Write(ctx, db.Across, s.Commerce.ClaimStore)
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if steps > 0 {
		c.Log.Info("schema brought up to date", "engine", store.Engine(), "steps", steps)
	}
	return s, nil
}

// Close ends the store's connections.
func (s *Store) Close() error { return s.DB.Close() }

func masterKey(c StoreConfig) (seal.Key, error) {
	if c.MasterKey != "" {
		return seal.Parse(c.MasterKey)
	}
	key, made, err := seal.FromDir(c.Dir)
	if err != nil {
		return key, fmt.Errorf("the master key: %w", err)
	}
	if made {
		c.Log.Warn("a new master key was made: keep a copy of it apart from the store, without it stored credentials cannot be read", "folder", c.Dir, "file", "master.key")
	}
	return key, nil
}
