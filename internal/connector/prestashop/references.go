package prestashop

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"
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

// longestPart is the longest part of a reference without signs of filters, "" if it has none.
func longestPart(reference string) string {
	parts := strings.FieldsFunc(reference, func(r rune) bool { return strings.ContainsRune(filterSigns, r) })
	if len(parts) == 0 {
		return ""
	}
	return slices.MaxFunc(parts, func(a, b string) int { return utf8.RuneCountInString(a) - utf8.RuneCountInString(b) })
}
