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
	"entrepot/internal/base/disk"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/db"
	"entrepot/internal/server"
)

// finding is the result of one check.
type finding struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict"` // ok, warning or error
	Message string `json:"message"`
}

// newDoctorCommand is "entrepot doctor": it looks for problems before they occur. It changes nothing.
func newDoctorCommand(env *environment) *cobra.Command {
	var https string
	doctor := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what would go wrong: store, master key, backups, disk, clock, port, certificate, outgoing https",
		Long: "Look for problems before they occur, without changing anything. Each line is ok, a warning or an error, and says what to do.\n\n" +
			"Exits with 1 when there is an error. A running service is none: its port is reported as taken.",
		Example: "  entrepot doctor\n  entrepot doctor --database postgres://entrepot@db/entrepot --https '' --json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := env.serverConfig(cmd)
			if err != nil {
				return err
			}
			if https != "" && !strings.HasPrefix(https, "https://") {
				return wrong("--https must be an address such as https://example.com, not %q", https)
			}
			findings := env.examine(cmd, c, https)
			rows, failed := [][]string{}, 0
			for _, f := range findings {
				rows = append(rows, []string{f.Check, f.Verdict, f.Message})
				if f.Verdict == "error" {
					failed++
				}
			}
			if err := env.print(cmd, findings, []string{"check", "verdict", ""}, rows); err != nil {
				return err
			}
			if failed > 0 {
				return fmt.Errorf("%d of %d checks failed", failed, len(findings))
			}
			return nil
		},
	}
	env.flags(doctor, "addr", "data", "database", "dev", "public-url", "tls-cert", "tls-key",
		"acme-domain", "acme-email", "acme-directory", "acme-ca", "acme-http-addr", "trusted-proxies", "rate-limits",
		"media", "backup-to", "backup-every", "backup-keep", "s3-endpoint", "log-level", "log-format", "access-log")
	doctor.Flags().StringVar(&https, "https", "https://example.com",
		"address that must be reachable for webhooks and connectors; empty leaves it out")
	doctor.Flags().Bool("json", false, "print JSON")
	return doctor
}

// examine runs every check.
func (env *environment) examine(cmd *cobra.Command, all server.Config, https string) []finding {
	c := all.StoreConfig
	found := []finding{checkDataFolder(c), checkDisk(c), checkMasterKey(c)}
	found = append(found, checkStore(cmd.Context(), c)...)
	found = append(found, env.checkBackups(cmd, c)...)
	found = append(found, checkMedia(cmd.Context(), c))
	found = append(found, checkPort(cmd.Context(), env.text(cmd, "addr")))
	public, certFile := env.text(cmd, "public-url"), env.text(cmd, "tls-cert")
	if certFile != "" {
		found = append(found, checkCertificate(certFile, env.text(cmd, "tls-key"), public, time.Now()))
	}
	if len(all.ACME.Domains) > 0 {
		found = append(found, checkACME(cmd.Context(), all, time.Now())...)
	}
	ownTLS := certFile != "" || len(all.ACME.Domains) > 0
	found = append(found, checkPublic(public, env.text(cmd, "trusted-proxies"), ownTLS)...)
	found = append(found, checkLog(env.text(cmd, "log-level"), env.text(cmd, "access-log")))
	if c.Dev {
		found = append(found, finding{"settings", "warning",
			"--dev allows webhooks and channels to reach this machine: not for a service that others reach"})
	}
	if on, err := env.on(cmd, "rate-limits"); err != nil {
		found = append(found, finding{"settings", "error", err.Error()})
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
		return finding{"data folder", "error", err.Error()}
	case !info.IsDir():
		return finding{"data folder", "error", c.Dir + " is no folder: name another with --data"}
	}
	probe, err := os.CreateTemp(c.Dir, ".doctor-*")
	if err != nil {
		return finding{"data folder", "error", "cannot be written: " + err.Error() + ": give it to the user that runs the service (chown)"}
	}
	defer os.Remove(probe.Name())
	_, err = probe.Write(make([]byte, 1<<20))
	if err = errors.Join(err, probe.Sync(), probe.Close()); err != nil {
		return finding{"data folder", "error", "one megabyte could not be written: " + err.Error() + ": make room on the disk"}
	}
	if info.Mode().Perm()&0o077 != 0 {
		return finding{"data folder", "warning", fmt.Sprintf("%s can be entered by others (mode %04o): chmod 700 %s", c.Dir, info.Mode().Perm(),
			c.Dir)}
	}
	return finding{"data folder", "ok", c.Dir + " can be written"}
}

// Free space below which a disk will soon be full, or is full enough to fail.
const (
	scarceDisk = 1 << 30
	fullDisk   = 100 << 20
)

func checkDisk(c server.StoreConfig) finding {
	dir := c.Dir
	for !exists(dir) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	free, known := disk.Free(dir)
	text := fmt.Sprintf("%.1f GB free for %s", float64(free)/1e9, c.Dir)
	switch {
	case !known:
		return finding{"disk", "warning", "how much is free is not known here: look at it yourself, the store needs room to grow"}
	case free < fullDisk:
		return finding{"disk", "error", text + ": make room, or move the store to a larger disk"}
	case free < scarceDisk:
		return finding{"disk", "warning", text + ": make room soon"}
	}
	return finding{"disk", "ok", text}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// masterKeyOf is the configured master key; none is generated.
func masterKeyOf(c server.StoreConfig) (key secretbox.Key, there bool, err error) {
	if c.MasterKey != "" {
		key, err = secretbox.Parse(c.MasterKey)
		return key, true, err
	}
	key, err = secretbox.ReadFile(c.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return key, false, nil
	}
	return key, true, err
}

func checkMasterKey(c server.StoreConfig) finding {
	key, there, err := masterKeyOf(c)
	switch {
	case errors.Is(err, secretbox.ErrEmptyFile):
		return finding{"master key", "warning", err.Error() + ": put the copy of the key there if the store has secrets; a new store gets a " +
			"key at its first start"}
	case err != nil:
		return finding{"master key", "error", err.Error()}
	case !there:
		return finding{"master key", "ok", "there is none yet, the first start makes one"}
	case c.MasterKey == "" && c.URL != "":
		return finding{"master key", "warning", "key " + key.ID() + " is in a file: every node of a PostgreSQL store needs the same one: copy " +
			"the file, or give all of them ENTREPOT_MASTER_KEY"}
	}
	return finding{"master key", "ok", "key " + key.ID()}
}

// checkStore checks the store without changing it.
func checkStore(ctx context.Context, c server.StoreConfig) (found []finding) {
	path := filepath.Join(c.Dir, db.File)
	if c.URL == "" {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return []finding{{"store", "ok", "there is none yet, the first start makes it"}}
		}
		if err := db.CheckFile(path); err != nil {
			return []finding{{"store", "error", err.Error()}}
		}
	}
	store, err := db.Open(ctx, db.Config{URL: c.URL, Dir: c.Dir})
	if err != nil {
		return []finding{{"store", "error", err.Error()}}
	}
	defer store.Close()
	began := time.Now()
	if err := store.Ping(ctx); err != nil {
		return []finding{{"store", "error", err.Error()}}
	}
	if made, err := store.Made(ctx); err != nil {
		return []finding{{"store", "error", err.Error()}}
	} else if !made {
		return []finding{{"store", "ok", "the database is empty, the first start makes the store"}}
	}
	found = append(found, finding{"store", "ok", fmt.Sprintf("%s answers in %s", store.Engine(),
		time.Since(began).Round(10*time.Microsecond))})
	if current, err := store.Current(ctx); err != nil {
		return append(found, finding{"schema", "error", err.Error()})
	} else if !current {
		return append(found, finding{"schema", "warning", "migrations are pending: make a backup, then run entrepot migrate; the next start of " +
			"serve runs them, too"})
	}
	found = append(found, finding{"schema", "ok", "up to date"})
	key, there, _ := masterKeyOf(c)
	err = store.Read(ctx, db.Across, func(tx *db.Tx) error {
		held, err := accounts.StoreKey(tx)
		if err == nil && held != "" && (!there || held != key.ID()) {
			return fmt.Errorf("the store's secrets are encrypted with the key %s, which is not here: put its copy to %s, or give it in "+
				"ENTREPOT_MASTER_KEY",
				held, filepath.Join(c.Dir, secretbox.FileName))
		}
		return err
	})
	if err != nil {
		found = append(found, finding{"master key", "error", err.Error()})
	}
	return append(found, checkServer(ctx, store)...)
}

// checkServer checks what only a database server has: a clock and settings of its own, and roles.
func checkServer(ctx context.Context, store *db.DB) (found []finding) {
	security, err := store.Security(ctx)
	switch {
	case err != nil:
		return []finding{{"row-level security", "error", err.Error()}}
	case store.Engine() != "postgres":
		return nil
	case len(security.Open) > 0:
		found = append(found, finding{"row-level security", "error", "missing on " + strings.Join(security.Open, ", ") +
			": run as their owner: " + security.Repair()})
	case security.AllPower:
		found = append(found, finding{"row-level security", "warning", "does not hold for the role " + security.Role +
			", which is a superuser: give entrepot a role of its own"})
	default:
		found = append(found, finding{"row-level security", "ok", "stands on every table with an account"})
	}
	switch lax, err := store.Lax(ctx); {
	case err != nil:
		return append(found, finding{"durability", "error", err.Error()})
	case len(lax) > 0:
		found = append(found, finding{"durability", "warning", "a power cut may lose acknowledged orders: the database server has " +
			strings.Join(lax, ", ") + ": switch it on"})
	default:
		found = append(found, finding{"durability", "ok", "the database server forces commits to the disk"})
	}
	switch accepted, used, err := store.Places(ctx); {
	case err != nil:
		return append(found, finding{"connections", "error", err.Error()})
	case accepted > 0 && accepted < used:
		found = append(found, finding{"connections", "warning", fmt.Sprintf("a node uses up to %d, and the server accepts %d: raise its "+
			"max_connections, or add pool_max_conns=%d to the address", used, accepted, max(1, accepted/2))})
	}
	var micros int64
	err = store.Read(ctx, db.Across, func(tx *db.Tx) error {
		return tx.Row("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::BIGINT", nil, &micros)
	})
	if err != nil {
		return append(found, finding{"database clock", "error", err.Error()})
	}
	if apart := time.Since(time.UnixMicro(micros)).Abs(); apart > time.Second {
		return append(found, finding{"database clock", "warning", fmt.Sprintf("%s apart from this machine's: run NTP on both",
			apart.Round(time.Millisecond))})
	}
	return append(found, finding{"database clock", "ok", "within 1 s of this machine's"})
}

// checkPublic checks what the settings say of the proxy in front of it, which makes https of http.
func checkPublic(public, proxies string, ownTLS bool) (found []finding) {
	switch {
	case ownTLS:
		found = append(found, finding{"sessions", "ok", "the dashboard's cookie goes over https only: the service speaks TLS itself"})
	case strings.HasPrefix(public, "https:"):
		found = append(found, finding{"sessions", "ok", "the dashboard's cookie goes over https only"})
	case proxies != "":
		found = append(found, finding{"sessions", "ok", "the dashboard's cookie goes over https only where a trusted proxy says " +
			"X-Forwarded-Proto: https"})
	default:
		found = append(found, finding{"sessions", "warning", "the dashboard's cookie would go over http, too: behind a proxy with https, give " +
			"the address with --public-url https://…, or name the proxy with --trusted-proxies"})
	}
	if public == "" {
		return append(found, finding{"public address", "warning", "no shop can send notifications: give the address under which platforms " +
			"reach this service with --public-url https://…"})
	}
	return append(found, finding{"public address", "ok", public})
}

func checkPort(ctx context.Context, addr string) finding {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return finding{"address", "warning", err.Error() + ": a running service has it, or choose another with --addr"}
	}
	listener.Close()
	return finding{"address", "ok", addr + " is free"}
}

// checkHTTPS calls an address and compares this machine's clock with the answer's.
func checkHTTPS(ctx context.Context, address string) []finding {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return []finding{{"outgoing https", "error", err.Error()}}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return []finding{{"outgoing https", "warning", err.Error() + ": webhooks and connectors need it, open the way through firewall and " +
			"proxy; --https names another address to try, empty leaves it out"}}
	}
	response.Body.Close()
	found := []finding{{"outgoing https", "ok", address + " answers"}}
	there, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return append(found, finding{"clock", "warning", address + " sends no time to compare with: name another with --https"})
	}
	if apart := time.Since(there).Abs(); apart > 5*time.Second {
		return append(found, finding{"clock", "warning", fmt.Sprintf("%s apart from %s: signatures and retries depend on it, run NTP",
			apart.Round(time.Second), address)})
	}
	return append(found, finding{"clock", "ok", "within 5 s of " + address})
}
