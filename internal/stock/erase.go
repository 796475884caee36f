package stock

import "entrepot/internal/db"

// ForgetNotes empties the notes of the movements that some orders and shipments caused.
func ForgetNotes(tx *db.Tx, references []string) {
	db.Chunks(references, func(piece []string) error {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		tx.Queue("UPDATE movements SET note = '' WHERE tenant_id = $1 AND note <> '' AND reference_id IN "+db.In(len(args)-1, 2), args...)
		return nil
	})
}
