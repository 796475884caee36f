package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/seal"
	"entrepot/internal/server"
)

// finding is what the doctor says of one thing.
type finding struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict"` // ok, warning or fault
	Message string `json:"message"`
}

// newDoctorCommand is "entrepot doctor": what would go wrong, looked for before it does. It changes nothing.
func newDoctorCommand(env *environment) *cobra.Command {
	var https string
	doctor := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what would go wrong: store, master key, disk, clock, port, outgoing https",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := env.serverConfig(cmd); err != nil {
				return err
			}
			if https != "" && !strings.HasPrefix(https, "https://") {
				return wrong("--https must be an address such as https://example.com, not %q", https)
			}
			findings := env.examine(cmd, https)
			rows, faults := [][]string{}, 0
			for _, f := range findings {
				rows = append(rows, []string{f.Check, f.Verdict, f.Message})
				if f.Verdict == "fault" {
					faults++
				}
			}
			if err := env.print(cmd, findings, []string{"check", "verdict", ""}, rows); err != nil {
				return err
			}
			if faults > 0 {
				return fmt.Errorf("%d of %d checks failed", faults, len(findings))
			}
			return nil
		},
	}
	env.flags(doctor, "addr", "data", "database", "dev", "rate-limits")
	doctor.Flags().StringVar(&https, "https", "https://example.com", "address that must be reachable for webhooks and connectors; empty leaves it out")
	doctor.Flags().Bool("json", false, "print JSON")
	return doctor
}

// examine runs every check.
func (env *environment) examine(cmd *cobra.Command, https string) []finding {
	c, err := env.storeConfig(cmd)
	if err != nil {
		return []finding{{"settings", "fault", err.Error()}}
	}
	found := []finding{checkDataFolder(c), checkMasterKey(cmd.Context(), c)}
	found = append(found, checkStore(cmd.Context(), c)...)
	found = append(found, checkPort(cmd.Context(), env.text(cmd, "addr")))
	if c.Dev {
		found = append(found, finding{"settings", "warning", "--dev allows webhooks and channels to reach this machine: not for a service that others reach"})
	}
	if on, err := env.on(cmd, "rate-limits"); err != nil {
		found = append(found, finding{"settings", "fault", err.Error()})
	} else if !on {
		found = append(found, finding{"settings", "warning", "rate limits are off: for benchmarks only"})
	}
	if https != "" {
		found = append(found, checkHTTPS(cmd.Context(), https)...)
	}
	return found
}

func checkDataFolder(c server.StoreConfig) finding {
	info, err := os.Stat(c.Dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return finding{"data folder", "ok", c.Dir + " does not exist yet, the first start makes it"}
	case err != nil:
		return finding{"data folder", "fault", err.Error()}
	case !info.IsDir():
		return finding{"data folder", "fault", c.Dir + " is no folder"}
	}
	probe, err := os.CreateTemp(c.Dir, ".doctor-*")
	if err != nil {
		return finding{"data folder", "fault", "cannot be written: " + err.Error()}
	}
	defer os.Remove(probe.Name())
	_, err = probe.Write(make([]byte, 1<<20))
	if err = errors.Join(err, probe.Sync(), probe.Close()); err != nil {
		return finding{"data folder", "fault", "one megabyte could not be written: " + err.Error()}
	}
	if info.Mode().Perm()&0o077 != 0 {
		return finding{"data folder", "warning", fmt.Sprintf("%s can be entered by others (%s): chmod 700", c.Dir, info.Mode().Perm())}
	}
	return finding{"data folder", "ok", c.Dir + " can be written"}
}

// masterKeyOf is the master key in force, without making one.
func masterKeyOf(c server.StoreConfig) (key seal.Key, there bool, err error) {
	if c.MasterKey != "" {
		key, err = seal.Parse(c.MasterKey)
		return key, true, err
	}
	key, err = seal.ReadFile(c.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return key, false, nil
	}
	return key, true, err
}

func checkMasterKey(_ context.Context, c server.StoreConfig) finding {
	key, there, err := masterKeyOf(c)
	switch {
	case err != nil:
		return finding{"master key", "fault", err.Error()}
	case !there:
		return finding{"master key", "ok", "there is none yet, the first start makes one"}
	case c.MasterKey == "" && c.URL != "":
		return finding{"master key", "warning", "key " + key.ID() + " is in a file: every node of a PostgreSQL store needs the same one"}
	}
	return finding{"master key", "ok", "key " + key.ID()}
}

// checkStore looks into the store without changing it.
func checkStore(ctx context.Context, c server.StoreConfig) (found []finding) {
	path := filepath.Join(c.Dir, db.File)
	if c.URL == "" {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return []finding{{"store", "ok", "there is none yet, the first start makes it"}}
		}
		if err := db.CheckFile(path); err != nil {
			return []finding{{"store", "fault", err.Error()}}
		}
	}
	store, err := db.Open(ctx, db.Config{URL: c.URL, Dir: c.Dir})
	if err != nil {
		return []finding{{"store", "fault", err.Error()}}
	}
	defer store.Close()
	began := time.Now()
	if err := store.Ping(ctx); err != nil {
		return []finding{{"store", "fault", err.Error()}}
	}
	found = append(found, finding{"store", "ok", fmt.Sprintf("%s answers in %s", store.Engine(), time.Since(began).Round(10*time.Microsecond))})
	if current, err := store.Current(ctx); err != nil {
		return append(found, finding{"schema", "fault", err.Error()})
	} else if !current {
		return append(found, finding{"schema", "warning", "not up to date: entrepot migrate, or the next start, brings it there"})
	}
	found = append(found, finding{"schema", "ok", "up to date"})
	key, there, _ := masterKeyOf(c)
	err = store.Read(ctx, db.Across, func(tx *db.Tx) error {
		sealed, err := accounts.StoreKey(tx)
		if err == nil && sealed != "" && (!there || sealed != key.ID()) {
			return fmt.Errorf("the store's secrets are sealed with the key %s, which is not here", sealed)
		}
		return err
	})
	if err != nil {
		found = append(found, finding{"master key", "fault", err.Error()})
	}
	return found
}

func checkPort(ctx context.Context, addr string) finding {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return finding{"address", "warning", err.Error() + " (a running service has it)"}
	}
	listener.Close()
	return finding{"address", "ok", addr + " is free"}
}

// checkHTTPS asks an address and holds this machine's clock against the answer's.
func checkHTTPS(ctx context.Context, address string) []finding {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return []finding{{"outgoing https", "fault", err.Error()}}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return []finding{{"outgoing https", "warning", err.Error() + ": webhooks and connectors need it"}}
	}
	response.Body.Close()
	found := []finding{{"outgoing https", "ok", address + " answers"}}
	there, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return append(found, finding{"clock", "warning", "nothing to compare it with"})
	}
	if apart := time.Since(there).Abs(); apart > 5*time.Second {
		return append(found, finding{"clock", "warning", fmt.Sprintf("%s apart from %s: signatures and retries depend on it", apart.Round(time.Second), address)})
	}
	return append(found, finding{"clock", "ok", "within 5 s of " + address})
}
