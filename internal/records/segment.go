package records

import (
	"entrepot/internal/apijson"
	"entrepot/internal/customers"
	"entrepot/internal/id"
	"entrepot/internal/money"
)

// WriteSegment writes a segment (interface §2.7.10).
func WriteSegment(w *apijson.Writer, name string, s *customers.Segment) {
	w.Record("Segment", name)
	apijson.ID(w, "id", s.ID)
	w.Text("name", s.Name)
	s.Rules.Write(w, "rules")
	w.Micros("createdAt", s.CreatedAt)
	w.Micros("updatedAt", s.UpdatedAt)
	w.End()
}

// SampleSegments have one of each rule together, and none in common: any may be left out.
func SampleSegments() []customers.Segment {
	orders, spent, at := int64(2), money.Amount(100*money.Scale), int64(SampleTime)
	return []customers.Segment{
		{ID: SampleID[id.Segment](284), Name: "Regulars in France", CreatedAt: at, UpdatedAt: at,
			Rules: customers.Rules{TagsAny: []string{"vip", "b2b"}, TagsAll: []string{"newsletter"},
				MinOrders: &orders, MinTotalSpent: &spent, Country: "FR"}},
		{ID: SampleID[id.Segment](285), Name: "Asleep", CreatedAt: at, UpdatedAt: at, Rules: customers.Rules{CreatedAfter: &at,
			LastOrderAfter: &at, LastOrderBefore: &at}},
	}
}
