package dbtest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/db"
)

// Statement is one that reads, with its arguments.
type Statement struct {
	SQL  string
	Args []any
}

// Plan is SQLite's plan of the statement, see Plan.
func (s Statement) Plan(t testing.TB, tx *db.Tx) string {
	t.Helper()
	return Plan(t, tx, s.SQL, s.Args...)
}

// Statements are those that a store reads with. Its Add is db.Config's Trace.
type Statements struct {
	mu   sync.Mutex
	list []Statement
}

// Add notes a statement, unless it asks for a plan.
func (s *Statements) Add(sql string, args []any) {
	if strings.HasPrefix(sql, explain) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, Statement{sql, slices.Clone(args)})
}

// List is the statements since Reset.
func (s *Statements) List() []Statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// Reset forgets the statements so far.
func (s *Statements) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = nil
}

// Reading is an empty store on SQLite, with the statements that it reads with.
func Reading(t testing.TB) (*db.DB, *Statements) {
	t.Helper()
	read := &Statements{}
	return Open(t, db.Config{Dir: StoreDir(t), Unsafe: true, Trace: read.Add}), read
}

const explain = "EXPLAIN QUERY PLAN "

// Plan is SQLite's plan of a statement, a line for each step. The statement is not run.
func Plan(t testing.TB, tx *db.Tx, sql string, args ...any) string {
	t.Helper()
	var plan strings.Builder
	err := tx.Each(func(r db.Rows) error {
		var step, parent, unused int64
		var line string
		err := r.Scan(&step, &parent, &unused, &line)
		plan.WriteString(line + "\n")
		return err
	}, explain+sql, args...)
	if err != nil {
		t.Fatalf("the plan of %s: %v", sql, err)
	}
	return plan.String()
}
