package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
)

// CreateSegment stores a filter of customers under a name (interface §4.4).
func (s *Service) CreateSegment(tx db.Writer, who accounts.Caller, name string, rules customers.Rules) *customers.Segment {
	segment := &customers.Segment{ID: id.New[id.Segment](), Name: name, Rules: rules, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()}
	segment.Insert(tx)
	audit.Record(tx, who.Actor(), "segment.created", "segment", string(segment.ID), nil)
	return segment
}
