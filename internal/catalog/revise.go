package catalog

import (
	"slices"
	"strconv"

	"entrepot/internal/id"
	"entrepot/internal/money"
	"entrepot/internal/wire"
)

// Known is what the store has of the SKUs, categories and slugs that drafts name, and what earlier drafts of the same
// request have taken.
type Known struct {
	owners     map[string]owner
	products   map[id.Product]*Product
	references map[string]id.Category // by id and externalId, of categories that are here
	slugs      map[string]bool        // taken
	claimed    map[string]bool        // SKUs of drafts accepted before
}

// owner is who has a SKU.
type owner struct {
	product id.Product
	variant id.Variant // "" when the SKU is the product's own
}

// Revision is what one draft does to one product.
type Revision struct {
	Draft   *Draft
	Before  *Product // nil when the product is new
	After   Product
	Fields  []string // what changed on a product that was there, by the names of interface §2.7.1
	Written []Variant
	Removed []Variant
	links   bool // After.Links differ from what is stored
}

// IsNew tells whether the product was not there before.
func (r *Revision) IsNew() bool { return r.Before == nil }

// Changed tells whether there is anything to write.
func (r *Revision) Changed() bool { return r.Before == nil || len(r.Fields) > 0 }

// Revise says what a draft does, by the rules of the bulk import (interface §4.2): absent fields stay, images are the whole
// list, variants are found by their SKU and others stay unless replace says so. All reasons to reject it are given; a
// rejected draft takes nothing.
func (k *Known) Revise(d *Draft, replace bool) (Revision, []Fault) {
	faults := k.skuFaults(d)
	r := Revision{Draft: d}
	if o, exists := k.owners[d.SKU]; exists && o.variant == "" {
		r.Before = k.products[o.product]
	}
	if r.Before != nil {
		r.After = *r.Before
		r.After.Variants = slices.Clone(r.Before.Variants)
	} else {
		r.After = Product{ID: id.New[id.Product](), SKU: d.SKU, Status: Active, Media: "[]", Attributes: "{}"}
	}
	r.scalars(d)
	if fault := k.slug(&r, d); fault != nil {
		faults = append(faults, *fault)
	}
	k.link(&r, d)
	r.images(d)
	k.variants(&r, d, replace)
	if n := len(r.After.Variants); n > MaxVariants {
		faults = append(faults, Fault{"variants", "invalid", "variants must be at most " + strconv.Itoa(MaxVariants) + " in all, not " + strconv.Itoa(n)})
	}
	if len(faults) > 0 {
		return r, faults
	}
	k.claim(&r, d)
	return r, nil
}

// skuFaults are the reasons that lie in the draft's SKUs.
func (k *Known) skuFaults(d *Draft) (faults []Fault) {
	if k.claimed[d.SKU] {
		faults = append(faults, duplicate("sku", d.SKU))
	}
	mine := k.owners[d.SKU]
	if mine.variant != "" {
		faults = append(faults, Fault{"sku", "sku_taken", "sku " + d.SKU + " belongs to a variant of another product"})
	}
	for i := range d.Variants {
		sku := d.Variants[i].SKU
		field := "variants[" + strconv.Itoa(i) + "].sku"
		owner, exists := k.owners[sku]
		switch {
		case k.claimed[sku]:
			faults = append(faults, duplicate(field, sku))
		case sku == d.SKU, slices.ContainsFunc(d.Variants[:i], func(v VariantDraft) bool { return v.SKU == sku }):
			faults = append(faults, Fault{field, "duplicate_sku", field + " " + sku + " stands twice in this product"})
		case exists && (owner.variant == "" || owner.product != mine.product):
			faults = append(faults, Fault{field, "sku_taken", field + " " + sku + " belongs to another product"})
		}
	}
	return faults
}

func duplicate(field, sku string) Fault {
	return Fault{field, "duplicate_sku", field + " " + sku + " stood earlier in this request"}
}

// claim takes the draft's SKUs and slug for the rest of the request.
func (k *Known) claim(r *Revision, d *Draft) {
	k.claimed[d.SKU] = true
	for i := range d.Variants {
		k.claimed[d.Variants[i].SKU] = true
	}
	k.slugs[r.After.Slug] = true
}

// scalars revises the plain fields. Null clears what may be empty.
func (r *Revision) scalars(d *Draft) {
	p := &r.After
	if d.Name.Given() && d.Name.Value != p.Name {
		p.Name = d.Name.Value
		r.changed("name")
	}
	if d.Description.Set && d.Description.Value != p.Description {
		p.Description = d.Description.Value
		r.changed("description")
	}
	if d.Status.Given() && d.Status.Value != p.Status {
		p.Status = d.Status.Value
		r.changed("status")
	}
	if d.Price.Given() && d.Price.Value != p.Price {
		p.Price = d.Price.Value
		r.changed("price")
	}
	if d.CompareAt.Set && !sameAmount(d.CompareAt.Ptr(), p.CompareAt) {
		p.CompareAt = d.CompareAt.Ptr()
		r.changed("compareAtPrice")
	}
	if d.Attributes.Set && !sameJSON(d.Attributes.Or("{}"), p.Attributes) {
		p.Attributes = d.Attributes.Or("{}")
		r.changed("attributes")
	}
}

func (r *Revision) changed(field string) {
	if r.Before != nil {
		r.Fields = append(r.Fields, field)
	}
}

// slug keeps a given slug, if nobody has it; a new product without one gets one of its own.
func (k *Known) slug(r *Revision, d *Draft) *Fault {
	given := d.Slug.Value
	switch {
	case given != "" && given == r.After.Slug:
	case given != "" && k.slugs[given]:
		return &Fault{"slug", "invalid", "slug " + given + " belongs to another product"}
	case given != "":
		r.After.Slug = given
		r.changed("slug")
	case r.Before == nil:
		r.After.Slug = slugFor(r.After.Name, string(r.After.ID), func(s string) bool { return k.slugs[s] })
	}
	return nil
}

// link revises the categories: given is the whole list.
func (k *Known) link(r *Revision, d *Draft) {
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
	if !slices.EqualFunc(links, r.After.Links, Link.same) {
		r.After.Links, r.links = links, true
		r.changed("categoryIds")
	}
}

// same tells whether two links lead to one category.
func (l Link) same(other Link) bool {
	if l.Category != "" || other.Category != "" {
		return l.Category == other.Category
	}
	return l.Reference == other.Reference
}

// images revises the images: given is the whole list. An image keeps its id as long as its URL is in the list.
func (r *Revision) images(d *Draft) {
	if !d.Images.Set || len(d.Images.Value) == 0 && r.After.Media == "[]" {
		return
	}
	wanted := slices.Clone(d.Images.Value)
	slices.SortStableFunc(wanted, func(a, b ImageDraft) int { return int(a.Position - b.Position) })
	before := r.After.images()
	if slices.EqualFunc(wanted, before, func(w ImageDraft, b image) bool { return w.URL == b.url && w.Position == b.position }) {
		return
	}
	w := wire.NewWriter(len(wanted) * 160)
	w.List("")
	for _, one := range wanted {
		which := ""
		if i := slices.IndexFunc(before, func(b image) bool { return b.url == one.URL }); i >= 0 {
			which = before[i].id
			before = slices.Delete(before, i, i+1)
		} else {
			which = id.New[string]()
		}
		w.Object("")
		wire.ID(w, "id", which)
		w.Text("url", one.URL)
		w.Int("position", one.Position)
		w.End()
	}
	w.EndList()
	r.After.Media = string(w.Bytes())
	r.changed("images")
}

type image struct {
	id, url  string
	position int64
}

// images reads the stored list.
func (p Product) images() (list []image) {
	if p.Media == "[]" {
		return nil
	}
	v, err := wire.Parse([]byte(p.Media))
	if err != nil {
		return nil
	}
	for _, one := range v.List() {
		position, _ := strconv.ParseInt(string(one.Member("position").Raw), 10, 64)
		list = append(list, image{one.Member("id").Text(), one.Member("url").Text(), position})
	}
	return list
}

// variants revises the variants by their SKUs.
func (k *Known) variants(r *Revision, d *Draft, replace bool) {
	if len(d.Variants) == 0 && !(replace && d.VariantsSet) {
		return
	}
	next := int64(0)
	for _, v := range r.After.Variants {
		next = max(next, v.Position+1)
	}
	for i := range d.Variants {
		draft := &d.Variants[i]
		at := slices.IndexFunc(r.After.Variants, func(v Variant) bool { return v.SKU == draft.SKU })
		if at < 0 {
			v := Variant{ID: id.New[id.Variant](), SKU: draft.SKU, Name: r.After.Name, Attributes: "{}", Position: next}
			next++
			v.revise(draft)
			r.After.Variants = append(r.After.Variants, v)
			r.Written = append(r.Written, v)
		} else if r.After.Variants[at].revise(draft) {
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

// revise takes over what the draft says and tells whether that changed anything.
func (v *Variant) revise(d *VariantDraft) (changed bool) {
	if d.Name.Given() && d.Name.Value != v.Name {
		v.Name, changed = d.Name.Value, true
	}
	if d.Price.Set && !sameAmount(d.Price.Ptr(), v.Price) {
		v.Price, changed = d.Price.Ptr(), true
	}
	if d.CompareAt.Set && !sameAmount(d.CompareAt.Ptr(), v.CompareAt) {
		v.CompareAt, changed = d.CompareAt.Ptr(), true
	}
	if d.Attributes.Set && !sameJSON(d.Attributes.Or("{}"), v.Attributes) {
		v.Attributes, changed = d.Attributes.Or("{}"), true
	}
	return changed
}

func sameAmount(a, b *money.Amount) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// sameJSON tells whether two texts are one value, however they are written.
func sameJSON(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := wire.Parse([]byte(a))
	y, errY := wire.Parse([]byte(b))
	return errX == nil && errY == nil && x.Fingerprint() == y.Fingerprint()
}
