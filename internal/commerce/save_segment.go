package commerce

import (
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// CreateSegment stores a filter of customers under a name (interface §4.4).
func (s *Service) CreateSegment(tx *db.Tx, name string, rules customers.Rules) *customers.Segment {
	segment := &customers.Segment{ID: id.New[id.Segment](), Name: name, Rules: rules, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()}
	segment.Insert(tx)
	return segment
}

// SaveSegment renames a locked segment or replaces its rules; nil leaves them.
func (s *Service) SaveSegment(tx *db.Tx, segment *customers.Segment, name *string, rules *customers.Rules) {
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

// DeleteSegment forgets a filter; customers do not change. Errors: NotFound.
func (s *Service) DeleteSegment(tx *db.Tx, which id.Segment) error {
	segment, err := customers.LockSegment(tx, which)
	if err == nil {
		segment.Delete(tx)
	}
	return err
}
