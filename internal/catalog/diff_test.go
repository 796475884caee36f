package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/limits"
)

func null[T any]() patch.Field[T] { return patch.Field[T]{Set: true, Null: true} }

// nothing returns what is known of an empty account.
func nothing() *Lookup { return newLookup(0, media) }

// media returns a placeholder for the JSON of images in answers.
func media(list []Image) string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = fmt.Sprintf(`{"id":%q,"url":%q,"position":%d}`, one.ID, one.URL, one.Position)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// store makes what an accepted change leaves known for the next request.
func (k *Lookup) store(r Change) {
	p := r.After
	k.products[p.ID] = &p
	k.owners[p.SKU] = owner{product: p.ID}
	for _, v := range r.Removed {
		delete(k.owners, v.SKU)
	}
	for _, v := range p.Variants {
		k.owners[v.SKU] = owner{p.ID, v.ID}
	}
	if r.Before != nil {
		delete(k.slugs, r.Before.Slug)
	}
	k.slugs[p.Slug] = true
	clear(k.claimed)
}

// must takes a draft over, expects no error, and stores the product.
func (k *Lookup) must(t *testing.T, d Draft, replace bool) Change {
	t.Helper()
	r, problems := k.Diff(&d, replace)
	if len(problems) > 0 {
		t.Fatalf("%+v: %v", d, problems)
	}
	k.store(r)
	return r
}

func TestDiffKeepsWhatIsAbsent(t *testing.T) {
	k := nothing()
	k.references["here"] = "c1"
	whole := Draft{SKU: "A", Name: patch.To("Mug"), Price: patch.To(money.Amount(10)), Description: patch.To("Round"),
		CompareAt: patch.To(money.Amount(20)),
		Status:    patch.To(Inactive), Attributes: patch.To(`{"size": 3}`), Categories: patch.To([]string{"here", "later", "here"}),
		Images:      patch.To([]ImageDraft{{"https://b", 2}, {"https://a", 1}}),
		Variants:    []VariantDraft{{SKU: "A-1", Price: patch.To(money.Amount(5))}},
		VariantsSet: true}
	made := k.must(t, whole, false)
	if !made.IsNew() || made.After.Slug != "mug" || len(made.After.Links) != 2 || made.After.Variants[0].Name != "Mug" ||
		made.After.Images()[0].URL != "https://a" {
		t.Errorf("made: %+v", made.After)
	}
	for name, c := range map[string]struct {
		draft Draft
		want  []string
	}{
		"the same again":           {whole, nil},
		"attributes written anew":  {Draft{SKU: "A", Attributes: patch.To(`{"size":3.0}`)}, nil},
		"nothing":                  {Draft{SKU: "A"}, nil},
		"an unknown null":          {Draft{SKU: "A", Name: null[string](), Status: null[Status]()}, nil},
		"price":                    {Draft{SKU: "A", Price: patch.To(money.Amount(11))}, []string{"price"}},
		"compareAt gone":           {Draft{SKU: "A", CompareAt: null[money.Amount]()}, []string{"compareAtPrice"}},
		"description gone":         {Draft{SKU: "A", Description: null[string]()}, []string{"description"}},
		"categories in turn":       {Draft{SKU: "A", Categories: patch.To([]string{"later", "here"})}, []string{"categoryIds"}},
		"images gone":              {Draft{SKU: "A", Images: patch.To([]ImageDraft{})}, []string{"images"}},
		"image moved":              {Draft{SKU: "A", Images: patch.To([]ImageDraft{{"https://a", 1}, {"https://b", 3}})}, []string{"images"}},
		"variant's own price gone": {Draft{SKU: "A", Variants: []VariantDraft{{SKU: "A-1", Price: null[money.Amount]()}}}, []string{"variants"}},
		"another variant":          {Draft{SKU: "A", Variants: []VariantDraft{{SKU: "A-2"}}}, []string{"variants"}},
	} {
		d := c.draft
		r, problems := k.Diff(&d, false)
		clear(k.claimed)
		if len(problems) > 0 || !slices.Equal(r.Fields, c.want) || r.Changed() != (c.want != nil) {
			t.Errorf("%s: %v %v, want %v", name, r.Fields, problems, c.want)
		}
	}
}

func TestDiffVariants(t *testing.T) {
	k := nothing()
	base := Draft{SKU: "A", Name: patch.To("A"), Price: patch.To(money.Amount(1))}
	with := func(skus ...string) Draft {
		d := base
		d.VariantsSet = true
		for _, s := range skus {
			d.Variants = append(d.Variants, VariantDraft{SKU: s})
		}
		return d
	}
	k.must(t, with("A-1", "A-2"), false)
	if r := k.must(t, with("A-3"), false); len(r.After.Variants) != 3 || r.After.Variants[2].Position != 2 {
		t.Errorf("others stay: %+v", r.After.Variants)
	}
	if r := k.must(t, base, true); r.Changed() {
		t.Errorf("replacing by what is absent changes nothing: %v", r.Fields)
	}
	if r := k.must(t, with("A-2"), true); len(r.After.Variants) != 1 || len(r.Removed) != 2 {
		t.Errorf("replaced: %+v without %+v", r.After.Variants, r.Removed)
	}
	if r := k.must(t, with(), true); len(r.After.Variants) != 0 {
		t.Errorf("replaced by none: %+v", r.After.Variants)
	}
	many := base
	for i := range limits.MaxVariants {
		many.Variants = append(many.Variants, VariantDraft{SKU: fmt.Sprint("M", i)})
	}
	k.must(t, many, false)
	over := with("ONE-MORE")
	if _, problems := k.Diff(&over, false); len(problems) != 1 || problems[0].Field != "variants" {
		t.Errorf("51 in all: %v", problems)
	}
}

func TestDiffRejects(t *testing.T) {
	k := nothing()
	k.must(t, Draft{SKU: "P", Name: patch.To("P"), Price: patch.To(money.Amount(1)), Slug: patch.To("mine"),
		Variants: []VariantDraft{{SKU: "P-V"}}}, false)
	first := Draft{SKU: "Q", Name: patch.To("Q"), Variants: []VariantDraft{{SKU: "Q-V"}}}
	if _, problems := k.Diff(&first, false); len(problems) > 0 {
		t.Fatal(problems)
	}
	for name, c := range map[string]struct {
		draft Draft
		code  string
	}{
		"SKU of this request":             {Draft{SKU: "Q", Name: patch.To("x")}, "duplicate_sku"},
		"variant of this request":         {Draft{SKU: "Q-V", Name: patch.To("x")}, "duplicate_sku"},
		"variant is a SKU of the request": {Draft{SKU: "R", Name: patch.To("x"), Variants: []VariantDraft{{SKU: "Q"}}}, "duplicate_sku"},
		"variant twice": {Draft{SKU: "R", Name: patch.To("x"), Variants: []VariantDraft{{SKU: "R-1"}, {SKU: "R-1"}}},
			"duplicate_sku"},
		"variant is the product":       {Draft{SKU: "R", Name: patch.To("x"), Variants: []VariantDraft{{SKU: "R"}}}, "duplicate_sku"},
		"variant of another product":   {Draft{SKU: "R", Name: patch.To("x"), Variants: []VariantDraft{{SKU: "P-V"}}}, "sku_taken"},
		"variant is another product":   {Draft{SKU: "R", Name: patch.To("x"), Variants: []VariantDraft{{SKU: "P"}}}, "sku_taken"},
		"product is another's variant": {Draft{SKU: "P-V", Name: patch.To("x")}, "sku_taken"},
		"slug of another":              {Draft{SKU: "R", Name: patch.To("x"), Slug: patch.To("mine")}, "slug_taken"},
		"slug of this request":         {Draft{SKU: "R", Name: patch.To("x"), Slug: patch.To("q")}, "slug_taken"},
	} {
		d := c.draft
		if _, problems := k.Diff(&d, false); len(problems) != 1 || problems[0].Code != c.code {
			t.Errorf("%s: %v, want %s", name, problems, c.code)
		}
	}
	all := Draft{SKU: "Q", Name: patch.To("x"), Slug: patch.To("mine"),
		Variants: []VariantDraft{{SKU: "P"}}}
	if _, problems := k.Diff(&all, false); len(problems) != 3 {
		t.Errorf("all reasons at once: %v", problems)
	}
	after := Draft{SKU: "R", Name: patch.To("R")}
	if _, problems := k.Diff(&after, false); len(problems) != 0 {
		t.Errorf("rejected drafts take nothing: %v", problems)
	}
}

// Whatever drafts come, every SKU and slug has one owner, a product never has too many variants, and the same draft again
// changes nothing.
func TestDiffProperties(t *testing.T) {
	sku := rapid.SampledFrom([]string{"A", "B", "C", "A-1", "A-2", "B-1", "X"})
	rapid.Check(t, func(t *rapid.T) {
		k := nothing()
		for range rapid.IntRange(1, 20).Draw(t, "drafts") {
			d := Draft{SKU: sku.Draw(t, "sku"), Name: patch.To(rapid.SampledFrom([]string{"Mug", "mug!", "Cup", "…"}).Draw(t, "name")),
				Price: patch.To(money.Amount(rapid.Int64Range(0, 3).Draw(t, "price")))}
			for _, s := range rapid.SliceOfNDistinct(sku, 0, 3, rapid.ID).Draw(t, "variants") {
				d.Variants, d.VariantsSet = append(d.Variants, VariantDraft{SKU: s, Price: patch.To(money.Amount(1))}), true
			}
			if rapid.Bool().Draw(t, "slug") {
				d.Slug = patch.To(rapid.SampledFrom([]string{"mug", "cup"}).Draw(t, "given"))
			}
			replace := rapid.Bool().Draw(t, "replace")
			r, problems := k.Diff(&d, replace)
			if len(problems) > 0 {
				continue
			}
			k.store(r)
			again, problems := k.Diff(&d, replace)
			clear(k.claimed)
			if len(problems) > 0 || again.Changed() {
				t.Fatalf("again: %v %v", again.Fields, problems)
			}
		}
		skus, slugs := map[string]bool{}, map[string]bool{}
		for _, p := range k.products {
			for _, s := range p.SKUs() {
				if skus[s] {
					t.Fatalf("SKU %s twice", s)
				}
				skus[s] = true
			}
			if p.Slug == "" || slugs[p.Slug] {
				t.Fatalf("slug %q twice", p.Slug)
			}
			slugs[p.Slug] = true
		}
	})
}

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"Blue mug": "blue-mug", "  Tables & Chairs ": "tables-chairs", "Crème brûlée, 2×": "creme-brulee-2", "…": "",
		"Ärger über Öl": "arger-uber-ol",
		"Чашка 3":       "чашка-3", "茶杯": "茶杯", "100% A_B": "100-a-b", "ﬁn": "fin",
	} {
		if got := Slug(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	for _, long := range []string{"word ", "é", "茶"} {
		text := ""
		for range 200 {
			text += long
		}
		if s := Slug(text); len(s) > maxSlug || s == "" || Slug(s) != s {
			t.Errorf("long slug of %q: %q", long, s)
		}
	}
}
