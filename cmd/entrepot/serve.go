package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/base/accesslog"
	"entrepot/internal/base/netguard"
	"entrepot/internal/base/processors"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/base/trace"
	"entrepot/internal/limits"
	"entrepot/internal/server"
)

// newServeCommand is "entrepot serve": the service until SIGTERM or SIGINT. SIGHUP reloads (reload.go).
func newServeCommand(env *environment) *cobra.Command {
	serve := &cobra.Command{
		Use:   "serve",
		Short: "Run the service",
		Long: "Run the service: API, webhooks and connectors, with /healthz, /readyz and /metrics beside them.\n\n" +
			"On an empty store the first account is created from ENTREPOT_ADMIN_EMAIL and ENTREPOT_ADMIN_PASSWORD; without them\n" +
			"a link is printed that creates it; it works once. Passwords and keys are not flags: set them in the environment or in\n" +
			"the file of --config (ENTREPOT_ADMIN_PASSWORD, ENTREPOT_MASTER_KEY). entrepot config print checks and shows all settings.\n\n" +
			"SIGTERM and SIGINT end the service after the requests under way. SIGHUP has it read the settings file and the certificate\n" +
			"again: the log names what has changed, and what waits for a restart (docs/configure.md).",
		Example: "  entrepot serve --dev\n" +
			"  entrepot serve --addr 127.0.0.1:8080 --data /var/lib/entrepot\n" +
			"  entrepot serve --database postgres://entrepot@db/entrepot\n" +
			"  entrepot serve --addr :443 --tls-cert shop.pem --tls-key shop.key\n" +
			"  entrepot serve --addr :443 --acme-domain shop.example --acme-email ops@shop.example",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			config, err := env.serverConfig(cmd)
			if err != nil {
				return err
			}
			end, err := env.profile(cmd)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, end()) }()
			if config.Trace, err = trace.Start(cmd.Context(), env.getenv, version(), config.Log); err != nil {
				return wrong("%v", err)
			}
			defer env.sendLast("traces", config.Trace.Stop)
			config.Log = config.Trace.Log(config.Log)
			slog.SetDefault(config.Log) // what libraries write with package log has the form of the other lines, too
			env.relaxCollector()
			env.addThread()
			config.Budget = server.LimitMemory(config.Lend)
			s, err := server.Listen(config)
			if err != nil {
				return err
			}
			stopMetrics, err := trace.SendMetrics(cmd.Context(), env.getenv, version(), s.Metrics(), config.Log)
			if err != nil {
				return wrong("%v", err)
			}
			defer env.sendLast("metrics", stopMetrics)
			ctx, stop := context.WithCancel(cmd.Context())
			defer stop()
			env.reloadAtHangup(ctx, cmd, s, config)
			return s.Run(ctx, nil)
		},
	}
	env.flags(serve, "addr", "data", "database", "dev", "admin-email", "plan", "allow-hosts", "public-url", "tls-cert", "tls-key",
		"acme-domain", "acme-email", "acme-directory", "acme-ca", "acme-http-addr", "trusted-proxies", "retention", "pull-every",
		"media", "backup-to", "backup-every", "backup-keep", "s3-endpoint", "yes-i-have-a-backup",
		"webhook-retries", "rate-limits", "memory-budget", "statement-timeout", "log-level", "log-format", "access-log")
	serve.Flags().String("cpu-profile", "", "file for what takes processor time until the service ends, for go tool pprof")
	return serve
}

// lastTime is how long a service that ends waits for its last spans, or metrics, to be sent.
const lastTime = 5 * time.Second

// sendLast ends the sending of traces or metrics, with what was not sent yet.
func (env *environment) sendLast(what string, stop func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), lastTime)
	defer cancel()
	if err := stop(ctx); err != nil {
		fmt.Fprintf(env.stderr, "the last %s were not sent: %v\n", what, err)
	}
}

// leastBudget is the smallest memory budget: half of it must be enough for the largest body and its processing.
const leastBudget = 64 << 20

// bytesOf parses a number of bytes such as 256MB (MB and MiB are the same: 1,048,576), at least leastBudget.
func bytesOf(text string) (int64, error) {
	digits := strings.TrimRight(text, "KMGTiBkmgtb ")
	n, err := strconv.ParseInt(digits, 10, 64)
	shift, known := map[string]uint{"": 0, "B": 0, "KB": 10, "KIB": 10, "MB": 20, "MIB": 20, "GB": 30,
		"GIB": 30}[strings.ToUpper(strings.TrimSpace(text[len(digits):]))]
	if err != nil || !known || n < 0 || n > 1<<20<<(30-shift) || n<<shift < leastBudget {
		return 0, fmt.Errorf("must be a size of %d MB or more, such as 256MB or 1GB, not %q", leastBudget>>20, text)
	}
	return n << shift, nil
}

// relaxCollector lets the heap grow more between two garbage collections than Go's default: the live heap is a few
// megabytes, and at thousands of requests a second the default collects dozens of times a second. If GOGC is set, it
// stays.
func (env *environment) relaxCollector() {
	if env.getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// addThread lets Go's code run on one thread more than there are processors. If GOMAXPROCS is set, it stays.
func (env *environment) addThread() {
	if env.getenv("GOMAXPROCS") == "" {
		processors.OneThreadMore()
	}
}

// serverConfig builds the configuration of the server.
func (env *environment) serverConfig(cmd *cobra.Command) (c server.Config, err error) {
	log, err := env.logger(cmd)
	if err != nil {
		return c, err
	}
	if c.StoreConfig, err = env.storeConfig(cmd); err != nil {
		return c, err
	}
	c.Log, c.Version, c.Agent = log, version(), "entrepot/"+version()
	if err := env.checkAddresses(cmd); err != nil {
		return c, err
	}
	c.Addr, c.PublicURL = env.text(cmd, "addr"), strings.TrimSuffix(env.text(cmd, "public-url"), "/")
	if err := env.tlsConfig(cmd, &c); err != nil {
		return c, err
	}
	share, err := accesslog.Parse(env.text(cmd, "access-log"))
	if err != nil {
		return c, wrong("access-log %v", err)
	}
	c.AccessLog = accesslog.New(share)
	c.Admin = server.Admin{Email: env.text(cmd, "admin-email"), Password: env.text(cmd, "admin-password"),
		Plan: accounts.Plan(strings.ToLower(env.text(cmd, "plan")))}
	if err := checkPlan(c.Admin.Plan); err != nil {
		return c, err
	}
	if c.Proxies, err = netguard.ParseProxies(env.text(cmd, "trusted-proxies")); err != nil {
		return c, wrong("%v", err)
	}
	if c.Limits, err = env.on(cmd, "rate-limits"); err != nil {
		return c, err
	}
	if c.StatementTimeout, err = time.ParseDuration(env.text(cmd, "statement-timeout")); err != nil || c.StatementTimeout < 0 {
		return c, wrong("statement-timeout must be a time such as 60s, or 0, not %q", env.text(cmd, "statement-timeout"))
	}
	if c.Lend, err = bytesOf(env.text(cmd, "memory-budget")); err != nil {
		return c, wrong("memory-budget %v", err)
	}
	if c.Retention, err = retention(env.text(cmd, "retention")); err != nil {
		return c, err
	}
	if c.PullEvery, err = time.ParseDuration(env.text(cmd, "pull-every")); err != nil || c.PullEvery < time.Second ||
		c.PullEvery > 24*time.Hour {
		return c, wrong("pull-every must be a time from 1s to 24h, such as 5m, not %q", env.text(cmd, "pull-every"))
	}
	if c.Retries, err = retries(env.text(cmd, "webhook-retries")); err != nil {
		return c, err
	}
	if place := env.text(cmd, "media"); place != "" {
		if c.Media, err = env.bucket(cmd, place); err != nil {
			return c, err
		}
	}
	c.Backups, err = env.backupSettings(cmd)
	return c, err
}

// checkAddresses refuses addresses that are invalid for listening or as public addresses.
func (env *environment) checkAddresses(cmd *cobra.Command) error {
	addr := env.text(cmd, "addr")
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return wrong("addr must be host:port or :port, such as 127.0.0.1:8080, not %q", addr)
	}
	if public := env.text(cmd, "public-url"); public != "" {
		u, err := url.Parse(public)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
			return wrong("public-url must be an address such as https://shop.example, not %q", public)
		}
	}
	return nil
}

// tlsConfig reads where the certificate of the service's own TLS comes from.
func (env *environment) tlsConfig(cmd *cobra.Command, c *server.Config) error {
	if c.TLSCert, c.TLSKey = env.text(cmd, "tls-cert"), env.text(cmd, "tls-key"); (c.TLSCert == "") != (c.TLSKey == "") {
		return wrong("tls-cert and tls-key belong together: give both, or none")
	}
	names := env.text(cmd, "acme-domain")
	if names == "" {
		return nil
	}
	if c.TLSCert != "" {
		return wrong("tls-cert and acme-domain exclude each other: give a certificate, or have one ordered")
	}
	a := &c.ACME
	for _, name := range strings.Split(names, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if net.ParseIP(name) != nil || !hostName.MatchString(name) {
			return wrong("acme-domain must be names such as shop.example, separated by commas, without wildcards, not %q", name)
		}
		a.Domains = append(a.Domains, name)
	}
	a.Email, a.CAFile = env.text(cmd, "acme-email"), env.text(cmd, "acme-ca")
	if a.Email != "" && limits.BadLogin(a.Email) != "" {
		return wrong("acme-email %s", limits.BadLogin(a.Email))
	}
	a.Directory = env.text(cmd, "acme-directory")
	if u, err := url.Parse(a.Directory); err != nil || u.Scheme != "https" || u.Host == "" {
		return wrong("acme-directory must be an address such as https://acme.example/directory, not %q", a.Directory)
	}
	if a.HTTPAddr = env.text(cmd, "acme-http-addr"); a.HTTPAddr == "off" {
		a.HTTPAddr = ""
		return nil
	}
	_, port, err := net.SplitHostPort(a.HTTPAddr)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return wrong("acme-http-addr must be host:port, :port or off, not %q", a.HTTPAddr)
	}
	return nil
}

// hostName is a name that an authority issues certificates for.
var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*$`)

// Bounds of the retention of events.
const (
	minRetention = time.Hour
	maxRetention = 3650 * 24 * time.Hour
)

// retention parses a duration such as "36h", or whole days such as "30d".
func retention(text string) (time.Duration, error) {
	kept, err := time.ParseDuration(text)
	if days, is := strings.CutSuffix(text, "d"); is {
		var n int
		if n, err = strconv.Atoi(days); err == nil && n <= int(maxRetention/(24*time.Hour)) {
			kept = time.Duration(n) * 24 * time.Hour
		}
	}
	if err != nil || kept < minRetention || kept > maxRetention {
		return 0, wrong("retention must be a time from 1h to 3650d, such as 30d or 36h, not %q", text)
	}
	return kept, nil
}

// retries parses durations such as "1s,2s"; nil is the schedule of interface §6.2.
func retries(text string) (list []time.Duration, err error) {
	for _, piece := range strings.Split(text, ",") {
		if piece = strings.TrimSpace(piece); piece == "" {
			continue
		}
		pause, err := time.ParseDuration(piece)
		if err != nil || pause < 0 {
			return nil, wrong("webhook-retries must be pauses such as 1s,2s, not %q", text)
		}
		list = append(list, pause)
	}
	return list, nil
}

func checkPlan(plan accounts.Plan) error {
	if !slices.Contains(accounts.Plans, plan) {
		return wrong("the plan must be starter, pro or enterprise, not %q", plan)
	}
	return nil
}

// storeConfig builds the configuration of a command's store.
func (env *environment) storeConfig(cmd *cobra.Command) (c server.StoreConfig, err error) {
	c.Dir, c.URL, c.MasterKey = env.text(cmd, "data"), env.text(cmd, "database"), env.text(cmd, "master-key")
	if c.URL != "" {
		if u, err := url.Parse(c.URL); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || u.Opaque != "" {
			return c, wrong("database must be an address such as postgres://user:password@host/name")
		}
	}
	if c.MasterKey != "" {
		if _, err := secretbox.Parse(c.MasterKey); err != nil {
			return c, wrong("%v", err)
		}
	}
	if c.Allow, err = netguard.ParseAllowed(env.text(cmd, "allow-hosts")); err != nil {
		return c, wrong("%v", err)
	}
	if c.HasBackup, err = env.on(cmd, "yes-i-have-a-backup"); err != nil {
		return c, err
	}
	c.Dev, err = env.on(cmd, "dev")
	return c, err
}

// logger writes to stderr: coloured lines on a terminal, JSON otherwise.
func (env *environment) logger(cmd *cobra.Command) (*slog.Logger, error) {
	level, err := env.logLevel(cmd)
	if err != nil {
		return nil, err
	}
	env.level.Set(level)
	switch format := env.text(cmd, "log-format"); format {
	case "json":
	case "text":
		return slog.New(tint.NewTextHandler(env.stderr, &tint.Options{Level: &env.level, TimeFormat: time.TimeOnly,
			NoColor: !isTerminal(env.stderr)})), nil
	case "auto":
		if isTerminal(env.stderr) {
			return slog.New(tint.NewTextHandler(env.stderr, &tint.Options{Level: &env.level, TimeFormat: time.TimeOnly})), nil
		}
	default:
		return nil, wrong("log-format must be json, text or auto, not %q", format)
	}
	return slog.New(slog.NewJSONHandler(env.stderr, &slog.HandlerOptions{Level: &env.level})), nil
}

func (env *environment) logLevel(cmd *cobra.Command) (level slog.Level, err error) {
	if err := level.UnmarshalText([]byte(env.text(cmd, "log-level"))); err != nil {
		return level, wrong("log-level must be debug, info, warn or error, not %q", env.text(cmd, "log-level"))
	}
	return level, nil
}
