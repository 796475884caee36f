package db_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// counted opens a store of each engine and gives how many statements each message of reads had.
func counted(t *testing.T, test func(t *testing.T, store *db.DB, messages *[]int)) {
	for engine, config := range map[string]db.Config{"sqlite": {Dir: dbtest.StoreDir(t), Unsafe: true},
		"postgres": {URL: dbtest.StoreURL(t)}} {
		t.Run(engine, func(t *testing.T) {
			var messages []int
			config.Sent = func(n int) { messages = append(messages, n) }
			store := dbtest.Open(t, config)
			messages = nil
			test(t, store, &messages)
		})
	}
}

// row reads a number that the statement makes.
func row(tx *db.Tx, n int64) (got int64, err error) {
	err = tx.Row("SELECT $1::BIGINT + $2::BIGINT", []any{n, 1}, &got)
	return got, err
}

// chain reads so many numbers, each made from the one before.
func chain(into *int64, length int) func(*db.Tx) error {
	return func(tx *db.Tx) (err error) {
		for range length {
			if *into, err = row(tx, *into); err != nil {
				return err
			}
		}
		return nil
	}
}

// Functions that read side by side cost as many messages as the longest of them, also where one of them reads side by side in turn.
func TestTogether(t *testing.T) {
	counted(t, func(t *testing.T, store *db.DB, messages *[]int) {
		var one, three, inner, outer int64
		var list []int64
		err := store.Read(t.Context(), 1, func(tx *db.Tx) error {
			err := tx.Together(chain(&one, 1), chain(&three, 3), func(tx *db.Tx) (err error) {
				list, err = db.List(tx, func(r db.Rows) (n int64, err error) { return n, r.Scan(&n) }, "SELECT 7::BIGINT UNION ALL SELECT 8::BIGINT")
				tx.Last() // of its own reads, not of all
				return err
			}, func(tx *db.Tx) error { return tx.Together(chain(&inner, 2), chain(&outer, 4)) })
			if err != nil {
				return err
			}
			return chain(&one, 1)(tx)
		})
		if err != nil || one != 2 || three != 3 || inner != 2 || outer != 4 || !slices.Equal(list, []int64{7, 8}) {
			t.Errorf("%d %d %d %d %v, %v", one, three, inner, outer, list, err)
		}
		want := "[5 3 2 1 1]"
		if store.Engine() == "sqlite" { // one statement at a time
			want = fmt.Sprint(slices.Repeat([]int{1}, 12))
		}
		if got := fmt.Sprint(*messages); got != want {
			t.Errorf("statements by message: %s, not %s", got, want)
		}
	})
}

// The error is that of the first function that failed; a row that is not there is one, and the others have read to their end.
func TestTogetherFails(t *testing.T) {
	counted(t, func(t *testing.T, store *db.DB, _ *[]int) {
		own := errors.New("of its own")
		var whole int64
		err := store.Read(t.Context(), 1, func(tx *db.Tx) error {
			return tx.Together(chain(&whole, 2), func(tx *db.Tx) error {
				var n int64
				return tx.Row("SELECT 1::BIGINT WHERE FALSE", nil, &n)
			}, func(*db.Tx) error { return own })
		})
		if !errors.Is(err, db.ErrNoRow) || whole != 2 {
			t.Errorf("%v after %d", err, whole)
		}
		err = store.Read(t.Context(), 1, func(tx *db.Tx) (err error) {
			defer func() { err = fmt.Errorf("panic: %v", recover()) }()
			return tx.Together(chain(&whole, 2), func(tx *db.Tx) error {
				if err := chain(&whole, 1)(tx); err != nil {
					return err
				}
				panic("in the middle")
			})
		})
		if err == nil || err.Error() != "panic: in the middle" {
			t.Errorf("a panic gives %v", err)
		}
	})
}
