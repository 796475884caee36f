// Package view updates what is derived from records: sort keys, sums, packed texts, lists of members. A write of a
// record does nothing for its views, so imports stay cheap; a read is exact nevertheless (decision 9).
//
// # How a view works
//
// Every change of a record takes the next stamp of its account's change clock, or leaves an event with such a stamp.
// A view keeps rows of its own that include all changes up to one stamp, its position, which the table views_until
// stores. The worker moves the position forward:
//
//	Follow finds the accounts with enough changes behind the position (one query for each view),
//	waits for a pause in which nothing changes, unless there are very many,
//	and applies the changes batch by batch: lock, read the position, Step(from, to), store the new position, commit.
//
// A step reads the records as they are now, not as they were at the stamp. A record that changes again gets a later
// stamp and is read again, so a step may be repeated and nothing is lost. A process that dies leaves the position at
// its last commit.
//
// A read takes the view's rows and the position on one snapshot (Until), reads which records have later stamps, and
// replaces what the view has of these few. lists.Merge does so for a page of a sorted list. A read that finds very
// many later changes computes its answer from the records instead.
//
// # How to add a view
//
// Declare a View in the package that owns its rows, with its feeds, its numbers and a step of some statements that
// make the rows of what changed between two stamps. Write the read with Until. Write Compare, which compares the rows
// with the records up to the position and says how to correct one. Name the view in package all: the worker, verify,
// the filler and the deletion of old events take the list from there.
//
// # Locks
//
// One writer at a time changes a view in an account: it holds the lock with the view's name (Lock), in which it waits
// for no record (decision 5). Verify takes the same lock for what it corrects.
package view

import (
	"context"
	"math"
	"strings"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// View describes one view and how it is updated. It does not change after it was declared, except by tests.
type View struct {
	Name  string // key in views_until, name in logs and in the results of verify; never reused for other rows
	Says  string // the rule that Compare checks, in a sentence
	Group string // views with the same group share one lock, because one writer changes several of them; "" for a lock of its own

	Feeds []Feed // none for a view that only tidies
	Of    string // SQL after FROM: rows with the tenant_id of the accounts that have the view; "" for every account
	Due   string // SQL condition: the accounts t that have work for Tidy; "" for none

	Every  time.Duration // how often the worker looks for accounts with changes
	Worth  int           // changes in one feed from which an update is worth its cost
	Pause  time.Duration // how long the feeds must be quiet before an update; 0 for an update at once
	Anyway int           // changes in one feed from which an update does not wait for the pause

	Least, Most int // changes of each feed in one transaction

	// Step queues the writes that bring the rows from one stamp to a later one. It runs in a writing transaction with
	// the view's lock.
	Step func(tx *db.Tx, from, to int64) error

	// Tidy does work that no stamp announces, about size records of it, and reports whether more is left. It runs
	// like Step, when all changes are applied. With all it also does what is not worth its cost yet. nil for none.
	Tidy func(tx *db.Tx, size int, all bool) (more bool, err error)

	// Run takes the place of Step and Tidy in a view that reads too much for a writing transaction. It reports
	// whether the view then has every change from before the call; otherwise the position stays, and the next look
	// calls Run again.
	Run func(ctx context.Context, store *db.DB, tenant id.Tenant) (whole bool, err error)

	// Compare compares the rows with the records, except those that changed after the position until (see Verify). nil
	// for the texts of searches, which package verify compares.
	Compare func(tx *db.Tx, until int64, found Findings) error
}

// Feed is a table whose rows have stamps of their account's change clock: records with the stamp of their last
// change, or events.
type Feed struct {
	Table string
	Stamp string // the column
	Where string // SQL after the condition on the account, for rows e: " AND e.event = …"; "" for every row
}

// Findings receives what Verify finds.
type Findings struct {
	// Checked counts one comparison.
	Checked func()
	// Wrong reports a difference. correct removes it in a later transaction of the account, which has the view's
	// lock; until is the position by then.
	Wrong func(correct func(tx *db.Tx, until int64) error, format string, args ...any)
}

// Verify compares the view with the records on the snapshot of tx. wrong receives each difference with what removes
// it in another transaction.
func (v *View) Verify(tx *db.Tx, checked func(), wrong func(correct func(tx *db.Tx) error, format string, args ...any)) error {
	until, err := v.Until(tx)
	if err != nil {
		return err
	}
	return v.Compare(tx, until, Findings{checked, func(correct func(*db.Tx, int64) error, format string, args ...any) {
		wrong(func(tx *db.Tx) error {
			if err := v.Lock(tx); err != nil {
				return err
			}
			until, err := v.Until(tx)
			if err != nil {
				return err
			}
			return correct(tx, until)
		}, format, args...)
	}})
}

// Lock takes the lock of the view's writers, until the transaction ends.
func (v *View) Lock(tx *db.Tx) error {
	if v.Group != "" {
		return tx.LockName(v.Group)
	}
	return tx.LockName(v.Name)
}

// Until reads the view's position: the stamp up to which its rows include all changes, 0 before the first update.
func (v *View) Until(tx *db.Tx) (stamp int64, err error) {
	return stamp, tx.Row("SELECT coalesce(max(stamp), 0) FROM views_until WHERE tenant_id = $1 AND view = $2",
		[]any{tx.Tenant, v.Name}, &stamp)
}

// UntilOf returns the position of the view for an account, as an SQL expression. The default 0 is inside the subquery:
// under row-level security, PostgreSQL uses no COALESCE as the bound of an index.
func (v *View) UntilOf(account string) string {
	return "(SELECT coalesce(max(u.stamp), 0) FROM views_until u WHERE u.tenant_id = " + account +
		" AND u.view = '" + v.Name + "')"
}

// Reach returns the stamp of the last of the next changes after a stamp, at most limit of each feed; more reports that
// others may follow. Without changes the stamp itself is returned. One statement reads all feeds, so that the returned
// stamp skips no change of one feed that another statement would have seen.
func (v *View) Reach(tx *db.Tx, from int64, limit int) (to int64, more bool, err error) {
	if len(v.Feeds) == 0 {
		return from, false, nil
	}
	branches := make([]string, len(v.Feeds))
	for i, f := range v.Feeds {
		branches[i] = "SELECT count(*) AS n, coalesce(max(stamp), 0) AS last FROM (" + f.entries("$1", "e."+f.Stamp+" > $2",
			"LIMIT $3::BIGINT") + ") AS next"
	}
	full := int64(math.MaxInt64) // where the first feed with further changes ends
	to = from
	err = tx.Each(func(r db.Rows) error {
		var n int
		var last int64
		err := r.Scan(&n, &last)
		to = max(to, last)
		if n >= limit {
			full = min(full, last)
		}
		return err
	}, strings.Join(branches, " UNION ALL "), tx.Tenant, from, limit)
	return min(to, full), full < math.MaxInt64, err
}

// entries selects the stamps of a feed, in their order.
func (f Feed) entries(account, stamps, rest string) string {
	return "SELECT e." + f.Stamp + " AS stamp FROM " + f.Table + " e WHERE e.tenant_id = " + account + f.Where +
		" AND " + stamps + " ORDER BY e." + f.Stamp + " " + rest
}
