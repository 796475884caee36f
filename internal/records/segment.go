package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/customers"
)

// WriteSegment writes a segment (interface §2.7.10).
func WriteSegment(w *apijson.Writer, name string, s *customers.Segment) {
	w.Record("Segment", name)
	apijson.ID(w, "id", s.ID)
	w.Text("name", s.Name)
	writeRules(w, "rules", s.Rules)
	w.Micros("createdAt", s.CreatedAt)
	w.Micros("updatedAt", s.UpdatedAt)
	w.End()
}

// writeRules writes the rules that were given.
func writeRules(w *apijson.Writer, name string, r customers.Rules) {
	w.Record("SegmentRules", name)
	if r.TagsAny != nil {
		apijson.Texts(w, "tagsAny", r.TagsAny)
	}
	if r.TagsAll != nil {
		apijson.Texts(w, "tagsAll", r.TagsAll)
	}
	if r.MinOrders != nil {
		w.Int("minOrders", *r.MinOrders)
	}
	if r.MinTotalSpent != nil {
		w.Money("minTotalSpent", *r.MinTotalSpent)
	}
	if r.Country != "" {
		w.Text("country", r.Country)
	}
	moment := func(name string, at *int64) {
		if at != nil {
			w.Micros(name, *at)
		}
	}
	moment("createdAfter", r.CreatedAfter)
	moment("lastOrderAfter", r.LastOrderAfter)
	moment("lastOrderBefore", r.LastOrderBefore)
	w.End()
}

// SampleSegments are one segment with every rule and one without any, so that each rule is optional in the description.
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
