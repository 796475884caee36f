package customers

import (
	"fmt"

	"entrepot/internal/apijson"
	"entrepot/internal/jsonvalue"
)

// maxRuleTags bounds a list of tags in a rule.
const maxRuleTags = 100

// ReadRules reads the rules of a segment from a body; it is also how they are read from the store.
func ReadRules(o *apijson.Object) (r Rules) {
	o.Record("SegmentRulesInput")
	r.TagsAny = distinctOrNil(o.Texts("tagsAny", false, maxRuleTags, apijson.Text{}).Value)
	r.TagsAll = distinctOrNil(o.Texts("tagsAll", false, maxRuleTags, apijson.Text{}).Value)
	r.MinOrders = o.Int("minOrders", apijson.Int{Max: 1_000_000_000}).Ptr()
	r.MinTotalSpent = o.Money("minTotalSpent", apijson.Money{}).Ptr()
	if f := o.Text("country", apijson.Text{}); f.Given() && !o.Describing() {
		code, ok := Country(f.Value)
		if !ok {
			o.Fault("country", "%s", BadCountry)
		}
		r.Country = code
	}
	moment := func(name string) *int64 {
		f := o.Time(name, false)
		if !f.Given() {
			return nil
		}
		micros := f.Value.UnixMicro()
		return &micros
	}
	r.CreatedAfter, r.LastOrderAfter, r.LastOrderBefore = moment("createdAfter"), moment("lastOrderAfter"), moment("lastOrderBefore")
	return r
}

// BadCountry is what is wrong with a country that ISO 3166-1 does not have.
const BadCountry = "must be an ISO 3166-1 alpha-2 country such as FR"

func distinctOrNil(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return distinct(list)
}

// Write writes the rules that were given.
func (r Rules) Write(w *apijson.Writer, name string) {
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

// text is how the store keeps the rules.
func (r Rules) text() string {
	w := apijson.NewWriter(128)
	r.Write(w, "")
	return string(w.Bytes())
}

// Same reports whether two sets of rules say the same.
func (r Rules) Same(other Rules) bool { return r.text() == other.text() }

func parseRules(text string) (Rules, error) {
	v, err := jsonvalue.Parse([]byte(text))
	if err != nil {
		return Rules{}, fmt.Errorf("rules of a segment: %w", err)
	}
	o := apijson.Read(v)
	r := ReadRules(o)
	return r, o.Err()
}
