package prestashop

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"entrepot/internal/connector"
)

// filterSigns mean something in the values of a filter, or in the pattern of one that contains a text: "a|b" is two
// values, "1,5" a span, and a filter with a bracket inside is no filter at all: the shop then returns everything.
const filterSigns = "|,[]%_\\"

// byReference reads resources with one of some references. Those with signs of the filter's are found by a part
// without such signs, which they must have, compared here, and read by id.
func (s *session) byReference(ctx context.Context, resource, kind string, references []string, q func() query) ([]*node, error) {
	var plain, ids []string
	for _, reference := range references {
		if !strings.ContainsAny(reference, filterSigns) {
			plain = append(plain, reference)
			continue
		}
		found, err := s.list(ctx, resource, kind, display("id", "reference").containing("reference", longestPart(reference)))
		if err != nil {
			return nil, err
		}
		for _, n := range found {
			if n.get("reference") == reference {
				ids = append(ids, n.get("id"))
			}
		}
	}
	list, err := s.inChunks(ctx, resource, kind, "reference", plain, q)
	if err != nil {
		return nil, err
	}
	others, err := s.inChunks(ctx, resource, kind, "id", ids, q)
	return append(list, others...), err
}

// readOwners counts, for the references that the lines of orders name, the products that have each: itself or as a
// combination. References may stand at several.
func (s *session) readOwners(ctx context.Context, b *beside, rows []*node) error {
	var names []string
	for _, r := range rows {
		for _, d := range orderLines(b.details[r.get("id")], r) {
			name := s.reference(connector.OrderLine{SKU: d.get("product_reference"), Item: connector.IDs{Variant: d.id("product_attribute_id")}})
			if _, known := s.owners[name]; !known && longestPart(name) != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	owners := map[string]map[string]bool{}
	for _, of := range []struct{ resource, kind, id string }{{"products", "product", "id"}, {"combinations", "combination", "id_product"}} {
		found, err := s.byReference(ctx, of.resource, of.kind, names, func() query { return display("id", of.id, "reference") })
		if err = ignoreForbidden(err); err != nil {
			return err
		}
		for _, n := range found {
			name := n.get("reference")
			if owners[name] == nil {
				owners[name] = map[string]bool{}
			}
			owners[name][n.get(of.id)] = true
		}
	}
	for _, name := range names {
		s.owners[name] = len(owners[name])
	}
	return nil
}

// longestPart is the longest part of a reference without signs of filters, "" if it has none.
func longestPart(reference string) string {
	parts := strings.FieldsFunc(reference, func(r rune) bool { return strings.ContainsRune(filterSigns, r) })
	if len(parts) == 0 {
		return ""
	}
	return slices.MaxFunc(parts, func(a, b string) int { return utf8.RuneCountInString(a) - utf8.RuneCountInString(b) })
}
