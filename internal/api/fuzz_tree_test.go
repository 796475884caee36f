package api

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"entrepot/internal/base/apijson"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// tree is a JSON value that can be bent: a scalar is any text, JSON or not, and an object may have a name twice.
type tree struct {
	text  string // of what is no list and no object
	list  bool
	names []string // of an object
	kids  []*tree
}

// grow reads valid JSON.
func grow(t testing.TB, text []byte) *tree {
	t.Helper()
	d := jsontext.NewDecoder(bytes.NewReader(text))
	var read func() *tree
	read = func() *tree {
		switch d.PeekKind() {
		case '{', '[':
			open, err := d.ReadToken()
			if err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			n := &tree{list: open.Kind() == '['}
			for d.PeekKind() != '}' && d.PeekKind() != ']' {
				if !n.list {
					name, err := d.ReadToken()
					if err != nil {
						t.Fatalf("%v in %s", err, text)
					}
					n.names = append(n.names, name.String())
				}
				n.kids = append(n.kids, read())
			}
			if _, err := d.ReadToken(); err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			return n
		}
		value, err := d.ReadValue()
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return &tree{text: string(value)}
	}
	return read()
}

func (n *tree) clone() *tree {
	c := &tree{text: n.text, list: n.list, names: append([]string(nil), n.names...)}
	for _, k := range n.kids {
		c.kids = append(c.kids, k.clone())
	}
	return c
}

// String is the tree as text.
func (n *tree) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *tree) write(b *strings.Builder) {
	if n.text != "" {
		b.WriteString(n.text)
		return
	}
	open, end := "{", "}"
	if n.list {
		open, end = "[", "]"
	}
	b.WriteString(open)
	for i, k := range n.kids {
		if i > 0 {
			b.WriteByte(',')
		}
		if !n.list {
			b.WriteString(strconv.Quote(n.names[i]) + ":")
		}
		k.write(b)
	}
	b.WriteString(end)
}

// step is a name in an object, or the place in a list.
type step struct {
	name  string
	place int
	list  bool
}

// reach finds the place of a path and makes what is missing on the way; it gives the node that holds it and where in it.
func (n *tree) reach(path []step) (holder *tree, at int) {
	for i, s := range path {
		holder = n
		if n.text != "" {
			n.text = ""
		}
		n.list = s.list
		at = -1
		if s.list {
			at = s.place
			for len(n.kids) <= at {
				n.kids = append(n.kids, &tree{text: "null"})
			}
		} else {
			for j := range n.names {
				if n.names[j] == s.name {
					at = j
				}
			}
			if at < 0 {
				at = len(n.kids)
				n.names, n.kids = append(n.names, s.name), append(n.kids, &tree{text: "null"})
			}
		}
		if i < len(path)-1 && n.kids[at].text != "" {
			n.kids[at] = &tree{}
		}
		n = n.kids[at]
	}
	return holder, at
}

// field is a place in a body, with what its schema says.
type field struct {
	path   []step
	schema *apijson.Schema
}

func (f field) String() string {
	var b strings.Builder
	for _, s := range f.path {
		if s.list {
			b.WriteString("[" + strconv.Itoa(s.place) + "]")
		} else {
			b.WriteString("." + s.name)
		}
	}
	return strings.TrimPrefix(b.String(), ".")
}

// fieldsOf are all the places of a body, the ones inside lists in their first element.
func fieldsOf(s *apijson.Schema, path ...step) (list []field) {
	for _, name := range s.Names() {
		at := append(append([]step(nil), path...), step{name: name})
		list = append(list, field{at, s.Properties[name]})
		list = append(list, fieldsOf(s.Properties[name], at...)...)
	}
	if s.Items != nil {
		at := append(append([]step(nil), path...), step{list: true})
		list = append(list, field{at, s.Items})
		list = append(list, fieldsOf(s.Items, at...)...)
	}
	return list
}

// watch makes the store count every row that is written, of any account, so that a test sees whether a request changed
// anything. It needs an embedded store. Leases of order numbers do not count.
func (w *fixture) watch() {
	w.t.Helper()
	w.write(db.Across, func(tx *db.Tx) error {
		tables, err := db.List(tx, func(r db.Rows) (name string, err error) { return name, r.Scan(&name) },
			"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND "+
				"name NOT IN ('order_numbers', 'audit_heads')")
		if err != nil {
			return err
		}
		script := []string{"CREATE TABLE touched (n BIGINT NOT NULL)", "INSERT INTO touched VALUES (0)"}
		for _, table := range tables {
			for _, change := range []string{"INSERT", "UPDATE", "DELETE"} {
				when := ""
				if table == "audit_log" && change == "INSERT" { // a refused login is noted
					when = " WHEN NEW.action <> 'user.login_failed'"
				}
				script = append(script, "CREATE TRIGGER touched_"+table+"_"+change+" AFTER "+change+" ON "+table+when+
					" BEGIN UPDATE touched SET n = n + 1; END")
			}
		}
		for _, sql := range script {
			if _, err := tx.Exec(sql); err != nil {
				return err
			}
		}
		return nil
	})
}

// touched is how many rows were written since watch; on PostgreSQL, where nothing watches, 0.
func (w *fixture) touched() (n int64) {
	w.t.Helper()
	if w.DB.Engine() == dbtest.Postgres {
		return 0
	}
	err := w.DB.Read(w.t.Context(), db.Across, func(tx *db.Tx) error { return tx.Row("SELECT n FROM touched", nil, &n) })
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}
