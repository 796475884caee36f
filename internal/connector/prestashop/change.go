package prestashop

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"

	"entrepot/internal/connector"
)

// wholeFact, with a resource's name, is the fact that the resource can only be written whole.
const wholeFact = "whole."

// change changes fields of resources of a kind; the first field is the id. It may be repeated. The shop writes one
// after the other until it refuses one, and returns the ids of those it has written. Shops before version 8 do not
// know PATCH, and keys need a right of their own for it: then resources are written whole.
func (s *session) change(ctx context.Context, resource, kind string, rows ...[]field) (written []string, err error) {
	if s.link.Facts.Fact(wholeFact+resource) == "" {
		doc, _, err := s.call(connector.Repeatable(ctx), http.MethodPatch, address(resource, rows), nil, document(kind, rows...))
		if !errors.Is(err, errNoMethod) {
			return idsOf(doc, kind), err
		}
	}
	doc, err := s.replace(ctx, resource, kind, rows)
	if err == nil {
		s.link.Facts.Keep(wholeFact+resource, "1")
	}
	return idsOf(doc, kind), err
}

// idsOf are the ids of the resources in a document: of one, or of a list, which has them as attributes.
func idsOf(doc *node, kind string) (ids []string) {
	found := doc.all(kind)
	if doc != nil {
		for _, list := range doc.children {
			found = append(found, list.all(kind)...)
		}
	}
	for _, n := range found {
		ids = append(ids, cmp.Or(n.get("id"), n.attrs["id"]))
	}
	return ids
}

// address is where resources are written: a single one has its own.
func address(resource string, rows [][]field) string {
	if len(rows) == 1 {
		return resource + "/" + url.PathEscape(rows[0][0].value)
	}
	return resource
}

// readOnly are fields that the shop gives and does not take, by resource; others are found out when it refuses them.
var readOnly = map[string][]string{"products": {"manufacturer_name", "quantity", "position_in_category"}}

// mostReadOnly is how many further fields are found out for one write.
const mostReadOnly = 10

// codeReadOnly is the code of the refusal of a field, which it names.
const codeReadOnly = "93"

var refusedField = regexp.MustCompile(`parameter "([a-z0-9_]+)" not writable`)

// replace writes resources whole: the shop's state with changed fields. Associations stay when they are not sent.
func (s *session) replace(ctx context.Context, resource, kind string, rows [][]field) (doc *node, err error) {
	var ids []string
	for _, row := range rows {
		ids = append(ids, row[0].value)
	}
	there, err := s.inChunks(ctx, resource, kind, "id", ids, full)
	if err != nil {
		return nil, err
	}
	without := append([]string{"associations"}, readOnly[resource]...)
	for range mostReadOnly {
		whole := make([][]field, len(rows))
		for i, row := range rows {
			at := slices.IndexFunc(there, func(n *node) bool { return n.get("id") == row[0].value })
			if at < 0 {
				return nil, connector.Failf(connector.Missing, "the shop has no %s %s", kind, row[0].value)
			}
			whole[i] = overlaid(there[at], row, without)
		}
		doc, _, err = s.call(connector.Repeatable(ctx), http.MethodPut, address(resource, rows), nil, document(kind, whole...))
		f := connector.FailureOf(err)
		if f == nil || f.Code != codeReadOnly {
			return doc, err
		}
		name := refusedField.FindStringSubmatch(f.Message)
		if name == nil || slices.Contains(without, name[1]) {
			return nil, err
		}
		without = append(without, name[1])
	}
	return nil, err
}

// overlaid is a resource of the shop with changed fields, and without some others.
func overlaid(n *node, changed []field, without []string) []field {
	out := slices.Clone(changed)
	for _, c := range n.children {
		is := func(f field) bool { return f.name == c.name }
		if slices.Contains(without, c.name) || slices.ContainsFunc(changed, is) {
			continue
		}
		own := value(c.name, n.get(c.name))
		if languages := c.all("language"); len(languages) > 0 {
			own.texts = map[string]string{}
			for _, l := range languages {
				own.texts[l.attrs["id"]] = l.text
			}
		}
		out = append(out, own)
	}
	return out
}
