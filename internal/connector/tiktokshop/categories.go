package tiktokshop

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"entrepot/internal/connector"
)

// rules are what a category demands of its products.
type rules struct {
	attributes []attribute
	other      categoryRules
}

// attribute is a property that products of a category have, by TikTok's id.
type attribute struct {
	ID          connector.ID `json:"id"`
	Name        string       `json:"name"`
	Type        string       `json:"type"` // PRODUCT_PROPERTY, or SALES_PROPERTY of what variants differ by
	Required    bool         `json:"is_required"`
	Misspelt    bool         `json:"is_requried"` // as TikTok writes it in most answers
	Free        bool         `json:"is_customizable"`
	Values      []value      `json:"values"`
	Conditioned []struct {
		Attribute connector.ID `json:"attribute_id"`
		Value     connector.ID `json:"attribute_value_id"`
	} `json:"requirement_conditions"`
}

type value struct {
	ID   connector.ID `json:"id"`
	Name string       `json:"name"`
}

type demand struct {
	Required bool `json:"is_required"`
}

type categoryRules struct {
	Certificates []struct {
		Name     string `json:"name"`
		Required bool   `json:"is_required"`
	} `json:"product_certifications"`
	SizeChart    demand `json:"size_chart"`
	Dimensions   demand `json:"package_dimension"`
	Manufacturer demand `json:"manufacturer"`
	Responsible  demand `json:"responsible_person"`
}

// categoryRules reads what a category demands, once in a session. Where TikTok does not say it, nothing is demanded.
func (s *session) categoryRules(ctx context.Context, category string) (*rules, error) {
	if known := s.rules[category]; known != nil {
		return known, nil
	}
	market, err := s.market(ctx)
	if err != nil {
		return nil, err
	}
	r := &rules{}
	var list struct {
		Attributes []attribute `json:"attributes"`
	}
	for what, into := range map[string]any{"attributes": &list, "rules": &r.other} {
		_, err := s.call(ctx, request{method: http.MethodGet, path: "/product/202309/categories/" + url.PathEscape(category) + "/" + what,
			query: url.Values{"category_version": {market.categories()}}}, into)
		if f := connector.FailureOf(err); f != nil && f.Kind != connector.Missing && f.Kind != connector.Rejected {
			return nil, err
		}
	}
	r.attributes = list.Attributes
	if s.rules == nil {
		s.rules = map[string]*rules{}
	}
	s.rules[category] = r
	return r, nil
}

// demanded reports whether an attribute must be there, given those that were chosen.
func (a *attribute) demanded(chosen map[connector.ID]connector.ID) bool {
	if !a.Required && !a.Misspelt {
		return false
	}
	for _, c := range a.Conditioned {
		if chosen[c.Attribute] == c.Value {
			return true
		}
	}
	return len(a.Conditioned) == 0
}

// choose finds the value of an attribute for a text: one of TikTok's, else the text itself where any may be given.
func (a *attribute) choose(text string) (chosen fields, id connector.ID, ok bool) {
	for _, v := range a.Values {
		if strings.EqualFold(v.Name, text) {
			return fields{"id": string(v.ID)}, v.ID, true
		}
	}
	return fields{"name": connector.Cut(text, 50)}, "", a.Free || len(a.Values) == 0
}

// lacks names an attribute that a product lacks, with some of the values that TikTok takes.
func (a *attribute) lacks(given string) string {
	text := `the attribute "` + connector.Line(a.Name) + `"`
	var some []string
	for _, v := range a.Values[:min(len(a.Values), 6)] {
		some = append(some, connector.Line(v.Name))
	}
	if len(a.Values) > len(some) {
		some = append(some, "…")
	}
	if len(some) > 0 {
		text += " with one of the values " + strings.Join(some, ", ")
	}
	if given != "" {
		text += ` in place of "` + connector.Cut(given, 50) + `"`
	}
	return text
}

// fit converts a product's attributes to those of its category. Errors: Failure Rejected that names everything that
// the category demands and the product lacks.
func (r *rules) fit(p *connector.Product, old *product, settings func(string) string) ([]fields, error) {
	var list []fields
	var lacks []string
	chosen := map[connector.ID]connector.ID{}
	refused := map[connector.ID]string{}
	for i := range r.attributes {
		a := &r.attributes[i]
		if a.Type == "SALES_PROPERTY" {
			continue
		}
		text := attributeOf(p.Attributes, a.Name)
		one, id, ok := a.choose(text)
		switch kept := old.values(a.ID); {
		case text != "" && ok:
			list = append(list, fields{"id": string(a.ID), "values": []fields{one}})
			chosen[a.ID] = id
		case text != "":
			refused[a.ID] = text
		case len(kept) > 0: // entered in the shop by the merchant
			list = append(list, fields{"id": string(a.ID), "values": kept})
			id, _ := kept[0]["id"].(string)
			chosen[a.ID] = connector.ID(id)
		}
	}
	for i := range r.attributes {
		a := &r.attributes[i]
		if _, has := chosen[a.ID]; has || !a.demanded(chosen) || a.Type == "SALES_PROPERTY" && hasEverywhere(p, a.Name) {
			continue
		}
		lacks = append(lacks, a.lacks(refused[a.ID]))
	}
	if lacks = append(lacks, r.other.lacks(old, settings)...); len(lacks) > 0 {
		return nil, connector.Failf(connector.Rejected, "its category on TikTok Shop demands %s", strings.Join(lacks, "; "))
	}
	return list, nil
}

// attributeOf is the value of an attribute by its name, "" when it has none.
func attributeOf(list []connector.Attribute, name string) string {
	for _, a := range list {
		if strings.EqualFold(strings.TrimSpace(a.Name), strings.TrimSpace(name)) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// hasEverywhere reports whether all forms of a product have an attribute.
func hasEverywhere(p *connector.Product, name string) bool {
	for _, f := range p.Forms() {
		if attributeOf(f.Attributes, name) == "" {
			return false
		}
	}
	return true
}

// lacks names what else a category demands and neither the channel's settings nor the product in the shop have.
func (c *categoryRules) lacks(old *product, setting func(string) string) (list []string) {
	if c.Dimensions.Required && len(strings.Split(setting("packageSize"), "x")) != 3 {
		list = append(list, "the size of the package (the channel's setting packageSize, as 30x20x10)")
	}
	if c.Manufacturer.Required && setting("manufacturerId") == "" {
		list = append(list, "a manufacturer (made in Seller Center; its id is the channel's setting manufacturerId)")
	}
	if c.Responsible.Required && setting("responsiblePersonId") == "" {
		list = append(list, "a responsible person (made in Seller Center; the id is the channel's setting responsiblePersonId)")
	}
	if c.SizeChart.Required && (old == nil || len(old.SizeChart) == 0) {
		list = append(list, "a size chart (make the product in Seller Center with the same SKU, and it is taken over)")
	}
	for _, one := range c.Certificates {
		if one.Required && (old == nil || len(old.Certificates) == 0) {
			list = append(list, `the certificate "`+connector.Line(one.Name)+`" (make the product in Seller Center with the same SKU, and it is `+
				"taken over)")
		}
	}
	return list
}

// brand is TikTok's id of a product's brand: that of the setting brandId, else of the brand that has the name of the
// product's attribute Brand, else the one that the product has in the shop; "" for none.
func (s *session) brand(ctx context.Context, p *connector.Product, old *product, category string) (string, error) {
	if id := s.link.Channel.Value("brandId"); id != "" {
		return id, nil
	}
	name := attributeOf(p.Attributes, "Brand")
	if name == "" {
		if old != nil {
			return string(old.Brand.ID), nil
		}
		return "", nil
	}
	key := category + "\n" + strings.ToLower(name)
	if id, known := s.brands[key]; known {
		return id, nil
	}
	market, err := s.market(ctx)
	if err != nil {
		return "", err
	}
	var out struct {
		Brands []value `json:"brands"`
	}
	_, err = s.call(ctx, request{method: http.MethodGet, path: "/product/202309/brands", query: url.Values{"page_size": {"100"},
		"brand_name": {name}, "category_id": {category}, "category_version": {market.categories()}}}, &out)
	if f := connector.FailureOf(err); f != nil && f.Kind != connector.Missing && f.Kind != connector.Rejected {
		return "", err
	}
	id := ""
	for _, b := range out.Brands {
		if id == "" && strings.EqualFold(strings.TrimSpace(b.Name), name) {
			id = string(b.ID)
		}
	}
	if s.brands == nil {
		s.brands = map[string]string{}
	}
	s.brands[key] = id
	return id, nil
}

// category is that of the setting categoryId, else the one that the product has in the shop, else the one that TikTok
// recommends.
func (s *session) category(ctx context.Context, p *connector.Product, old *product) (string, error) {
	if id := s.link.Channel.Value("categoryId"); id != "" {
		return id, nil
	}
	if old != nil {
		for _, c := range old.Chain {
			if c.Leaf {
				return string(c.ID), nil
			}
		}
	}
	market, err := s.market(ctx)
	if err != nil {
		return "", err
	}
	var out struct {
		Leaf connector.ID `json:"leaf_category_id"`
	}
	if _, err := s.call(connector.Repeatable(ctx), request{method: http.MethodPost, path: "/product/202309/categories/recommend",
		body: fields{"product_title": connector.Cut(p.Name, 255), "category_version": market.categories()}}, &out); err != nil {
		return "", err
	}
	if out.Leaf == "" {
		return "", connector.Failf(connector.Rejected, "TikTok recommends no category for %q: the channel's setting categoryId can name one",
			connector.Cut(p.Name, 80))
	}
	return string(out.Leaf), nil
}
