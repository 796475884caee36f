package commerce

import (
	"entrepot/internal/customers"
	"entrepot/internal/db"
)

// UpdateSegment renames a locked segment or replaces its rules; nil leaves them.
func (s *Service) UpdateSegment(tx *db.Tx, segment *customers.Segment, name *string, rules *customers.Rules) {
	before := *segment
	if name != nil {
		segment.Name = *name
	}
	if rules != nil {
		segment.Rules = *rules
	}
	if segment.Name != before.Name || !segment.Rules.Same(before.Rules) {
		segment.UpdatedAt = max(tx.Micros(), before.UpdatedAt+1)
		segment.Save(tx)
	}
}
