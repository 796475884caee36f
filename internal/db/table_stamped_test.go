package db_test

import (
	"errors"
	"strings"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// parcel is a record with a stamp.
type parcel struct {
	ID        id.Product
	Note      string
	Tags      []string
	Limit     *int64
	Seen      int64
	CreatedAt int64
	UpdatedAt int64
	ChangedAt int64
}

var parcelNotes = db.NewTable("parcels",
	db.Col("id", func(p *parcel) any { return &p.ID }).Key(),
	db.Col("note", func(p *parcel) any { return &p.Note }).Null(),
	db.Col("updated_at", func(p *parcel) any { return &p.UpdatedAt }).Now(),
	db.Col("changed_at", func(p *parcel) any { return &p.ChangedAt }).Stamp(),
).Of("parcel")

var parcels = parcelNotes.Plus(
	db.Coded("tags", func(p *parcel) string { return strings.Join(p.Tags, " ") },
		func(p *parcel, text string) error { p.Tags = strings.Fields(text); return nil }),
	db.Col("bound", func(p *parcel) any { return &p.Limit }),
	db.Col("seen", func(p *parcel) any { return &p.Seen }).Null().ReadOnly(),
	db.Col("created_at", func(p *parcel) any { return &p.CreatedAt }).Fixed().Now(),
)

// Rows written in one statement are read as they were written, with stamps that grow in their order; a row that was
// written since it was read, or whose condition is false, makes the transaction run again, and an update of some
// columns changes only those.
func TestTableStamped(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		write := func(do func(tx *db.Tx) error) error { return store.Write(t.Context(), 1, do) }
		read := func() (list []parcel) {
			err := store.Read(t.Context(), 1, func(tx *db.Tx) (err error) {
				list, err = parcels.All(tx, "ORDER BY changed_at")
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		five := int64(5)
		fresh := make([]parcel, 20)
		for i := range fresh {
			fresh[i] = parcel{ID: id.New[id.Product](), Note: strings.Repeat("n", i), Seen: 7, CreatedAt: 1, UpdatedAt: 1}
		}
		fresh[3].Tags, fresh[3].Limit = []string{"a", "b"}, &five
		createParcels(t, store, `note TEXT, tags TEXT NOT NULL, bound BIGINT, seen BIGINT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
			changed_at BIGINT NOT NULL`)
		if err := write(func(tx *db.Tx) error { parcels.InsertStamped(tx, fresh, ""); return nil }); err != nil {
			t.Fatal(err)
		}
		list := read()
		if len(list) != 20 {
			t.Fatalf("%d rows", len(list))
		}
		for i, p := range list {
			if p.ID != fresh[i].ID || p.Note != fresh[i].Note || p.Seen != 0 || p.CreatedAt < 2 || p.UpdatedAt != p.CreatedAt {
				t.Errorf("row %d: %+v", i, p)
			}
			if i > 0 && p.ChangedAt != list[i-1].ChangedAt+db.StampStep {
				t.Errorf("row %d has the stamp %d after %d", i, p.ChangedAt, list[i-1].ChangedAt)
			}
		}
		if l := list[3]; len(l.Tags) != 2 || l.Limit == nil || *l.Limit != 5 || list[4].Limit != nil {
			t.Errorf("row 3: %+v", l)
		}

		changed := list[2:4:4]
		changed[0].Note, changed[0].Tags, changed[1].Note, changed[1].Limit = "", []string{"c"}, "notes only", nil
		if err := write(func(tx *db.Tx) error { parcelNotes.UpdateStamped(tx, changed, "parcels.seen IS NULL"); return nil }); err != nil {
			t.Fatal(err)
		}
		after := read()
		if a, b := after[18], after[19]; a.ID != fresh[2].ID || a.Note != "" || len(a.Tags) != 0 || b.Note != "notes only" || *b.Limit != 5 {
			t.Errorf("after the update of notes: %+v, %+v", a, b)
		}
		for name, old := range map[string]struct {
			parcel
			while string
		}{"stamp": {changed[0], "parcels.seen IS NULL"}, "condition": {after[0], "parcels.seen IS NOT NULL"}} {
			tries := 0
			err := write(func(tx *db.Tx) error {
				if tries++; tries == 2 {
					return errTwice
				}
				parcels.UpdateStamped(tx, []parcel{old.parcel}, old.while)
				return nil
			})
			if !errors.Is(err, errTwice) {
				t.Errorf("update with an old %s: %v", name, err)
			}
		}
		tries := 0
		err := write(func(tx *db.Tx) error {
			if tries++; tries == 2 {
				return errTwice
			}
			parcels.InsertStamped(tx, []parcel{{ID: id.New[id.Product](), Note: "in"}, {ID: id.New[id.Product](), Note: "out"}}, "v.note <> 'out'")
			return nil
		})
		if !errors.Is(err, errTwice) || len(read()) != 20 {
			t.Errorf("insert under a condition: %v, %d rows", err, len(read()))
		}
		full := errors.New("full")
		for range 2 {
			err = write(func(tx *db.Tx) error {
				parcels.InsertFrom(tx, parcel{ID: id.New[id.Product](), Note: "last"},
					"WHERE v.note = 'last' AND (SELECT count(*) FROM parcels) < 21").Rows(1, full)
				return nil
			})
		}
		if list = read(); !errors.Is(err, full) || len(list) != 21 || list[20].Note != "last" || list[20].CreatedAt < 2 {
			t.Errorf("insert of one more, and of one too many: %v, %d rows, %+v", err, len(list), list[len(list)-1])
		}
	})
}

// One record is found or missing by its name; a page has what the conditions choose, and the number of all.
func TestTableReads(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		clock(t, store, 2)
		notes := []parcel{{ID: id.New[id.Product](), Note: "100% of_it"}, {ID: id.New[id.Product](), Note: "1000 of it"},
			{ID: id.New[id.Product](), Note: `back\slash`}}
		table := db.NewTable("parcels", db.Col("id", func(p *parcel) any { return &p.ID }).Key(),
			db.Col("note", func(p *parcel) any { return &p.Note })).Of("parcel")
		upserts := func(tenant id.Tenant, list ...parcel) {
			t.Helper()
			if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { table.UpsertStamped(tx, list); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		createParcels(t, store, "note TEXT NOT NULL")
		upserts(1, parcel{ID: notes[0].ID, Note: "first"})
		upserts(1, notes...)
		upserts(2, parcel{ID: notes[0].ID, Note: "another account's"})
		err := store.Read(t.Context(), 1, func(tx *db.Tx) error {
			if one, err := table.One(tx, db.NoLock, "id = $2", notes[0].ID); err != nil || one.Note != notes[0].Note {
				t.Errorf("one: %+v, %v", one, err)
			}
			var missing *apperr.Error
			if _, err := table.One(tx, db.NoLock, "id = $2", id.New[id.Product]()); !errors.As(err, &missing) || missing.Kind != apperr.NotFound {
				t.Errorf("one that is not there: %v", err)
			}
			for text, want := range map[string]int64{"0% o": 1, "f_i": 1, `k\s`: 1, "of": 2, "none": 0, "": 3} {
				w := db.NewWhere(tx, "p").AndContains("p.note", text)
				list, total, err := table.Page(tx, w, "p.id", 1, 0)
				if err != nil || total != want || int64(len(list)) != min(want, 1) {
					t.Errorf("contains %q: %d of %d, %v", text, len(list), total, err)
				}
			}
			w := db.AndGiven(db.NewWhere(tx, "p").Join("JOIN parcels o ON o.tenant_id = $1 AND o.id = p.id"), "o.note <> ?", notes[1].Note)
			list, total, err := table.Page(tx, db.AndGiven(w, "p.note = ?", ""), "p.id", 5, 1)
			if err != nil || total != 2 || len(list) != 1 || list[0].ID != notes[2].ID {
				t.Errorf("second of two: %+v of %d, %v", list, total, err)
			}
			beyond, total, err := table.Page(tx, db.NewWhere(tx, ""), "id", 5, 3)
			if err != nil || total != 3 || beyond == nil || len(beyond) != 0 {
				t.Errorf("beyond the end: %+v of %d, %v", beyond, total, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// createParcels makes the table, with an id and the given columns.
func createParcels(t *testing.T, store *db.DB, columns string) {
	t.Helper()
	kind := map[string]string{"sqlite": "TEXT", "postgres": "UUID"}[store.Engine()]
	err := store.Write(t.Context(), 1, func(tx *db.Tx) error {
		_, err := tx.Exec("CREATE TABLE parcels (tenant_id BIGINT, id " + kind + ", " + columns + ", PRIMARY KEY (tenant_id, id))")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

var errTwice = errors.New("ran twice")
