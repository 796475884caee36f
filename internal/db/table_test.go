package db_test

import (
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// mark is a record with a member of each sort.
type mark struct {
	ID     id.Delivery
	Count  int64
	Status kind
	Note   string
	Open   bool
	Limit  *int64
	Joined string
}

type kind string

var marks = db.NewTable("marks",
	db.Col("id", func(m *mark) any { return &m.ID }).Fixed(),
	db.Col("count", func(m *mark) any { return &m.Count }).Set("CASE WHEN note = $4 THEN ? ELSE count + ? END"),
	db.Col("status", func(m *mark) any { return &m.Status }),
	db.Col("note", func(m *mark) any { return &m.Note }).Null(),
	db.Col("open", func(m *mark) any { return &m.Open }),
	db.Col("bound", func(m *mark) any { return &m.Limit }),
	db.Derived("search", func(m *mark) any { return m.Note + string(m.Status) }),
	db.Joined("o.note", func(m *mark) any { return &m.Joined }),
)

// What is inserted and updated through a table is what is read through it, whatever is NULL.
func TestTable(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		three := int64(3)
		list := []mark{{ID: id.New[id.Delivery](), Count: 1, Status: "a", Note: "first", Open: true, Limit: &three},
			{ID: id.New[id.Delivery](), Count: 3, Status: "b"}, {ID: id.New[id.Delivery](), Count: -5, Status: "c", Note: "third"}}
		err := store.Write(t.Context(), 3, func(tx *db.Tx) error {
			if _, err := tx.Exec(`CREATE TABLE marks (tenant_id BIGINT, id TEXT, count BIGINT NOT NULL, status TEXT NOT NULL, note TEXT,
				open BOOLEAN NOT NULL,
				bound BIGINT, search TEXT NOT NULL)`); err != nil {
				return err
			}
			marks.Insert(tx, list...)
			list[1].Note, list[1].Limit, list[1].Status = "second", &three, "z"
			list[1].Count = 4
			marks.Update(tx, &list[1], "id = $2 AND status = $3", list[1].ID, "b", "no note").Rows(1, nil) // counts on
			list[2].Count = 5
			marks.Update(tx, &list[2], "id = $2 AND status = $3", list[2].ID, "c", "third").Rows(1, nil) // counts anew
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		list[1].Count = 3 + 4
		err = store.Read(t.Context(), 3, func(tx *db.Tx) error {
			w := db.NewWhere(tx, "m").And("m.count BETWEEN ? AND ?", int64(-9), int64(9))
			db.AndIn(w, "m.search", []string{"firsta", "secondz", "thirdc"})
			got, err := db.List(tx, marks.Scanner(), "SELECT "+marks.Columns("m")+
				" FROM marks m LEFT JOIN marks o ON o.note = 'first' AND m.note = 'third' WHERE "+
				w.String()+" ORDER BY m.note LIMIT "+w.Bind(5)+"::BIGINT", w.Args()...)
			if err != nil || len(got) != 3 {
				t.Fatalf("%d rows, %v", len(got), err)
			}
			list[2].Joined = "first"
			for i, m := range got {
				want := list[i]
				if m.Limit != nil && want.Limit != nil && *m.Limit == *want.Limit {
					m.Limit = want.Limit
				}
				if m != want {
					t.Errorf("row %d: %+v, want %+v", i, m, want)
				}
			}
			none := db.NewWhere(tx, "")
			db.AndIn(none, "note", []string{})
			var n int64
			if err := tx.Row("SELECT count(*) FROM marks WHERE "+none.String(), none.Args(), &n); err != nil || n != 0 {
				t.Errorf("one of none: %d, %v", n, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
