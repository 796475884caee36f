package catalog

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
)

// link applies the categories, which are given as the whole list.
func (k *Lookup) link(r *Change, d *Draft) {
	if !d.Categories.Set {
		return
	}
	links := make([]Link, 0, len(d.Categories.Value))
	for _, reference := range d.Categories.Value {
		l := Link{Reference: reference, Category: k.references[reference]}
		if !slices.ContainsFunc(links, l.same) {
			links = append(links, l)
		}
	}
	if !slices.EqualFunc(links, r.After.Links, Link.same) && !r.shows(links) {
		r.After.Links, r.links = links, true
		r.changed("categoryIds")
	}
}

// shows reports whether a read of the product shows these links: reads leave out links that wait for their category.
func (r *Change) shows(links []Link) bool {
	shown := slices.DeleteFunc(slices.Clone(r.After.Links), func(l Link) bool { return l.Category == "" })
	return slices.EqualFunc(links, shown, func(l, s Link) bool { return l.Reference == string(s.Category) })
}

// same reports whether two links name one category.
func (l Link) same(other Link) bool {
	if l.Category != "" || other.Category != "" {
		return l.Category == other.Category
	}
	return l.Reference == other.Reference
}

// variants applies the variants, found by their SKUs.
func (k *Lookup) variants(r *Change, d *Draft, replace bool) {
	if len(d.Variants) == 0 && !(replace && d.VariantsSet) {
		return
	}
	next := int64(0)
	for _, v := range r.After.Variants {
		next = max(next, v.Position+1)
	}
	for i := range d.Variants {
		draft := d.Variants[i]
		if draft.Follows && r.costs(d, draft.Price) {
			draft.Price = patch.Field[money.Amount]{}
		}
		at := slices.IndexFunc(r.After.Variants, func(v Variant) bool { return v.SKU == draft.SKU })
		if at < 0 {
			v := Variant{ID: id.New[id.Variant](), SKU: draft.SKU, Name: r.After.Name, Attributes: "{}", Position: next}
			next++
			v.diff(&draft)
			r.After.Variants = append(r.After.Variants, v)
			r.Written = append(r.Written, v)
		} else if r.After.Variants[at].diff(&draft) {
			r.Written = append(r.Written, r.After.Variants[at])
		}
	}
	if replace {
		r.After.Variants = slices.DeleteFunc(r.After.Variants, func(v Variant) bool {
			named := slices.ContainsFunc(d.Variants, func(draft VariantDraft) bool { return draft.SKU == v.SKU })
			if !named {
				r.Removed = append(r.Removed, v)
			}
			return !named
		})
	}
	if len(r.Written)+len(r.Removed) > 0 {
		r.changed("variants")
	}
}

// costs reports whether a price is the product's price, before the change or after it.
func (r *Change) costs(d *Draft, price patch.Field[money.Amount]) bool {
	return price.Given() && (r.Before != nil && price.Value == r.Before.Price || d.Price.Given() && price.Value == d.Price.Value)
}

// diff applies the draft and reports whether anything changed.
func (v *Variant) diff(d *VariantDraft) (changed bool) {
	if d.Name.Given() && d.Name.Value != v.Name {
		v.Name, changed = d.Name.Value, true
	}
	if d.Price.Set && !sameAmount(d.Price.Ptr(), v.Price) {
		v.Price, changed = d.Price.Ptr(), true
	}
	if d.CompareAt.Set && !sameAmount(d.CompareAt.Ptr(), v.CompareAt) {
		v.CompareAt, changed = d.CompareAt.Ptr(), true
	}
	v.Trade.change(&d.Trade, func(string) { changed = true })
	if d.Attributes.Set && !jsonvalue.Same(d.Attributes.Or("{}"), v.Attributes) {
		v.Attributes, changed = d.Attributes.Or("{}"), true
	}
	return changed
}

func sameAmount(a, b *money.Amount) bool {
	return a == b || a != nil && b != nil && *a == *b
}
