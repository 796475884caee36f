package stock

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// ClearNotes deletes the notes of the movements that some orders and shipments caused.
func ClearNotes(tx db.Writer, references []string) {
	db.Chunks(references, func(piece []string) error {
		args := append([]any{tx.TenantID()}, db.Padded(piece)...)
		tx.Queue("UPDATE movements SET note = '' WHERE tenant_id = $1 AND note <> '' AND reference_id IN "+db.In(len(args)-1, 2), args...)
		return nil
	})
}

// Note is the free text of one movement.
type Note struct {
	Movement id.Movement
	Text     string
	sku      string
	stamp    int64
}

// Notes reads the notes of the ledger after a stamp that match; with 0 it reads every movement with a note.
func Notes(tx *db.Tx, after int64, match func(text string) bool) (list []Note, err error) {
	err = readNotes(tx, func(n Note) {
		if match(n.Text) {
			list = append(list, n)
		}
	}, "stamp > $2", after)
	return list, err
}

// Reload reads notes in their present state; deleted notes are left out.
func Reload(tx *db.Tx, notes []Note) (list []Note, err error) {
	wanted := make(map[id.Movement]bool, len(notes))
	stamps := make([]int64, len(notes))
	for i, n := range notes {
		wanted[n.Movement], stamps[i] = true, n.stamp
	}
	return list, db.Chunks(stamps, func(piece []int64) error {
		args := db.Padded(piece)
		return readNotes(tx, func(n Note) {
			if wanted[n.Movement] {
				list = append(list, n)
				delete(wanted, n.Movement)
			}
		}, "stamp IN "+db.In(len(args), 2), args...)
	})
}

func readNotes(tx *db.Tx, each func(Note), where string, args ...any) error {
	return tx.Each(func(r db.Rows) error {
		var n Note
		err := r.Scan(&n.Movement, &n.Text, &n.sku, &n.stamp)
		if err == nil {
			each(n)
		}
		return err
	}, "SELECT id, note, sku, stamp FROM movements WHERE tenant_id = $1 AND note <> '' AND "+where, append([]any{tx.Tenant}, args...)...)
}

// Save writes the note.
func (n Note) Save(tx db.Writer) {
	tx.Queue("UPDATE movements SET note = $4 WHERE tenant_id = $1 AND sku = $2 AND stamp = $3", tx.TenantID(), n.sku, n.stamp, n.Text)
}
