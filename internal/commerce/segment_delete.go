package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// DeleteSegment deletes a saved filter; customers do not change. Errors: NotFound; those of Expected.
func (s *Service) DeleteSegment(tx *db.Tx, who accounts.Caller, which id.Segment, expected Expected) error {
	segment, err := holdSegment(tx, which, expected)
	if err == nil {
		segment.Delete(tx)
		audit.Record(tx, who.Actor(), "segment.deleted", "segment", string(which), nil)
	}
	return err
}
