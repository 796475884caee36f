package customers

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// The tables segment_lists and segment_members keep who is in each segment, up to one stamp of the change clock. A page of a segment
// corrects them by the customers who changed since, so that it is exact, and what changes a customer costs little
// (decision 9). segment_follow.go brings them up to date.

// segmentList is the list of a segment with certain rules.
type segmentList struct {
	ID      int64
	segment id.Segment
	rules   string      // a digest; "" for a list that is being deleted
	members int64       // rows
	doneTo  id.Customer // customers up to this one are looked at
	whole   bool        // all are
}

var segmentListTable = db.NewTable("segment_lists",
	db.Col("id", func(l *segmentList) any { return &l.ID }).Fixed(),
	db.Col("segment_id", func(l *segmentList) any { return &l.segment }).Fixed(),
	db.Col("rules", func(l *segmentList) any { return &l.rules }),
	db.Col("members", func(l *segmentList) any { return &l.members }),
	db.Col("done_to", func(l *segmentList) any { return &l.doneTo }).Null(),
	db.Col("whole", func(l *segmentList) any { return &l.whole }),
)

type memberRow struct {
	list     int64
	customer id.Customer
}

var memberTable = db.NewTable("segment_members",
	db.Col("list_id", func(m *memberRow) any { return &m.list }),
	db.Col("customer_id", func(m *memberRow) any { return &m.customer }),
)

// digest stands for rules: others have another one. A tag may be a person's name, which is erased where the segment is.
func (r Rules) digest() string {
	sum := sha256.Sum256([]byte(r.text()))
	return hex.EncodeToString(sum[:16])
}

// isOf reports whether the list is that of the segment with its present rules.
func (l *segmentList) isOf(s *Segment) bool { return l.segment == s.ID && l.rules == s.Rules.digest() }

// reached reports whether the list has said already whether a customer is in it.
func (l *segmentList) reached(c id.Customer) bool { return l.whole || l.doneTo != "" && c <= l.doneTo }

// listsUntil reads the stamp up to which the lists of the account have everything, and the number of their last change; known is false
// if the account has no lists.
func listsUntil(tx *db.Tx) (stamp, turn int64, known bool, err error) {
	err = tx.Each(func(r db.Rows) error {
		known = true
		return r.Scan(&stamp, &turn)
	}, "SELECT stamp, turn FROM segment_lists_until WHERE tenant_id = $1", tx.Tenant)
	return stamp, turn, known, err
}

// kept is what the store has of the members of some segments, and of who changed since.
type kept struct {
	lists   []*segmentList // of each segment; nil without a whole one
	changed []id.Customer  // newest first
	candidates
}

// keptOf reads what is kept of some segments. withTags are asked for besides what rules need.
func keptOf(tx *db.Tx, segments []*Segment, withTags bool) (*kept, error) {
	k := &kept{lists: make([]*segmentList, len(segments))}
	all, err := segmentListTable.All(tx, "AND whole = TRUE")
	if err != nil {
		return nil, err
	}
	var listed []*Segment
	for i, s := range segments {
		at := slices.IndexFunc(all, func(l segmentList) bool { return l.isOf(s) })
		if at >= 0 {
			k.lists[i], listed = &all[at], append(listed, s)
		}
	}
	if len(listed) == 0 {
		return k, nil
	}
	stamp, _, _, err := listsUntil(tx)
	if err != nil {
		return nil, err
	}
	since, err := changedSince(tx, stamp, allChanges)
	if err != nil {
		return nil, err
	}
	k.changed = since.ids
	k.candidates, err = candidatesFor(tx, listed, withTags, func() ([]Customer, error) { return rowsOf(tx, k.changed) })
	return k, err
}

// membersAmong reads which of some customers are in a list, newest first. more may add conditions on the members m.
func membersAmong(tx *db.Tx, list int64, some []id.Customer, more func(w *db.Where)) (found []id.Customer, err error) {
	return found, db.Chunks(some, func(piece []id.Customer) error {
		w := db.AndIn(db.NewWhere(tx, "m").And("m.list_id = ?", list), "m.customer_id", piece)
		more(w)
		return tx.Each(func(r db.Rows) error {
			var c id.Customer
			err := r.Scan(&c)
			found = append(found, c)
			return err
		}, "SELECT m.customer_id FROM segment_members m WHERE "+w.String()+" ORDER BY m.customer_id DESC", w.Args()...)
	})
}

func anyMember(*db.Where) {}

func anyCustomer(*Customer) bool { return true }

// CountIn counts the customers of some segments.
func CountIn(tx *db.Tx, segments []Segment) ([]int64, error) {
	all, counts := make([]*Segment, len(segments)), make([]int64, len(segments))
	for i := range segments {
		all[i] = &segments[i]
	}
	k, err := keptOf(tx, all, false)
	for i, s := range all {
		if err != nil {
			break
		}
		if l := k.lists[i]; l == nil {
			_, counts[i], err = List(tx, Filter{Segment: s})
		} else {
			var stale []id.Customer
			stale, err = membersAmong(tx, l.ID, k.changed, anyMember)
			counts[i] = l.members - int64(len(stale)) + int64(len(k.in(&s.Rules, anyCustomer)))
		}
	}
	return counts, err
}
