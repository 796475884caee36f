package parallel

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/dbtest"
)

// deadlocks is what PostgreSQL knows of the deadlocks of a run.
type deadlocks struct {
	counted int64    // by pg_stat_database, in all databases of the server
	logged  int      // in the server's log; -1 without one
	kinds   []string // by the statements that met, most frequent first
	waits   []string // waits of a second and more, by what waited
	errors  []string // other errors in the log, with how often
}

// watchDeadlocks begins to count; the function it gives ends that.
func watchDeadlocks(t *testing.T) func() deadlocks {
	before, start := countDeadlocks(t), len(dbtest.Log())
	return func() deadlocks {
		d := deadlocks{counted: countDeadlocks(t) - before}
		log := dbtest.Log()[start:]
		d.read(log)
		if keep := os.Getenv("ENTREPOT_TEST_KEEP_LOG"); keep != "" {
			_ = os.WriteFile(keep+".postgresql", []byte(log), 0o644)
		}
		return d
	}
}

func countDeadlocks(t *testing.T) (n int64) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dbtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, "SELECT coalesce(sum(deadlocks), 0)::BIGINT FROM pg_stat_database").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

var (
	entries   = regexp.MustCompile(`(?m)^20[^\[\n]*\[(\d+)\] ([A-Z]+):  (.*(?:\n\t.*)*)`)
	processes = regexp.MustCompile(`(?m)^\s*Process (\d+): (.*)$`)
	waits     = regexp.MustCompile(`Process (\d+) waits for (\S+) on ([^;]+); blocked by process (\d+)`)
	numbers   = regexp.MustCompile(`\b\d+\b`)
	values    = regexp.MustCompile(`(\(\$[^()]*\),\s*)+\(\$`)
)

// read finds the deadlocks in a log and puts those of the same statements together, and so the long waits and the other errors.
func (d *deadlocks) read(log string) {
	kinds, waited, errors := map[string]int{}, map[string]int{}, map[string]int{}
	waiting := map[string]string{} // process → what it waits for, until the log names its statement
	for _, found := range entries.FindAllStringSubmatch(log, -1) {
		process, level, text := found[1], found[2], found[3]
		switch {
		case level == "ERROR" && strings.Contains(text, "deadlock detected"):
			d.logged++
		case level == "ERROR":
			errors[numbers.ReplaceAllString(text, "N")]++
		case level == "DETAIL" && strings.Contains(text, " waits for "):
			kinds[sides(text)]++
		case level == "LOG" && strings.Contains(text, "still waiting for"):
			_, lock, _ := strings.Cut(text, "still waiting for ")
			lock, _, _ = strings.Cut(lock, " after ")
			if !strings.Contains(lock, "advisory") {
				lock = numbers.ReplaceAllString(lock, "N")
			}
			waiting[process] = lock
		case level == "STATEMENT" && waiting[process] != "":
			waited[waiting[process]+": "+short(text)]++
			delete(waiting, process)
		}
	}
	d.kinds, d.waits, d.errors = frequent(kinds), frequent(waited), frequent(errors)
}

// sides names what each side of a deadlock ran and waited for.
func sides(entry string) string {
	statement := map[string]string{}
	for _, found := range processes.FindAllStringSubmatch(entry, -1) {
		if !strings.HasPrefix(found[2], "waits for ") {
			statement[found[1]] = short(found[2])
		}
	}
	var all []string
	for _, found := range waits.FindAllStringSubmatch(entry, -1) {
		what := found[3]
		if !strings.HasPrefix(what, "advisory") { // the numbers of an advisory lock say which one it is
			what = numbers.ReplaceAllString(what, "N")
		}
		all = append(all, fmt.Sprintf("waits for %s on %s: %s", found[2], what, statement[found[1]]))
	}
	slices.Sort(all)
	return strings.Join(all, "\n      ")
}

// short is the beginning of a statement, with its lists of values cut.
func short(statement string) string {
	text := values.ReplaceAllString(strings.Join(strings.Fields(statement), " "), "(…), ($")
	return text[:min(len(text), 300)]
}

// frequent lists texts with how often they came, most frequent first.
func frequent(times map[string]int) (list []string) {
	order := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return cmp.Or(times[b]-times[a], strings.Compare(a, b)) })
	for _, text := range order {
		list = append(list, fmt.Sprintf("    %d × %s", times[text], text))
	}
	return list
}
