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

// floors gives each package its floor. A package imports lower floors only, never its own.
var floors = map[string]int{
	"cmd/entrepot": 50,

	"internal/server": 45, // puts the parts together

	"internal/bench": 48, // a tool: it speaks HTTP to a service and knows nothing of its inside

	"internal/api":       40,
	"internal/dashboard": 40,
	"internal/worker":    40,

	"internal/api/reference": 39, // the page of the API's description, with samples for users of the dashboard

	"internal/fileimport": 36, // imports files that are kept in the store

	"internal/drafts": 35, // what the interface takes, as JSON and as forms

	"internal/verify":   31, // checks what operations must have kept
	"internal/filler":   31, // fills an account to be measured
	"internal/commerce": 30,

	"internal/connector/all":     22, // the list of the platforms
	"internal/connector/*/story": 22, // what every platform and a whole service must live through
	"internal/connector/*":       21, // the platforms, and their common suite
	"internal/connector":         20,

	"internal/records": 15, // what the interface shows of the nouns, as JSON

	"internal/accounts":    10,
	"internal/analytics":   10,
	"internal/audit":       10,
	"internal/catalog":     10,
	"internal/channels":    10,
	"internal/channelsync": 10,
	"internal/customers":   10,
	"internal/idempotency": 10,
	"internal/imports":     10,
	"internal/jobs":        10,
	"internal/orders":      10,
	"internal/stock":       10,
	"internal/views":       10,
	"internal/webhooks":    10,

	"internal/importer": 8, // reads files; where products and orders go are interfaces, which the client satisfies
	"internal/client":   7, // calls the API of a service, this one or another

	"internal/lists": 7, // how the pages of every noun's list are read

	"internal/sales":      6, // what nouns share and has tables: sums of sales, values of stock, searches, rate limits
	"internal/stockvalue": 6,
	"internal/search":     6,
	"internal/limits":     6,
	"internal/dbtest":     6,

	"internal/db":            5,
	"internal/db/sqlite":     4,
	"internal/db/postgres":   4,
	"internal/db/groups":     3,
	"internal/db/engine":     2,
	"internal/db/migrations": 2,

	"internal/postal":     4, // free-form addresses: their members and all names of these
	"internal/apijson":    3,
	"internal/overload":   2,
	"internal/budget":     1,
	"internal/jsonvalue":  1,
	"internal/secretbox":  1,
	"internal/apperr":     0,
	"internal/diskspace":  0,
	"internal/spool":      0,
	"internal/filelock":   0,
	"internal/id":         0,
	"internal/money":      0,
	"internal/netguard":   0,
	"internal/patch":      0,
	"internal/processors": 0,
	"internal/regional":   0,
	"internal/spans":      0,

	"internal/connector/*/fakeshop":             2, // shops in memory, for tests and for integrators
	"internal/connector/connectortest/fakeshop": 1, // and what they have in common
}

// drivers, and the packages below db, may be imported by these only: nothing else knows that there are two engines. Bench measures the
// bare drivers beside the service.
var drivers = map[string][]string{
	"modernc.org/sqlite":      {"internal/bench"},
	"zombiezen.com/go/sqlite": {"internal/db/sqlite"},
	"github.com/jackc/pgx/v5": {"internal/db/postgres", "internal/bench", "internal/dbtest"},
	"database/sql":            {"internal/bench"},
	"github.com/spf13/cobra":  {"cmd/entrepot"},

	"entrepot/internal/db/sqlite":     {"internal/db"},
	"entrepot/internal/db/postgres":   {"internal/db"},
	"entrepot/internal/db/engine":     {"internal/db", "internal/db/sqlite", "internal/db/postgres", "internal/db/groups"},
	"entrepot/internal/db/groups":     {"internal/db/sqlite", "internal/db/postgres"},
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
			if !known {
				t.Errorf("%s imports %s, which has no floor", file, to)
			} else if tool(own) && below >= 10 && !tool(below) {
				t.Errorf("%s is a tool and imports %s: tools stand on the ground", file, to)
			} else if below >= own {
				t.Errorf("%s (floor %d) imports %s (floor %d)", file, own, to, below)
			}
		}
	}
}

// tool is true of the floors of the tools.
func tool(floor int) bool { return floor > 45 && floor < 50 }

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
		if floor, _ := floorOf(pkg(file)); floor == 10 && slices.Contains(imports(t, file), "entrepot/internal/apijson") {
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

func floorOf(name string) (int, bool) {
	if floor, ok := floors[name]; ok {
		return floor, true
	}
	for pattern, floor := range floors {
		if ok, _ := path.Match(pattern, name); ok {
			return floor, true
		}
	}
	return 0, false
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
