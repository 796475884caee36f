package server_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/base/secretbox"
	"entrepot/internal/db"
	"entrepot/internal/server"
)

// A store whose master key is gone is not given another one: its secrets could never be read again. The message names the key.
func TestMasterKeyOfAStoreIsNeverMadeTwice(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"the file is gone":  os.Remove,
		"the file is empty": func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			engines(t, func(t *testing.T, c server.Config, _ *log) {
				store, err := server.OpenStore(t.Context(), c.StoreConfig)
				if err != nil {
					t.Fatal(err)
				}
				id := store.Commerce.Key.ID()
				path := filepath.Join(c.Dir, secretbox.FileName)
				kept, err := os.ReadFile(path)
				if err := errors.Join(err, store.Close(), lose(path)); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					store, err := server.OpenStore(t.Context(), c.StoreConfig)
					if err == nil {
						store.Close()
						t.Fatal("the store was opened without its key")
					}
					if !strings.Contains(err.Error(), id) || !strings.Contains(err.Error(), path) ||
						!strings.Contains(err.Error(), "ENTREPOT_MASTER_KEY") {
						t.Errorf("the message says not what is missing: %v", err)
					}
				}
				if info, err := os.Stat(path); err == nil && info.Size() > 0 {
					t.Error("another key was made")
				}
				if err := os.WriteFile(path, kept, 0o600); err != nil {
					t.Fatal(err)
				}
				if store, err = server.OpenStore(t.Context(), c.StoreConfig); err != nil {
					t.Fatalf("with its key back: %v", err)
				}
				store.Close()
			})
		})
	}
}

// Each guess at a password costs 19 MiB and two passes, whether the first start or an operation stored the password.
func TestPasswordsOfTheServiceAreExpensiveToGuess(t *testing.T) {
	store, err := server.OpenStore(t.Context(), server.StoreConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	first, err := server.FirstAccount(t.Context(), server.Admin{Email: "owner@first.example", Password: "correct horse battery"}, "First")
	made, err2 := store.Commerce.Hashing.Hash(t.Context(), "correct horse battery")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for _, hash := range []string{first.Owner.PasswordHash, made} {
		if !strings.HasPrefix(hash, "argon2id$19456$2$") {
			t.Errorf("stored is %q", hash)
		}
	}
}

// A start that was cut off while the key was being written leaves an empty file; the next one makes the key.
func TestEmptyMasterKeyOfANewStoreIsReplaced(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, _ *log) {
		if err := os.WriteFile(filepath.Join(c.Dir, secretbox.FileName), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		store, err := server.OpenStore(t.Context(), c.StoreConfig)
		if err != nil {
			t.Fatal(err)
		}
		store.Close()
		if _, err := secretbox.ReadFile(c.Dir); err != nil {
			t.Error(err)
		}
	})
}

// Processes that begin at once on an empty folder, such as a service and a command that makes the first account, have one store and
// one key.
func TestStoreIsMadeByManyAtOnce(t *testing.T) {
	for range 4 {
		config := server.StoreConfig{Dir: t.TempDir()}
		var all sync.WaitGroup
		keys := make(chan string, 4)
		for range cap(keys) {
			all.Go(func() {
				store, err := server.OpenStore(t.Context(), config)
				if err != nil {
					t.Error(err)
					return
				}
				keys <- store.Commerce.Key.ID()
				store.Close()
			})
		}
		all.Wait()
		close(keys)
		first := <-keys
		for key := range keys {
			if key != first {
				t.Errorf("one has the key %s, another %s", first, key)
			}
		}
	}
}

func TestReadableMasterKeyIsRefused(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, _ *log) {
		path := filepath.Join(c.Dir, secretbox.FileName)
		if err := errors.Join(os.WriteFile(path, []byte(strings.Repeat("ab", 32)), 0o644), os.Chmod(path, 0o644)); err != nil {
			t.Fatal(err)
		}
		if store, err := server.OpenStore(t.Context(), c.StoreConfig); err == nil || !strings.Contains(err.Error(), "chmod 600 "+path) {
			if err == nil {
				store.Close()
			}
			t.Errorf("%v", err)
		}
	})
}

// A SQLite store is served by one process; a second one names the first. Commands that may run beside a service still
// work, and the next service starts once the first has ended.
func TestSecondServiceOfAFolderIsRefused(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, _ *log) {
		first, stop := start(t, c)
		second, err := server.Listen(c)
		if err != nil {
			t.Fatal(err)
		}
		if c.URL != "" {
			if _, stopSecond := start(t, c); stopSecond() != nil {
				t.Error("a second node of a PostgreSQL store was refused")
			}
			return
		}
		err = second.Run(t.Context(), nil)
		if err == nil || !strings.Contains(err.Error(), first.Address()) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
			t.Errorf("a second service: %v", err)
		}
		store, err := server.OpenStore(t.Context(), c.StoreConfig)
		if err != nil {
			t.Fatalf("beside the service: %v", err)
		}
		if err := errors.Join(store.Close(), stop()); err != nil {
			t.Fatal(err)
		}
		_, stop = start(t, c)
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestStoreThatMustExistIsNotMade(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, _ *log) {
		c.MustExist = true
		if store, err := server.OpenStore(t.Context(), c.StoreConfig); !errors.Is(err, db.ErrNoStore) {
			if err == nil {
				store.Close()
			}
			t.Errorf("%v", err)
		}
		if entries, _ := os.ReadDir(c.Dir); len(entries) != 0 {
			t.Errorf("left behind: %v", entries)
		}
	})
}
