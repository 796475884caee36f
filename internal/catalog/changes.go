package catalog

// Named returns the fields that a dry run shows (interface §4.2): those that change, or for a new product those with a
// value.
func (r *Change) Named() []string {
	if !r.IsNew() {
		return r.Fields
	}
	p := &r.After
	var names []string
	for _, f := range []struct {
		name  string
		holds bool
	}{
		{"sku", true}, {"name", true}, {"slug", true}, {"description", p.Description != ""}, {"status", true}, {"price", true},
		{"compareAtPrice", p.CompareAt != nil}, {"gtin", p.GTIN != ""}, {"weight", p.Weight != nil}, {"cost", p.Cost != nil},
		{"taxClass", p.TaxClass != ""}, {"countryOfOrigin", p.Origin != ""}, {"attributes", p.Attributes != "{}"}, {"categoryIds", len(p.Links) > 0},
		{"images", p.Media != "[]"}, {"variants", len(p.Variants) > 0},
	} {
		if f.holds {
			names = append(names, f.name)
		}
	}
	return names
}
