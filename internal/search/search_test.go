package search_test

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/search"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// sample is what was put of one account, by id.
type sample struct {
	*testing.T
	store  *db.DB
	tenant id.Tenant
	texts  map[string]search.Document
	dice   *rand.Rand
}

func (s *sample) write(run func(tx *db.Tx) error) {
	s.Helper()
	if err := s.store.Write(s.Context(), s.tenant, run); err != nil {
		s.Fatal(err)
	}
}

func (s *sample) text() string {
	words := []string{"Ada", "ÉMILE", "ord-0001", "O'Neill", "gmail.com", "100%", "a_b", `back\slash`, "東京", "x", "two\nlines", "Zebulon"}
	text := fmt.Sprintf("ORD-%06d", s.dice.Intn(100_000))
	for range s.dice.Intn(5) {
		text += " " + words[s.dice.Intn(len(words))]
	}
	return text
}

// put writes n records: new ones, changed ones, and ones that go.
func (s *sample) put(n int) {
	known := make([]string, 0, len(s.texts))
	for id := range s.texts {
		known = append(known, id)
	}
	docs := make([]search.Document, 0, n)
	used := map[string]bool{}
	for range n {
		d := search.Document{ID: id.New[string](), Sort: s.dice.Int63n(1000), Text: s.text()}
		if len(known) > 0 && s.dice.Intn(3) == 0 {
			if d.ID = known[s.dice.Intn(len(known))]; s.dice.Intn(2) == 0 {
				d.Text = ""
			}
		} else if s.dice.Intn(3) == 0 { // between others
			d.ID = fmt.Sprintf("%08x", s.dice.Uint32()) + d.ID[8:]
		}
		if used[d.ID] {
			continue
		}
		used[d.ID] = true
		docs = append(docs, d)
		if s.texts[d.ID] = d; d.Text == "" {
			delete(s.texts, d.ID)
		}
	}
	s.write(func(tx *db.Tx) error { search.Put(tx, search.Orders, docs...); return nil })
}

// pack packs what was written.
func (s *sample) pack() {
	s.Helper()
	if err := search.Blocks[search.Orders].FollowTenant(s.Context(), s.store, s.tenant); err != nil {
		s.Fatal(err)
	}
}

// erase erases n records, or all.
func (s *sample) erase(n int) {
	s.Helper()
	var gone []string
	for id := range s.texts {
		if len(gone) < n {
			gone = append(gone, id)
		}
	}
	if len(gone) == 0 {
		return
	}
	s.write(func(tx *db.Tx) error {
		for _, id := range gone {
			delete(s.texts, id)
			search.Put(tx, search.Orders, search.Document{ID: id})
		}
		return search.Erase(tx, search.Orders, gone)
	})
}

// checkSet compares what a term finds as a set, and what is left of it, with the records that contain the term.
func (s *sample) checkSet(when, term string, want map[string]int64) {
	s.Helper()
	all := slices.Collect(maps.Keys(s.texts))
	err := s.store.Read(s.Context(), s.tenant, func(tx *db.Tx) error {
		found, err := search.FindSet(tx, search.Orders, term, nil)
		if err != nil {
			return err
		}
		if !slices.IsSortedFunc(found.IDs(), search.CompareIDs) {
			s.Errorf("%s: %q is not in the order of the ids", when, term)
		}
		for _, id := range all {
			if has(found, search.ParseID(id)) != contains(want, id) {
				s.Errorf("%s: %q has %s: %v", when, term, id, !contains(want, id))
			}
		}
		none := id.New[string]()
		some := map[string]bool{none: true} // one that there is not, and every third
		for i := 0; i < len(all); i += 3 {
			some[all[i]] = true
		}
		these := "VALUES ('" + none + "'),('" + strings.Join(slices.Collect(maps.Keys(some)), "'),('") + "')"
		kept, err := found.Keep(tx, these)
		if err != nil {
			return err
		}
		dropped, err := found.Drop(tx, these)
		for _, id := range found.IDs() {
			if is := some[id.String()]; has(kept, id) != is || has(dropped, id) == is {
				s.Errorf("%s: %q: kept %v, dropped %v: %s", when, term, has(kept, id), !has(dropped, id), id)
			}
		}
		if kept.Len()+dropped.Len() != found.Len() {
			s.Errorf("%s: %q: %d kept and %d dropped of %d", when, term, found.Len()-kept.Len(), dropped.Len(), found.Len())
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
}

func contains(of map[string]int64, id string) bool {
	_, there := of[id]
	return there
}

// check compares what some terms find with what looking at everything finds.
func (s *sample) check(when string) {
	s.Helper()
	for _, term := range []string{"ada", "ADA", "émile", "É", "東京", "東",
		"a", "x", "gmail.com", "il.c", "0%", "100%", "a_b", "_", `k\s`,
		"ord-00", "ord-0001", "99", "o'n", "two\nlines", "no such", "zebulon ada", "\n"} {
		want := map[string]int64{}
		for id, d := range s.texts {
			if strings.Contains(search.Fold(d.Text), search.Fold(term)) {
				want[id] = d.Sort
			}
		}
		if len(term)%4 == 1 {
			s.checkSet(when, term, want)
		}
		got := map[string]int64{}
		err := s.store.Read(s.Context(), s.tenant, func(tx *db.Tx) error {
			clear(got)
			return search.Find(tx, search.Orders, term, func(id search.ID, sort int64) error {
				if _, twice := got[id.String()]; twice {
					s.Errorf("%s: %s found twice", when, id)
				}
				got[id.String()] = sort
				return nil
			})
		})
		if err != nil {
			s.Fatal(err)
		}
		if !maps.Equal(got, want) {
			s.Errorf("%s: %q finds %d records, not %d", when, term, len(got), len(want))
		}
		s.checkNewest(when, term, want)
	}
}

// checkNewest compares the newest of the records that a term finds with the newest of all that it should find, by the sort values of which
// some do not count.
func (s *sample) checkNewest(when, term string, all map[string]int64) {
	s.Helper()
	even := func(sort int64) bool { return sort%2 == 0 }
	for most, wanted := range map[int]func(int64) bool{1: nil, 7: even, 300: nil, 100_000: even} {
		var want, got []string
		for id, sort := range all {
			if wanted == nil || wanted(sort) {
				want = append(want, id)
			}
		}
		slices.Sort(want)
		slices.Reverse(want)
		want = want[:min(most, len(want))]
		err := s.store.Read(s.Context(), s.tenant, func(tx *db.Tx) error {
			got = nil
			ids, err := search.Newest(tx, search.Orders, term, most, wanted)
			for _, id := range ids {
				got = append(got, id.String())
			}
			return err
		})
		if err != nil || !slices.Equal(got, want) {
			s.Errorf("%s: the newest %d of %q are %d others than the right %d, %v", when, most, term, len(got), len(want), err)
		}
	}
}

// rows counts the rows of a table of search.
func (s *sample) rows(table string) (n int) {
	s.Helper()
	err := s.store.Read(s.Context(), s.tenant, func(tx *db.Tx) error {
		return tx.Row("SELECT count(*) FROM "+table+" WHERE tenant_id = $1 AND kind = 'order'", []any{tx.Tenant}, &n)
	})
	if err != nil {
		s.Fatal(err)
	}
	return n
}

// Whatever was written, packed or erased before, a search finds what looking at every record finds.
func TestSearchFindsWhatEveryRecordSays(t *testing.T) {
	dbtest.Long(t, "it compares searches in a thousand records")
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		other := &sample{T: t, store: store, tenant: dbtest.Account(t, store), texts: map[string]search.Document{},
			dice: rand.New(rand.NewSource(2))}
		other.put(50)
		s := &sample{T: t, store: store, tenant: dbtest.Account(t, store), texts: map[string]search.Document{}, dice: rand.New(rand.NewSource(1))}
		s.check("empty")
		for round := range 6 {
			s.put(1500)
			s.check(fmt.Sprint("unpacked ", round))
			if s.pack(); round%2 == 1 {
				s.put(900)
			}
			s.check(fmt.Sprint("packed ", round))
		}
		if blocks, loose := s.rows("search_blocks"), s.rows("search_loose"); blocks < 3 || loose == 0 {
			t.Errorf("%d blocks, %d records beside them", blocks, loose)
		}
		s.erase(40)
		s.check("erased")
		other.check("the other account")
	})
}

// An erased text is in no row any more, also before the next packing.
func TestErasedTextsAreGone(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := &sample{T: t, store: store, tenant: dbtest.Account(t, store), texts: map[string]search.Document{}, dice: rand.New(rand.NewSource(4))}
		s.put(3000)
		secret := search.Document{ID: id.New[string](), Text: "Wilhelmine Secret"}
		s.write(func(tx *db.Tx) error { search.Put(tx, search.Orders, secret); return nil })
		if err := search.Blocks[search.Orders].FollowTenant(t.Context(), store, s.tenant); err != nil {
			t.Fatal(err)
		}
		holds := func() (n int) {
			err := store.Texts(t.Context(), func(_, _, text string) error {
				n += strings.Count(text, "wilhelmine")
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if holds() != 1 {
			t.Fatalf("the text stands %d times in the store", holds())
		}
		s.write(func(tx *db.Tx) error {
			search.Put(tx, search.Orders, search.Document{ID: secret.ID, Text: "ORD-1"})
			return search.Erase(tx, search.Orders, []string{secret.ID})
		})
		if holds() != 0 {
			t.Error("the text is still in the store")
		}
		s.texts[secret.ID] = search.Document{ID: secret.ID, Text: "ORD-1"}
		s.check("erased")
	})
}

// Writers, packers on two nodes and erasures at once lose nothing and find nothing twice.
func TestPackingBesideWriters(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := &sample{T: t, store: store, tenant: dbtest.Account(t, store), texts: map[string]search.Document{}, dice: rand.New(rand.NewSource(9))}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for n := range 4 {
			wg.Go(func() {
				for i := range 40 {
					docs := make([]search.Document, 20)
					for k := range docs {
						docs[k] = search.Document{ID: fmt.Sprintf("%08x-0000-7000-8000-%012x", (n*7919+i*104729+k*31)%5000, n),
							Text: fmt.Sprintf("writer %d round %d place %d ada", n, i, k)}
					}
					err := store.Write(t.Context(), s.tenant, func(tx *db.Tx) error {
						for _, d := range docs {
							search.Put(tx, search.Orders, d)
						}
						if i%10 == 9 {
							return search.Erase(tx, search.Orders, []string{docs[0].ID})
						}
						return nil
					})
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					for _, d := range docs {
						s.texts[d.ID] = d
					}
					mu.Unlock()
				}
			})
		}
		stop := make(chan struct{})
		var packers sync.WaitGroup
		for range 2 {
			packers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if err := search.Blocks[search.Orders].FollowTenant(t.Context(), store, s.tenant); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		close(stop)
		packers.Wait()
		s.check("after all")
		if s.rows("search_blocks") == 0 {
			t.Error("nothing was packed")
		}
	})
}

// A text that is written while the one before it is packed stays unpacked: it is found, and the packed one is not. Only on
// PostgreSQL does anybody write beside a packer.
func TestATextChangesWhileItIsPacked(t *testing.T) {
	store := dbtest.Open(t, db.Config{URL: dbtest.StoreURL(t)})
	s := &sample{T: t, store: store, tenant: dbtest.Account(t, store), texts: map[string]search.Document{}}
	put := func(docs ...search.Document) {
		s.write(func(tx *db.Tx) error { search.Put(tx, search.Orders, docs...); return nil })
		for _, d := range docs {
			if s.texts[d.ID] = d; d.Text == "" {
				delete(s.texts, d.ID)
			}
		}
	}
	same, changed, deleted := id.New[string](), id.New[string](), id.New[string]()
	put(search.Document{ID: same, Text: "Ada"}, search.Document{ID: changed, Text: "Ada Zebulon"}, search.Document{ID: deleted, Text: "Ada"})
	s.write(func(tx *db.Tx) error {
		if n, err := search.PackSome(tx, search.Orders); n != 3 || err != nil {
			return fmt.Errorf("%d packed, %w", n, err)
		}
		put(search.Document{ID: changed, Text: "Émile"}, search.Document{ID: deleted}) // before the packer's writes are sent
		return nil
	})
	if n := s.rows("search_loose"); n != 2 {
		t.Errorf("%d texts are unpacked, not the 2 written meanwhile", n)
	}
	s.check("packed")
	if err := search.Blocks[search.Orders].FollowTenant(t.Context(), store, s.tenant); err != nil {
		t.Fatal(err)
	}
	if n := s.rows("search_loose"); n != 0 {
		t.Errorf("%d texts are unpacked", n)
	}
	s.check("packed again")
}

// Many packed texts are deleted as a range of ids: a text that comes between them meanwhile is not lost.
func TestATextComesBetweenThosePacked(t *testing.T) {
	store := dbtest.Open(t, db.Config{URL: dbtest.StoreURL(t)})
	s := &sample{T: t, store: store, tenant: dbtest.Account(t, store), texts: map[string]search.Document{}}
	docs := make([]search.Document, 400)
	for i := range docs {
		docs[i] = search.Document{ID: id.New[string](), Text: "Ada"}
		s.texts[docs[i].ID] = docs[i]
	}
	slices.SortFunc(docs, func(a, b search.Document) int { return strings.Compare(a.ID, b.ID) })
	put := func(docs ...search.Document) {
		s.write(func(tx *db.Tx) error { search.Put(tx, search.Orders, docs...); return nil })
	}
	put(slices.Concat(docs[:200], docs[201:])...)
	tries := 0
	s.write(func(tx *db.Tx) error {
		if _, err := search.PackSome(tx, search.Orders); err != nil {
			return err
		}
		if tries++; tries == 1 {
			put(docs[200]) // before the packer's writes are sent
		}
		return nil
	})
	if n := s.rows("search_loose"); n != 0 || tries != 2 {
		t.Errorf("%d texts are unpacked after %d tries", n, tries)
	}
	s.check("packed")
}

// has reports whether a record is in a set.
func has(set *search.Set, id search.ID) bool {
	_, there := set.Find(id)
	return there
}
