package db

import "entrepot/internal/base/apperr"

// Lock says how a query locks the rows that it reads until its transaction ends. On SQLite the words are removed,
// because nobody else writes meanwhile.
type Lock string

// The locks.
const (
	NoLock    Lock = ""
	ForUpdate Lock = " FOR UPDATE" // others must wait to change or lock them
	ForShare  Lock = " FOR SHARE"  // others may share them, and must wait to change them
)

// Of names the kind of record, for the error of a missing one.
func (t *Table[T]) Of(noun string) *Table[T] { t.noun = noun; return t }

// Missing is the error for a record that the account does not have: NotFound.
func (t *Table[T]) Missing() error { return apperr.Missing(t.noun) }

// Select begins a query of whole records: "SELECT columns FROM name alias"; alias is "" for none.
func (t *Table[T]) Select(alias string) string {
	return t.text("select "+alias, func() string {
		text := "SELECT " + t.Columns(alias) + " FROM " + t.name
		if alias != "" {
			text += " " + alias
		}
		return text
	})
}

// All reads the records of the account that match rest, the SQL after "WHERE tenant_id = $1 "; its first argument is
// $2.
func (t *Table[T]) All(tx *Tx, rest string, args ...any) ([]T, error) {
	return List(tx, t.Scanner(), t.Select("")+" WHERE tenant_id = $1 "+rest, append([]any{tx.Tenant}, args...)...)
}

// One reads the record that where identifies within the tenant; its first argument is $2. Errors: NotFound.
func (t *Table[T]) One(tx *Tx, lock Lock, where string, args ...any) (record T, err error) {
	return t.First(t.All(tx, "AND "+where+string(lock), args...))
}

// First returns the first record of a list. Errors: NotFound for an empty list.
func (t *Table[T]) First(list []T, err error) (record T, _ error) {
	if err == nil && len(list) == 0 {
		err = t.Missing()
	}
	if err != nil {
		return record, err
	}
	return list[0], nil
}

// Page reads a page of the records that match w, in an order such as "created_at, id", and how many match in all.
func (t *Table[T]) Page(tx *Tx, w *Where, order string, limit, offset int) (list []T, total int64, err error) {
	return t.PageFrom(tx, w, nil, order, limit, offset)
}

// PageFrom is Page for a list that may continue behind an earlier page: behind adds that condition, which the total
// does not have.
func (t *Table[T]) PageFrom(tx *Tx, w *Where, behind func(*Where), order string, limit, offset int) (list []T, total int64, err error) {
	counted := tx.Prefetch(func(r Rows) error { return r.Scan(&total) },
		"SELECT count(*) FROM "+t.name+w.from()+" WHERE "+w.String(), w.Args()...)
	if behind != nil {
		behind(w)
	}
	page := t.prefetchRows(tx, w, order, limit, offset)
	if err := counted.Wait(); err != nil || total <= int64(offset) {
		return []T{}, total, err
	}
	list, err = page.Wait()
	return list, total, err
}

// Rows is Page without the count.
func (t *Table[T]) Rows(tx *Tx, w *Where, order string, limit, offset int) ([]T, error) {
	return t.prefetchRows(tx, w, order, limit, offset).Wait()
}

// prefetchRows prefetches the records of a page.
func (t *Table[T]) prefetchRows(tx *Tx, w *Where, order string, limit, offset int) *Pending[[]T] {
	p, scan := &Pending[[]T]{Value: []T{}}, t.Scanner()
	sql := "SELECT " + t.Columns(w.alias) + " FROM " + t.name + w.from() + " WHERE " + w.String() + " ORDER BY " + order +
		" LIMIT " + w.Bind(limit) + "::BIGINT OFFSET " + w.Bind(offset) + "::BIGINT"
	return p.Await(tx.Prefetch(func(r Rows) error {
		record, err := scan(r)
		p.Value = append(p.Value, record)
		return err
	}, sql, w.Args()...))
}
