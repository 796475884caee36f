package postgres

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tool is one of PostgreSQL's programs, in one version.
type tool struct {
	path  string
	major int
}

func (t tool) name() string { return filepath.Base(t.path) + " " + strconv.Itoa(t.major) }

// run runs the program; what it prints to stderr becomes the error.
func (t tool) run(ctx context.Context, env []string, out io.Writer, args ...string) error {
	process := exec.CommandContext(ctx, t.path, args...)
	var complaint bytes.Buffer
	process.Env, process.Stdout, process.Stderr = env, out, &complaint
	if err := process.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", t.name(), err, strings.TrimSpace(complaint.String()))
	}
	return nil
}

// toolFolders are where PostgreSQL's programs are installed outside the search path.
var toolFolders = []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin", `C:\Program Files\PostgreSQL\*\bin`}

var versionOfTool = regexp.MustCompile(`\) (\d+)`)

// postgresTools finds a program of PostgreSQL in every version that is not older than the server, nearest version
// first: an older one cannot read the server, a much newer one may write something that the server does not
// understand.
func postgresTools(ctx context.Context, name string, server int) (list []tool, err error) {
	var places []string
	if path, err := exec.LookPath(name); err == nil {
		places = append(places, path)
	}
	for _, pattern := range toolFolders {
		found, _ := filepath.Glob(filepath.Join(pattern, name))
		exe, _ := filepath.Glob(filepath.Join(pattern, name+".exe"))
		places = append(append(places, found...), exe...)
	}
	var older []string
	for _, path := range places {
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		version := versionOfTool.FindSubmatch(out)
		if err != nil || version == nil {
			continue
		}
		major, _ := strconv.Atoi(string(version[1]))
		if major < server {
			older = append(older, fmt.Sprintf("%s is version %d", path, major))
			continue
		}
		list = append(list, tool{path, major})
	}
	slices.SortStableFunc(list, func(a, b tool) int { return cmp.Compare(a.major, b.major) })
	switch {
	case len(list) > 0:
		return list, nil
	case len(older) > 0:
		return nil, fmt.Errorf("the server is PostgreSQL %d, and %s: install PostgreSQL's client programs of version %d or newer",
			server, strings.Join(older, ", "), server)
	}
	return nil,
		fmt.Errorf("%s is not on this machine: install PostgreSQL's client programs of version %d or newer (Debian: postgresql-client)", name,
			server)
}
