package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/bucket"
	"entrepot/internal/base/netguard"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/base/trace"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/connector/all"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// StoreConfig says which store to open and with which master key.
type StoreConfig struct {
	Dir       string           // data folder: SQLite's file and the master key's
	URL       string           // PostgreSQL; empty for SQLite
	MasterKey string           // 32 bytes in base64 or hex; empty: the data folder's master.key, created with the store
	MustExist bool             // a missing store is an error and is not created
	Dev       bool             // http and loopback addresses are allowed
	Allow     netguard.Allowed // addresses that may be called although interface §6.2 would refuse them
	Now       func() time.Time // nil: the real time
	// Sleep waits for a platform's limit by the clock of Now, or until ctx ends; nil: by the real time
	Sleep func(ctx context.Context, d time.Duration) error
	Log   *slog.Logger
	Trace *trace.Tracer // nil: no spans

	StatementTimeout time.Duration // PostgreSQL: bounds each statement; 0 for none
	HasBackup        bool          // PostgreSQL: migrations that rewrite tables may run
	MinWait          time.Duration // for commands and tests: see db.Config
	PullEvery        time.Duration // between two scheduled pulls of a channel's orders; 0: five minutes
	Media            bucket.Bucket // where uploaded pictures are; nil: the folder media of Dir
	Agent            string        // names the service to platforms; "": entrepot

	Later []db.Migration // for tests: see db.Config
}

// MediaPlace is where uploaded pictures are.
func (c StoreConfig) MediaPlace() (bucket.Bucket, error) {
	if c.Media != nil {
		return c.Media, nil
	}
	return bucket.Open(filepath.Join(c.Dir, "media"), bucket.S3{})
}

// Store is an open, migrated store with the operations on it.
type Store struct {
	DB       *db.DB
	Commerce *commerce.Service
	Guard    *netguard.Guard
}

// OpenStore opens a store, brings its schema up to date, and checks the master key. Any number of processes may have
// one store open. A master key is generated only for a store that has never had one, because another key could not
// decrypt its secrets. Errors: the master key is not the store's.
func OpenStore(ctx context.Context, c StoreConfig) (*Store, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	key, missing, err := masterKey(c)
	if err != nil {
		return nil, err
	}
	pictures, err := c.MediaPlace()
	if err != nil {
		return nil, err
	}
	guard := &netguard.Guard{Dev: c.Dev, Allow: c.Allow}
	client := guarded(guard)
	client.Transport = c.Trace.Transport("platform", client.Transport)
	known, err := all.Connectors(client, time.Now)
	if err != nil {
		return nil, err
	}
	store, err := openDB(ctx, c)
	if err != nil {
		return nil, err
	}
	steps, err := store.Migrate(ctx)
	if err == nil && missing != nil {
		key, err = firstMasterKey(ctx, store, c, missing)
	}
	s := &Store{DB: store, Guard: guard,
		Commerce: &commerce.Service{Key: key, Numbers: orders.NewNumbers(), Connectors: known, Guard: guard, HTTP: client, Log: c.Log,
			Dev: c.Dev, Clients: c.clients(guard), PullEvery: c.PullEvery, Media: pictures}}
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

// openDB opens the store's database, and does not create it if MustExist is set.
func openDB(ctx context.Context, c StoreConfig) (*db.DB, error) {
	config := db.Config{URL: c.URL, Dir: c.Dir, Log: c.Log, Now: c.Now, Spans: c.Trace, StatementTimeout: c.StatementTimeout,
		MinWait: c.MinWait, HasBackup: c.HasBackup, Later: c.Later}
	if c.MustExist {
		return db.OpenExisting(ctx, config)
	}
	return db.Open(ctx, config)
}

// Close ends the store's connections, after renewals of platforms' tokens that are under way.
func (s *Store) Close() error {
	s.Commerce.EndRenewals()
	return s.DB.Close()
}

// masterKey reads the master key of a configuration. missing is the reason for which the data folder has none; nil if
// it has one.
func masterKey(c StoreConfig) (key secretbox.Key, missing, err error) {
	if c.MasterKey != "" {
		key, err = secretbox.Parse(c.MasterKey)
		return key, nil, err
	}
	key, err = secretbox.ReadFile(c.Dir)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, secretbox.ErrEmptyFile):
		return key, err, nil
	case err != nil:
		return key, nil, fmt.Errorf("the master key: %w", err)
	}
	return key, nil, nil
}

// firstMasterKey generates the master key of a store without one, and refuses to generate a second.
func firstMasterKey(ctx context.Context, store *db.DB, c StoreConfig, missing error) (key secretbox.Key, err error) {
	have := ""
	err = store.Read(ctx, db.Across, func(tx *db.Tx) (err error) {
		have, err = accounts.StoreKey(tx)
		return err
	})
	if err != nil {
		return key, err
	}
	if have != "" {
		// another process has made store and key since the folder was read
		if key, err := secretbox.ReadFile(c.Dir); err == nil {
			return key, nil
		}
		return key, fmt.Errorf("the store's secrets are encrypted with the master key %s, which is not here (%w): put its copy back to %s, "+
			"readable by nobody else, or give it in ENTREPOT_MASTER_KEY; a new key could not read them", have, missing,
			filepath.Join(c.Dir, secretbox.FileName))
	}
	key, made, err := secretbox.MakeFile(c.Dir)
	if err != nil {
		return key, fmt.Errorf("the master key: %w", err)
	}
	if made {
		c.Log.Warn("a new master key was made: keep a copy of it apart from the store, without it stored credentials cannot be read",
			"folder", c.Dir, "file", secretbox.FileName)
	}
	return key, nil
}

// clients are the HTTP clients for platforms.
func (c StoreConfig) clients(guard *netguard.Guard) *connector.Clients {
	clients := connector.NewClients(guard, c.agent())
	if c.Trace != nil {
		clients.Through(func(t http.RoundTripper) http.RoundTripper { return c.Trace.Transport("platform", t) })
	}
	if c.Now != nil && c.Sleep != nil {
		clients.Timed(c.Now, c.Sleep)
	}
	return clients
}

// agent is the service's name for platforms.
func (c StoreConfig) agent() string {
	if c.Agent == "" {
		return "entrepot"
	}
	return c.Agent
}

// guarded is the HTTP client for addresses that merchants enter: it connects only to addresses that interface §6.2
// allows and follows no redirects.
func guarded(guard *netguard.Guard) *http.Client {
	return &http.Client{
		Transport:     guard.Transport(4),
		Timeout:       30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
