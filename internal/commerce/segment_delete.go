package commerce

import (
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// DeleteSegment forgets a filter; customers do not change. Errors: NotFound.
func (s *Service) DeleteSegment(tx *db.Tx, which id.Segment) error {
	segment, err := customers.LockSegment(tx, which)
	if err == nil {
		segment.Delete(tx)
	}
	return err
}
