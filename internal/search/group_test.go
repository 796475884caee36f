package search_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/search"
)

// wrongGroups returns the blocks with a text that a search would not find.
func (s *sample) wrongGroups() (wrong []string) {
	s.Helper()
	err := s.store.Read(s.Context(), s.tenant, func(tx *db.Tx) error {
		return search.VerifyGroups(tx, search.Orders, func(first string) { wrong = append(wrong, first) })
	})
	if err != nil {
		s.Fatal(err)
	}
	return wrong
}

// groups counts the groups of an account, and blocks that have a place in none.
func (s *sample) groups() (groups, free int) {
	s.Helper()
	err := s.store.Read(s.Context(), s.tenant, func(tx *db.Tx) error {
		return tx.Row(`SELECT (SELECT count(*) FROM search_grams WHERE tenant_id = $1 AND slice = 0),
			(SELECT count(*) FROM search_blocks WHERE tenant_id = $1) - (SELECT count(*) FROM search_places WHERE tenant_id = $1)`,
			[]any{tx.Tenant}, &groups, &free)
	})
	if err != nil {
		s.Fatal(err)
	}
	return groups, free
}

// Blocks in groups are searched like others, also when some of them were written again, erased or have left their group.
func TestGroupsOfBlocks(t *testing.T) {
	search.SmallBlocks(t)
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := &sample{T: t, store: store, tenant: dbtest.Account(t, store), texts: map[string]search.Document{}, dice: rand.New(rand.NewSource(5))}
		for round := range 3 {
			s.put(1200)
			s.check(fmt.Sprint("unpacked ", round))
			s.pack()
			s.check(fmt.Sprint("packed ", round))
			if groups, free := s.groups(); groups == 0 || free > 32 {
				t.Errorf("round %d: %d groups, %d blocks in none", round, groups, free)
			}
			if wrong := s.wrongGroups(); len(wrong) > 0 {
				t.Errorf("round %d: texts of %v are not found", round, wrong)
			}
		}
		s.erase(20)
		s.check("erased")
		for id, d := range s.texts { // every block is written again
			d.Text += " again"
			s.texts[id] = d
			s.write(func(tx *db.Tx) error { search.Put(tx, search.Orders, d); return nil })
		}
		s.pack()
		s.check("all changed")
		if groups, free := s.groups(); groups == 0 || groups > len(s.texts)/8/32+1 || free > 32 {
			t.Errorf("%d groups, %d blocks in none", groups, free)
		}
		if wrong := s.wrongGroups(); len(wrong) > 0 {
			t.Errorf("all changed: texts of %v are not found", wrong)
		}
	})
}

// A search of a name that few records have reads few of the blocks, although each block has each trigram of it.
func TestASearchReadsFewBlocks(t *testing.T) {
	search.SmallBlocks(t)
	for engine, config := range map[string]db.Config{"sqlite": {Dir: dbtest.StoreDir(t), Unsafe: true},
		"postgres": {URL: dbtest.PlainStoreURL(t)}} {
		t.Run(engine, func(t *testing.T) {
			read := map[any]bool{}
			config.Trace = func(sql string, args []any) {
				switch {
				case strings.Contains(sql, "p.place IN"), strings.Contains(sql, "first_id IN"):
					for _, block := range args[2:] {
						read[block] = true
					}
				case strings.HasPrefix(sql, "SELECT body, keys FROM search_blocks"):
					read["all"] = true
				}
			}
			store := dbtest.Open(t, config)
			s := &sample{T: t, store: store, tenant: dbtest.Account(t, store), texts: map[string]search.Document{}}
			const records, rare = 2100, 3
			s.write(func(tx *db.Tx) error {
				docs := make([]search.Document, records)
				for i := range docs {
					docs[i] = search.Document{ID: id.New[string](), Text: []string{"zeb", "ebu", "bul", "ulo", "lon"}[i%5]}
					if i%(records/rare) == 7 {
						docs[i].Text = "Zebulon"
					}
				}
				search.Put(tx, search.Orders, docs...)
				return nil
			})
			s.pack()
			found := 0
			err := store.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
				clear(read)
				return search.Find(tx, search.Orders, "zebulon", func(search.ID, int64) error { found++; return nil })
			})
			// Blocks in no group have only their filter, which all of them pass.
			if _, free := s.groups(); err != nil || found != rare || len(read) > free+rare || read["all"] {
				t.Errorf("%d found, %d blocks read, %d of them in no group, all: %v, %v", found, len(read), free, read["all"], err)
			}
		})
	}
}

// The newest records that contain a term are found in the newest blocks, whether each record has the term or each third, and also a term
// that is too short for trigrams.
func TestTheNewestAreInTheNewestBlocks(t *testing.T) {
	search.SmallBlocks(t)
	for engine, config := range map[string]db.Config{"sqlite": {Dir: dbtest.StoreDir(t), Unsafe: true},
		"postgres": {URL: dbtest.PlainStoreURL(t)}} {
		t.Run(engine, func(t *testing.T) {
			blocks, searching := 0, false
			config.Trace = func(sql string, args []any) {
				switch {
				case !searching:
				case strings.Contains(sql, "first_id IN"):
					different := map[any]bool{}
					for _, block := range args[2:] {
						different[block] = true
					}
					blocks += len(different)
				case strings.Contains(sql, "first_id DESC LIMIT"):
					blocks += args[len(args)-1].(int)
				case strings.Contains(sql, "body, keys"):
					t.Errorf("blocks are read by %s", sql)
				}
			}
			store := dbtest.Open(t, config)
			s := &sample{T: t, store: store, tenant: dbtest.Account(t, store), texts: map[string]search.Document{}}
			s.write(func(tx *db.Tx) error {
				docs := make([]search.Document, 2100)
				for i := range docs {
					docs[i] = search.Document{ID: id.New[string](), Text: "order"}
					if i%3 == 0 {
						docs[i].Text += " Ada"
					}
				}
				search.Put(tx, search.Orders, docs...)
				return nil
			})
			s.pack()
			for _, term := range []string{"order", "ada", "a", ""} {
				err := store.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
					blocks, searching = 0, true
					found, err := search.Newest(tx, search.Orders, term, 6, nil)
					if searching = false; len(found) != 6 {
						t.Errorf("%q: %d found", term, len(found))
					}
					return err
				})
				if all := s.rows("search_blocks"); blocks > 2+4 || blocks == 0 || all < 100 || err != nil {
					t.Errorf("%q: %d of %d blocks are read, %v", term, blocks, all, err)
				}
			}
		})
	}
}

// An old record that was changed and is not packed again does not hide newer ones.
func TestTheNewestBesideAChangedOne(t *testing.T) {
	search.SmallBlocks(t)
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := &sample{T: t, store: store, tenant: dbtest.Account(t, store), texts: map[string]search.Document{}}
		put := func(docs ...search.Document) {
			s.write(func(tx *db.Tx) error { search.Put(tx, search.Orders, docs...); return nil })
			for _, d := range docs {
				s.texts[d.ID] = d
			}
		}
		docs := make([]search.Document, 600)
		for i := range docs {
			docs[i] = search.Document{ID: id.New[string](), Text: fmt.Sprint("Émile ", i)}
			if i == 400 {
				docs[i].Text = "Zebulon Ada"
			}
		}
		put(docs...)
		s.pack()
		docs[3].Text = "Zebulon Ada"
		put(docs[3])
		s.check("one changed")
	})
}

// FuzzSearches writes, packs and erases records in steps, and compares after each what terms find, and the newest of it, with what looking
// at everything finds.
func FuzzSearches(f *testing.F) {
	store := dbtest.Open(f, db.Config{Dir: f.TempDir(), Unsafe: true})
	f.Add([]byte{250, 2, 40, 3, 251, 2, 8})
	f.Add([]byte{254, 6, 252, 10, 4, 11, 2, 0})
	f.Fuzz(func(t *testing.T, steps []byte) {
		search.SmallBlocks(t)
		s := &sample{T: t, store: store, tenant: dbtest.Account(t, store), texts: map[string]search.Document{}, dice: rand.New(rand.NewSource(3))}
		for i, step := range steps[:min(len(steps), 12)] {
			switch step % 4 {
			case 2:
				s.pack()
			case 3:
				s.erase(int(step / 4))
			default:
				s.put(int(step) + 1)
			}
			s.check(fmt.Sprintf("step %d of % d", i, steps))
		}
	})
}
