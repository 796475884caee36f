// Package internal holds the floors of the house (docs/architecture.md) and this test that keeps them.
package internal

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors are the floors of the house, the lowest first, each with its packages. A package imports those of its own floor and of lower ones;
// the packages of a floor of equals do not import each other.
var floors = []struct {
	name   string
	equals bool
	holds  []string
}{
	{name: "base", holds: []string{ // values and tools that know nothing of the store
		"internal/base/*", "internal/dashboard/texts", "internal/connector/*/fakeshop"}},
	{name: "store", holds: []string{ // two engines, and tables that several nouns use
		"internal/db", "internal/db/*", "internal/lists", "internal/lists/liststest", "internal/view", "internal/search", "internal/sales",
		"internal/stockvalue", "internal/limits"}},
	{name: "nouns", equals: true, holds: []string{ // a rule and its SQL, side by side
		"internal/accounts", "internal/analytics", "internal/audit", "internal/catalog", "internal/certificates", "internal/channels", "internal/channelsync",
		"internal/customers", "internal/idempotency", "internal/imports", "internal/jobs", "internal/media", "internal/orders", "internal/stock",
		"internal/webhooks"}},
	{name: "operations", holds: []string{ // what needs several nouns, and what goes in and out: records, drafts, platforms, files
		"internal/records", "internal/drafts", "internal/connector", "internal/connector/*", "internal/connector/*/story", "internal/commerce", "internal/exports",
		"internal/importer", "internal/importer/*", "internal/view/all", "internal/verify", "internal/backups", "internal/api/reference", "test/filler"}},
	{name: "edges", equals: true, holds: []string{ // HTTP, pages, and what follows a request
		"internal/api", "internal/dashboard", "internal/worker"}},
	{name: "command", holds: []string{ // puts the parts together
		"internal/server", "internal/bench", "cmd/entrepot"}},
}

// drivers, and the packages below db, may be imported by these only: nothing else knows that there are two engines. Bench measures the
// bare drivers beside the service.
var drivers = map[string][]string{
	"modernc.org/sqlite":      {"internal/bench"},
	"zombiezen.com/go/sqlite": {"internal/db/sqlite"},
	"github.com/jackc/pgx/v5": {"internal/db/postgres", "internal/bench", "internal/db/dbtest"},
	"database/sql":            {"internal/bench"},
	"github.com/spf13/cobra":  {"cmd/entrepot"},

	"entrepot/internal/db/sqlite":     {"internal/db"},
	"entrepot/internal/db/postgres":   {"internal/db"},
	"entrepot/internal/db/engine":     {"internal/db", "internal/db/sqlite", "internal/db/postgres"},
	"entrepot/internal/db/migrations": {"internal/db", "internal/db/sqlite", "internal/db/postgres"},
}

func TestImportsPointDownwards(t *testing.T) {
	for _, file := range sources(t) {
		from := pkg(file)
		own, known := floorOf(from)
		if !known {
			t.Errorf("%s: the package %s has no floor, give it one in floors_test.go", file, from)
			continue
		}
		for _, path := range imports(t, file) {
			to, ours := strings.CutPrefix(path, "entrepot/")
			if !ours {
				continue
			}
			below, known := floorOf(to)
			switch {
			case !known:
				t.Errorf("%s imports %s, which has no floor", file, to)
			case below > own:
				t.Errorf("%s (%s) imports %s (%s)", file, floors[own].name, to, floors[below].name)
			case below == own && floors[own].equals && !strings.HasPrefix(to, from+"/"):
				t.Errorf("%s imports %s: packages of the floor %q do not import each other", file, to, floors[own].name)
			case !mayImport(from, to):
				t.Errorf("%s imports %s: a tool, or a reader of files, knows the service by its interface only", file, to)
			}
		}
	}
}

// mayImport is false for what would tie a tool to the service: bench speaks HTTP to a service and knows nothing of its inside; importer
// passes products and orders to interfaces, which its client satisfies by requests and its fileimport by operations.
func mayImport(from, to string) bool {
	switch {
	case from == "internal/bench":
		return strings.HasPrefix(to, "internal/base/")
	case from == "internal/importer" || from == "internal/importer/client":
		return strings.HasPrefix(to, "internal/base/") || to == "internal/importer/client" || to == "internal/limits" // sizes of records
	}
	return true
}

func TestOnlyTheGroundKnowsTheEngines(t *testing.T) {
	for _, file := range sources(t) {
		for _, path := range imports(t, file) {
			for driver, allowed := range drivers {
				if path != driver && !strings.HasPrefix(path, driver+"/") {
					continue
				}
				ok := false
				for _, name := range allowed {
					ok = ok || pkg(file) == name
				}
				if !ok {
					t.Errorf("%s imports %s; only %s may", file, path, strings.Join(allowed, ", "))
				}
			}
		}
	}
}

// A record's JSON is written in one place: nouns read JSON, package records writes it.
func TestNounsWriteNoJSON(t *testing.T) {
	for _, file := range sources(t) {
		if floor, _ := floorOf(pkg(file)); floors[floor].name == "nouns" && slices.Contains(imports(t, file), "entrepot/internal/base/apijson") {
			t.Errorf("%s imports the JSON writer: a noun's JSON is written in internal/records", file)
		}
	}
}

// sources are the program's Go files, without tests.
func sources(t *testing.T) (files []string) {
	t.Helper()
	for _, root := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Name() == "deps" {
				return fs.SkipDir // only pins modules, behind a build tag
			}
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func pkg(file string) string {
	return strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), "../")
}

// floorOf is the index of the floor that holds a package. A package that is named itself is not held by a pattern.
func floorOf(name string) (floor int, known bool) {
	for i, f := range floors {
		for _, pattern := range f.holds {
			if pattern == name {
				return i, true
			}
			if ok, _ := path.Match(pattern, name); ok {
				floor, known = i, true
			}
		}
	}
	return floor, known
}

func imports(t *testing.T, file string) (paths []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// Only db locks the accounts' change clocks: in one order, or writers of an account would wait for each other in a ring.
func TestOnlyTheGroundLocksTheClock(t *testing.T) {
	locks := regexp.MustCompile(`(?is)change_clocks[^"` + "`" +
		`]*\sFOR\s+(UPDATE|SHARE|NO\s+KEY|KEY)|UPDATE\s+change_clocks|pg_advisory_[a-z_]*lock`)
	for _, file := range sources(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := locks.Find(text); found != nil && !strings.HasPrefix(pkg(file), "internal/db") {
			t.Errorf("%s: %s: take the clock by Tx.LockClock or Tx.Change", file, found)
		}
	}
}
