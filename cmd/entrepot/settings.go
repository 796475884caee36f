package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// setting is one setting of the service. Each may be set in the environment as ENTREPOT_<NAME> and in the file as name
// = value; all except secrets are also flags, because other users of the machine can see arguments.
type setting struct {
	name, standard, usage string
	secret                bool
	values                []string // for the shell's completion
	reloads               bool     // a change in the file is applied at SIGHUP; otherwise a restart applies it
}

// settings are all settings, in the order of config print.
var settings = []setting{
	{name: "addr", standard: ":8080", usage: "address to listen on; port 0 takes a free one"},
	{name: "data", standard: "./data", usage: "data folder: the SQLite store and the master key"},
	{name: "database", usage: "PostgreSQL instead of SQLite: postgres://user:password@host/name"},
	{name: "dev", standard: "false", usage: "allow webhooks and channels to use http and this machine's addresses"},
	{name: "admin-email", usage: "owner of the first account, on an empty store"},
	{name: "admin-password", usage: "password of that owner", secret: true},
	{name: "plan", standard: "enterprise", usage: "plan of the first account: starter, pro or enterprise", values: planNames()},
	{name: "master-key", usage: "32 bytes in base64 or hex that encrypt stored credentials; otherwise master.key in the data folder",
		secret: true},
	{name: "allow-hosts", usage: "hosts that webhooks may reach although their addresses are private, separated by commas"},
	{name: "public-url", usage: "address under which platforms reach this service, such as https://shop.example; without it no " +
		"webhook is registered with them"},
	{name: "tls-cert", usage: "file with the certificate, and those above it, of the service's own TLS, PEM; a renewed one is used without a restart"},
	{name: "tls-key", usage: "file with the key of that certificate, PEM"},
	{name: "acme-domain", usage: "names of this service, separated by commas, whose certificates are ordered from an ACME authority and renewed, " +
		"instead of tls-cert"},
	{name: "acme-email", usage: "address to which that authority may write"},
	{name: "acme-directory", standard: "https://acme-v02.api.letsencrypt.org/directory", usage: "address of that authority; its terms are accepted"},
	{name: "acme-ca", usage: "file with the certificates that sign the authority's own TLS, PEM, if the system does not know them"},
	{name: "acme-http-addr", standard: ":80", usage: "address that answers the authority and redirects to https, or off: then the authority must " +
		"reach addr on port 443"},
	{name: "trusted-proxies", usage: "addresses and ranges of the reverse proxies in front, separated by commas, whose X-Forwarded-For " +
		"names the client and X-Forwarded-Proto its scheme"},
	{name: "retention", standard: "30d",
		usage: "how long events and settled deliveries are kept, such as 30d or 36h; at least 1h, at most 3650d"},
	{name: "pull-every", standard: "5m",
		usage: "time between two scheduled pulls of a channel's orders, such as 30s or 5m; at least 1s, at most 24h"},
	{name: "webhook-retries", usage: "pauses before further attempts, such as 1s,2s, instead of the usual ones (docs/webhooks.md)"},
	{name: "media", usage: "folder, or s3://bucket/prefix, where uploaded pictures are; without it, the folder media in the data folder. " +
		"Nodes of one store need the same"},
	{name: "backup-to", usage: "folder, or s3://bucket/prefix, where the service puts backups of the store; without it none are made"},
	{name: "backup-every", standard: "24h", usage: "time between two backups, such as 6h or 7d; at least 1m, at most 31d"},
	{name: "backup-keep", standard: "14", usage: "how many backups stay, 1 to 1000"},
	{name: "s3-endpoint", usage: "address of the S3 service, such as https://minio.example:9000; without it, Amazon's. Credentials come from " +
		"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION"},
	{name: "yes-i-have-a-backup", standard: "false", usage: "PostgreSQL: migrations that rewrite tables may run"},
	{name: "rate-limits", standard: "on", usage: "on, or off: for benchmarks only", values: []string{"on", "off"}},
	{name: "statement-timeout", standard: "60s", usage: "PostgreSQL: how long one statement may run, such as 60s; 0: no limit"},
	{name: "memory-budget", standard: "160MB", usage: "memory that request bodies and answers may take at once; beyond it callers are asked " +
		"to come back (503)"},
	{name: "log-level", standard: "info", usage: "debug, info, warn or error", values: []string{"debug", "info", "warn", "error"},
		reloads: true},
	{name: "log-format", standard: "auto", usage: "json, text, or auto: text on a terminal", values: []string{"auto", "json", "text"}},
	{name: "access-log", standard: "on", usage: "a line for each request: on, off, or the share that gets one, such as 0.01; failures of the " +
		"service always have one", values: []string{"on", "off"}, reloads: true},
}

func findSetting(name string) *setting {
	for i := range settings {
		if settings[i].name == name {
			return &settings[i]
		}
	}
	return nil
}

// variable is a setting's or flag's name in the environment.
func variable(name string) string {
	return "ENTREPOT_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// flags adds settings as flags of a command.
func (env *environment) flags(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		s := findSetting(name)
		if s.standard == "false" {
			cmd.Flags().Bool(name, false, s.usage)
		} else {
			cmd.Flags().String(name, s.standard, s.usage)
		}
		if len(s.values) > 0 {
			completeWith(cmd, name, s.values...)
		}
	}
}

// fill reads the settings file and gives every flag that was not set its value from the environment, else from the
// file. A variable that names no setting is no error: Kubernetes sets ENTREPOT_SERVICE_HOST for a service of that
// name.
func (env *environment) fill(cmd *cobra.Command) (err error) {
	path := env.getenv(variable("config"))
	if f := cmd.Flags().Lookup("config"); f != nil && f.Changed {
		path = f.Value.String()
	}
	if env.file, err = readSettings(path); err != nil {
		return err
	}
	env.from = map[string]string{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Name == "help" || err != nil {
			return
		}
		value, from, place := env.getenv(variable(f.Name)), "environment", variable(f.Name)
		if value == "" && findSetting(f.Name) != nil {
			value, from, place = env.file[f.Name], "file", path
		}
		if value == "" {
			return
		}
		if f.Value.Type() == "bool" {
			value = plainBool(value)
		}
		if set := cmd.Flags().Set(f.Name, value); set != nil {
			err = wrong("%v", unfit(f.Name+" (from "+place+")", set))
		}
		env.from[f.Name] = from
	})
	return err
}

// unfit says of a value that a flag refuses what the flag takes: the flag's own error is the parser's.
func unfit(name string, err error) error {
	bad := (*pflag.InvalidValueError)(nil)
	if !errors.As(err, &bad) {
		return fmt.Errorf("%s: %w", name, err)
	}
	takes := map[string]string{"bool": "true or false", "int": "a whole number", "duration": "a time such as 30s"}
	kind := bad.GetFlag().Value.Type()
	if takes[kind] == "" {
		return fmt.Errorf("%s cannot be %q", name, bad.GetValue())
	}
	return fmt.Errorf("%s must be %s, not %q", name, takes[kind], bad.GetValue())
}

// plainBool accepts on, off, yes and no in addition to true and false.
func plainBool(text string) string {
	switch strings.ToLower(text) {
	case "on", "yes":
		return "true"
	case "off", "no":
		return "false"
	}
	return text
}

// get returns a setting's value and its source, for a command that may or may not have it as a flag.
func (env *environment) get(cmd *cobra.Command, name string) (value, from string) {
	if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
		if value = f.Value.String(); value == "" { // an empty --database= overrides the environment
			value = findSetting(name).standard
		}
		return value, cmp.Or(env.from[name], "flag")
	}
	if text := env.getenv(variable(name)); text != "" {
		return text, "environment"
	}
	if text := env.file[name]; text != "" {
		return text, "file"
	}
	return findSetting(name).standard, "default"
}

// text is a setting's value.
func (env *environment) text(cmd *cobra.Command, name string) string {
	value, _ := env.get(cmd, name)
	return value
}

// on is a setting that is true or false.
func (env *environment) on(cmd *cobra.Command, name string) (bool, error) {
	switch value := env.text(cmd, name); strings.ToLower(value) {
	case "1", "true", "on", "yes":
		return true, nil
	case "0", "false", "off", "no":
		return false, nil
	default:
		return false, wrong("%s must be on or off, not %q", name, value)
	}
}

// readSettings reads a file of "name = value" lines. A # at the beginning of a line or after white space starts a
// comment; a value may be quoted, and is then taken literally. An unknown name is an error.
func readSettings(path string) (map[string]string, error) {
	values := map[string]string{}
	if path == "" {
		return values, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the settings file: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if n == 1 {
			text = strings.TrimPrefix(text, "\ufeff") // a byte order mark
		}
		if strings.ContainsRune(text, 0) {
			return nil, wrong("%s:%d: is no UTF-8 text", path, n)
		}
		line := strings.TrimSpace(text)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		value, closed := settingValue(value)
		switch _, twice := values[name]; {
		case !ok:
			return nil, wrong("%s:%d: must be name = value", path, n)
		case findSetting(name) == nil:
			return nil, wrong("%s:%d: %q is no setting; there are %s", path, n, name, strings.Join(settingNames(), ", "))
		case twice:
			return nil, wrong("%s:%d: %s is set twice", path, n, name)
		case !closed:
			return nil, wrong("%s:%d: %s: a value in quotes must end with the same quote, and only a comment may follow", path, n, name)
		}
		values[name] = value
	}
	if err := lines.Err(); err != nil {
		return nil, wrong("%s: %v", path, err)
	}
	return values, nil
}

// settingValue is the value of a line without its quotes or its comment; closed is false if a quote is not closed.
func settingValue(text string) (value string, closed bool) {
	text = strings.TrimSpace(text)
	if text != "" && strings.ContainsRune("\"'", rune(text[0])) {
		inside, behind, ended := strings.Cut(text[1:], text[:1])
		behind = strings.TrimSpace(behind)
		return inside, ended && (behind == "" || behind[0] == '#')
	}
	for i, r := range text {
		if r == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t') {
			return strings.TrimSpace(text[:i]), true
		}
	}
	return text, true
}

func settingNames() []string {
	var names []string
	for _, s := range settings {
		names = append(names, s.name)
	}
	slices.Sort(names)
	return names
}
