package prestashop

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/connector"
)

// The web service's resource of tax rules groups: a product without one is sold without tax.
const (
	taxGroups = "tax_rule_groups"
	taxGroup  = "tax_rule_group"
)

// noTax is the id of a product's tax rules group that stands for none.
const noTax = "0"

// taxSetting is the channel's setting that names the group of new products; an attribute of a product of the same
// name precedes it.
const taxSetting = "taxRulesGroup"

// taxFact stores the group that most products of the shop have, with the day on which they were counted.
const taxFact = "taxRulesGroup"

// Bounds of a count of the shop's products.
const (
	countedAtOnce = 1000
	countedPages  = 20
)

// taxRules is a tax rules group.
type taxRules struct{ id, name string }

func (g taxRules) String() string {
	if g.name == "" {
		return "number " + g.id
	}
	return connector.Line(g.name) + " (" + g.id + ")"
}

// taxes are the shop's tax rules groups.
type taxes struct {
	listed bool       // the key may read them
	groups []taxRules // those in use
	usual  string     // the id of the one that most products have, "" for none
}

// withTaxes returns the shop's tax rules groups, read once in the session's lifetime, and its products, read once a
// day. The usual group is the one that most products have, as in the shop's own form of a new product. In a shop
// without such products a single group is the usual one.
func (s *session) withTaxes(ctx context.Context) (*taxes, error) {
	if s.taxes != nil {
		return s.taxes, nil
	}
	rows, err := s.list(ctx, taxGroups, taxGroup, full())
	if err = ignoreForbidden(err); err != nil {
		return nil, err
	}
	t := &taxes{listed: rows != nil}
	for _, r := range rows {
		if r.get("active") != "0" && r.get("deleted") != "1" {
			t.groups = append(t.groups, taxRules{r.get("id"), r.get("name")})
		}
	}
	if t.usual, err = s.usualTax(ctx, t); err != nil {
		return nil, err
	}
	if t.usual == "" && len(t.groups) == 1 {
		t.usual = t.groups[0].id
	}
	s.taxes = t
	return t, nil
}

// usualTax is the id of the group that most products of the shop have, "" for none.
func (s *session) usualTax(ctx context.Context, t *taxes) (string, error) {
	today := s.link.Now().UTC().Format("2006-01-02")
	if id, ok := strings.CutPrefix(s.link.Facts.Fact(taxFact), today+" "); ok && t.has(id) {
		return id, nil
	}
	counts := map[string]int{}
	for page := range countedPages {
		rows, err := s.list(ctx, "products", "product", display("id", "id_tax_rules_group").page(page*countedAtOnce, countedAtOnce, "id_ASC"))
		if err != nil {
			return "", err
		}
		for _, r := range rows {
			if id := r.get("id_tax_rules_group"); id != "" && id != noTax && t.has(id) {
				counts[id]++
			}
		}
		if len(rows) < countedAtOnce {
			break
		}
	}
	usual := ""
	for _, id := range sortedKeys(counts) {
		if counts[id] > counts[usual] {
			usual = id
		}
	}
	if usual != "" {
		s.link.Facts.Keep(taxFact, today+" "+usual)
	}
	return usual, nil
}

// has reports whether the shop has a group, as far as the key may know.
func (t *taxes) has(id string) bool { return !t.listed || t.find(id) != nil }

func (t *taxes) find(id string) *taxRules {
	if at := slices.IndexFunc(t.groups, func(g taxRules) bool { return g.id == id }); at >= 0 {
		return &t.groups[at]
	}
	return nil
}

// label is a group's name and id.
func (t *taxes) label(id string) string {
	if g := t.find(id); g != nil {
		return g.String()
	}
	return taxRules{id: id}.String()
}

// named is the id of the group that a setting or an attribute names, by its id or its name; 0 is none.
func (t *taxes) named(text string) (string, error) {
	text = strings.TrimSpace(text)
	if at := slices.IndexFunc(t.groups, func(g taxRules) bool { return strings.EqualFold(strings.TrimSpace(g.name), text) }); at >= 0 {
		return t.groups[at].id, nil
	}
	if n, err := strconv.ParseUint(text, 10, 31); err == nil && (n == 0 || t.has(strconv.FormatUint(n, 10))) {
		return strconv.FormatUint(n, 10), nil
	}
	return "", connector.Failf(connector.Rejected, "the shop has no tax rules group %s: %s", connector.Line(text), t.choice())
}

// choice says which groups there are.
func (t *taxes) choice() string {
	if len(t.groups) == 0 {
		return "its web service names none"
	}
	list := make([]string, len(t.groups))
	for i, g := range t.groups {
		list[i] = g.String()
	}
	return "it has " + strings.Join(list, ", ")
}

// taxText names a product's tax rules group: its attribute, else the channel's setting, "" for neither.
func (s *session) taxText(p *connector.Product) string { return s.link.Channel.Term(p, taxSetting) }

// taxOf is the id of a product's tax rules group: its own or the channel's, else the usual one. It refuses for a shop
// with several groups and no product to go by: sold without tax, each product would cost the merchant the tax.
func (s *session) taxOf(ctx context.Context, p *connector.Product) (string, error) {
	t, err := s.withTaxes(ctx)
	if err != nil {
		return "", err
	}
	if text := s.taxText(p); text != "" {
		return t.named(text)
	}
	if t.usual == "" && len(t.groups) > 1 {
		return "", connector.Failf(connector.Rejected,
			"which tax the product has is not known, because no product of the shop has a tax rules group: set the channel's setting %s or the "+
				"product's attribute of that name to one (%s), or to 0 for no tax", taxSetting, t.choice())
	}
	return cmp.Or(t.usual, noTax), nil
}

// taxNote says which tax rules group new products get, and with that which price buyers pay.
func (s *session) taxNote(ctx context.Context) (string, error) {
	id, err := s.taxOf(ctx, &connector.Product{})
	switch {
	case connector.Is(err, connector.Rejected):
		return "products cannot be published: " + connector.FailureOf(err).Message, nil
	case err != nil:
		return "", err
	case id == noTax:
		return "new products get no tax rules group, so that they are sold without tax: the setting " + taxSetting + " names one", nil
	}
	why := "which most products of the shop have"
	if s.taxText(&connector.Product{}) != "" {
		why = "as the setting " + taxSetting + " says"
	}
	return "new products get the tax rules group " + s.taxes.label(id) + ", " + why + "; the shop adds its tax to the prices of here", nil
}
