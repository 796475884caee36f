package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// holdSegment locks a segment that an operation changes. Errors: NotFound; those of Expected.
func holdSegment(tx *db.Tx, which id.Segment, expected Expected) (*customers.Segment, error) {
	segment, err := customers.LockSegment(tx, which)
	if err == nil {
		err = expected.check(func(w *apijson.Writer) { records.WriteSegment(w, "data", segment) })
	}
	return segment, err
}

// UpdateSegment renames a segment or replaces its rules; nil leaves them (interface §4.4). Errors: NotFound; those of
// Expected.
func (s *Service) UpdateSegment(tx *db.Tx, who accounts.Caller, which id.Segment, expected Expected, name *string,
	rules *customers.Rules) (*customers.Segment, error) {
	segment, err := holdSegment(tx, which, expected)
	if err != nil {
		return nil, err
	}
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
		audit.Record(tx, who.Actor(), "segment.updated", "segment", string(which), nil,
			audit.Diff(map[string]string{"name": before.Name}, map[string]string{"name": segment.Name})...)
	}
	return segment, nil
}
