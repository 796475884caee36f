package catalog

import (
	"slices"
	"strconv"

	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/limits"
)

// Lookup holds the stored owners of the SKUs, categories and slugs that drafts name, and what earlier drafts of the
// same request have taken.
type Lookup struct {
	owners     map[string]owner
	products   map[id.Product]*Product
	references map[string]id.Category // by id and externalId, of categories that exist
	slugs      map[string]bool        // taken
	claimed    map[string]bool        // SKUs of drafts accepted so far
	earlier    map[string]bool        // SKUs that earlier pieces of the request have accepted; only read
	media      func([]Image) string   // the stored form of images
}

func newLookup(drafts int, media func([]Image) string) *Lookup {
	return &Lookup{owners: map[string]owner{}, products: map[id.Product]*Product{}, references: map[string]id.Category{},
		slugs: map[string]bool{}, claimed: make(map[string]bool, drafts), media: media}
}

// Follow adds the SKUs that earlier pieces of the request have accepted: they count as repeated. The map is only read.
func (k *Lookup) Follow(earlier map[string]bool) { k.earlier = earlier }

// Claims returns the SKUs of the drafts accepted so far, without those of Follow.
func (k *Lookup) Claims() map[string]bool { return k.claimed }

// stood reports whether an accepted draft of the request has a SKU.
func (k *Lookup) stood(sku string) bool { return k.claimed[sku] || k.earlier[sku] }

// owner is the product, and perhaps variant, that has a SKU.
type owner struct {
	product id.Product
	variant id.Variant // "" when the SKU is the product's own
}

// Change is the change that one draft makes to one product.
type Change struct {
	Draft   *Draft
	Before  *Product // nil when the product is new
	After   Product
	Fields  []string // which fields of an existing product changed, by the names of interface §2.7.1
	Written []Variant
	Removed []Variant
	links   bool // After.Links differ from what is stored; those of a new product do in any case
}

// IsNew reports whether the product did not exist before.
func (r *Change) IsNew() bool { return r.Before == nil }

// Changed reports whether there is anything to write.
func (r *Change) Changed() bool { return r.Before == nil || len(r.Fields) > 0 }

// Diff computes what a draft changes, by the rules of the bulk import (interface §4.2): absent fields stay, images are
// the whole list, and variants are found by their SKU; other variants stay unless replace is set. Diff returns all
// reasons to reject the draft; a rejected draft changes nothing.
func (k *Lookup) Diff(d *Draft, replace bool) (Change, []ItemError) {
	problems := k.skuErrors(d)
	r := Change{Draft: d}
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
	if problem := k.slug(&r, d); problem != nil {
		problems = append(problems, *problem)
	}
	k.link(&r, d)
	k.images(&r, d)
	k.variants(&r, d, replace)
	if n := len(r.After.Variants); n > limits.MaxVariants {
		problems = append(problems, ItemError{"variants", "invalid",
			"variants must be at most " + strconv.Itoa(limits.MaxVariants) + " in all, not " + strconv.Itoa(n)})
	}
	if len(problems) > 0 {
		return r, problems
	}
	k.claim(&r, d)
	return r, nil
}

// skuErrors returns the reasons to reject the draft that concern its SKUs.
func (k *Lookup) skuErrors(d *Draft) (problems []ItemError) {
	mine := k.owners[d.SKU]
	switch {
	case k.stood(d.SKU):
		problems = append(problems, duplicate("sku", d.SKU))
	case mine.variant != "":
		problems = append(problems, ItemError{"sku", "sku_taken", "sku " + d.SKU + " belongs to a variant of another product"})
	}
	for i := range d.Variants {
		sku := d.Variants[i].SKU
		field := "variants[" + strconv.Itoa(i) + "].sku"
		owner, exists := k.owners[sku]
		switch {
		case k.stood(sku):
			problems = append(problems, duplicate(field, sku))
		case sku == d.SKU, slices.ContainsFunc(d.Variants[:i], func(v VariantDraft) bool { return v.SKU == sku }):
			problems = append(problems, ItemError{field, "duplicate_sku", field + " " + sku + " stands twice in this product"})
		case exists && (owner.variant == "" || owner.product != mine.product):
			problems = append(problems, ItemError{field, "sku_taken", field + " " + sku + " belongs to another product"})
		}
	}
	return problems
}

func duplicate(field, sku string) ItemError {
	return ItemError{field, "duplicate_sku", field + " " + sku + " stood earlier in this request"}
}

// claim reserves the draft's SKUs and slug for the rest of the request.
func (k *Lookup) claim(r *Change, d *Draft) {
	k.claimed[d.SKU] = true
	for i := range d.Variants {
		k.claimed[d.Variants[i].SKU] = true
	}
	k.slugs[r.After.Slug] = true
}

// scalars applies the plain fields. Null clears those that may be empty.
func (r *Change) scalars(d *Draft) {
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
	p.Trade.change(&d.Trade, r.changed)
	if d.Attributes.Set && !jsonvalue.Same(d.Attributes.Or("{}"), p.Attributes) {
		p.Attributes = d.Attributes.Or("{}")
		r.changed("attributes")
	}
}

func (r *Change) changed(field string) {
	if r.Before != nil {
		r.Fields = append(r.Fields, field)
	}
}

// slug applies a given slug, if it is free; a new product without one gets a slug from its name.
func (k *Lookup) slug(r *Change, d *Draft) *ItemError {
	given := d.Slug.Value
	switch {
	case given != "" && given == r.After.Slug:
	case given != "" && k.slugs[given]:
		return &ItemError{"slug", "slug_taken", "slug " + given + " belongs to another product"}
	case given != "":
		r.After.Slug = given
		r.changed("slug")
	case r.Before == nil:
		r.After.Slug = slugFor(r.After.Name, string(r.After.ID), func(s string) bool { return k.slugs[s] })
	}
	return nil
}
