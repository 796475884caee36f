package stock

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
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

// Notes reads the notes of the ledger that match; it reads every movement with a note.
func Notes(tx *db.Tx, match func(text string) bool) (list []Note, err error) {
	err = tx.Each(func(r db.Rows) error {
		var n Note
		err := r.Scan(&n.Movement, &n.Text, &n.sku, &n.stamp)
		if err == nil && match(n.Text) {
			list = append(list, n)
		}
		return err
	}, "SELECT id, note, sku, stamp FROM movements WHERE tenant_id = $1 AND note <> ''", tx.Tenant)
	return list, err
}

// Save writes the note.
func (n Note) Save(tx db.Writer) {
	tx.Queue("UPDATE movements SET note = $4 WHERE tenant_id = $1 AND sku = $2 AND stamp = $3", tx.TenantID(), n.sku, n.stamp, n.Text)
}
