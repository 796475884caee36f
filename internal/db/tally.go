package db

import (
	"cmp"
	"slices"
)

// tally identifies a stored count of a tenant: what is counted, and of which kind.
type tally struct{ name, key string }

// Tally adds n to a stored count at the commit, in one statement with all other counts of the transaction, after the
// tenant's change clock. The writes that it counts must fail unless they change exactly n rows.
func (tx *Tx) Tally(name, key string, n int64) {
	if n == 0 {
		return
	}
	if tx.tallies == nil {
		tx.tallies = map[tally]int64{}
	}
	tx.tallies[tally{name, key}] += n
}

// queueTallies queues the changes of the counts.
func (tx *Tx) queueTallies() {
	list := make([]tally, 0, len(tx.tallies))
	for t, n := range tx.tallies {
		if n != 0 {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b tally) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.key, b.key)) })
	for piece := range Pieces(list) {
		args := append(make([]any, 0, 1+3*len(piece)), tx.Tenant)
		for _, t := range piece {
			args = append(args, t.name, t.key, tx.tallies[t])
		}
		tx.Change(tallyText.For(len(piece), addTallies), args...)
	}
	tx.tallies = nil
}

var tallyText Text

func addTallies(rows int) string {
	return "INSERT INTO tallies (tenant_id, name, key, n) VALUES " + Repeat(rows, 2, "($1,$,$,$)") +
		" ON CONFLICT (tenant_id, name, key) DO UPDATE SET n = tallies.n + excluded.n"
}

// Repairs is the name of the count, with the key "", of the repairs of a tenant that have begun. It counts no
// records.
const Repairs = "repairs"

// BeginRepair counts one more repair of the tenant and returns its number: every later snapshot belongs to it, until
// the next one begins.
func (tx *Tx) BeginRepair() (number int64, err error) {
	if err := tx.LockClock(); err != nil {
		return 0, err
	}
	err = tx.Row("SELECT coalesce(sum(n), 0)::BIGINT FROM tallies WHERE tenant_id = $1 AND name = $2 AND key = ''",
		[]any{tx.Tenant, Repairs}, &number)
	tx.Tally(Repairs, "", 1)
	return number + 1, err
}

// InRepair makes the transaction fail with other unless the repair with this number is the last that has begun.
func (tx *Tx) InRepair(number int64, other error) {
	tx.Change("UPDATE tallies SET n = n WHERE tenant_id = $1 AND name = $2 AND key = '' AND n = $3", tx.Tenant, Repairs, number).Rows(1, other)
}

// DropTally queues the deletion of a stored count, which must be 0. The caller must hold locks on the records that it
// counts.
func DropTally(w Writer, name, key string) {
	w.Change("DELETE FROM tallies WHERE tenant_id = $1 AND name = $2 AND key = $3", w.TenantID(), name, key)
}

// DropTallies queues the deletion of all stored counts of a name whose keys end with a text without % and _. They
// must be 0, as in DropTally.
func DropTallies(w Writer, name, end string) {
	w.Change("DELETE FROM tallies WHERE tenant_id = $1 AND name = $2 AND key LIKE $3", w.TenantID(), name, "%"+end)
}

// PrefetchTallies prefetches the stored counts of some names, by name and key; a count of 0 may be missing.
func PrefetchTallies(r Reader, names ...string) *Pending[map[string]map[string]int64] {
	p := &Pending[map[string]map[string]int64]{Value: map[string]map[string]int64{}}
	for _, name := range names {
		p.Value[name] = map[string]int64{}
	}
	w := NewWhere(r, "")
	AndIn(w, "name", names)
	return p.Await(r.Prefetch(func(row Rows) error {
		var name, key string
		var n int64
		err := row.Scan(&name, &key, &n)
		p.Value[name][key] = n
		return err
	}, "SELECT name, key, n FROM tallies WHERE "+w.String(), w.Args()...))
}

// TalliesOf returns the stored counts of one name and some keys; a count of 0 may be missing.
func TalliesOf[K ~string](r Reader, name string, keys []K) (map[K]int64, error) {
	counts := make(map[K]int64, len(keys))
	for piece := range Pieces(keys) {
		texts := make([]string, len(piece))
		for i, key := range piece {
			texts[i] = string(key)
		}
		w := AndIn(NewWhere(r, "").And("name = ?", name), "key", Padded(texts))
		err := r.Each(func(row Rows) error {
			var key string
			var n int64
			err := row.Scan(&key, &n)
			counts[K(key)] = n
			return err
		}, "SELECT key, n FROM tallies WHERE "+w.String(), w.Args()...)
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// Tallies returns the stored counts of one name, by key; a count of 0 may be missing.
func Tallies[K ~string](r Reader, name string) (map[K]int64, error) {
	all, err := PrefetchTallies(r, name).Wait()
	counts := make(map[K]int64, len(all[name]))
	for key, n := range all[name] {
		counts[K(key)] = n
	}
	return counts, err
}
