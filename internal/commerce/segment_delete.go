package commerce

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// DeleteSegment deletes a saved filter; customers do not change. Errors: NotFound; those of Expected.
func (s *Service) DeleteSegment(tx *db.Tx, which id.Segment, expected Expected) error {
	segment, err := holdSegment(tx, which, expected)
	if err == nil {
		segment.Delete(tx)
	}
	return err
}
