package prestashop

import (
	"context"
	"slices"
	"strings"

	"entrepot/internal/connector"
)

// categories are the shop's ids of a product's categories: the first one, and all. Missing ones are created below
// their parent. A product without categories is in the shop's home category.
func (s *session) categories(ctx context.Context, f *shop, list []connector.Category) (main string, all []string, err error) {
	main = f.home
	for i := range list {
		id, err := s.category(ctx, f, &list[i])
		if connector.Is(err, connector.Forbidden) { // a key that may not touch categories still sells
			continue
		}
		if err != nil {
			return "", nil, err
		}
		if len(all) == 0 {
			main = id
		}
		all = append(all, id)
	}
	if len(all) == 0 {
		all = []string{main}
	}
	return main, all, nil
}

func (s *session) category(ctx context.Context, f *shop, c *connector.Category) (string, error) {
	parent := f.home
	if c.Parent != nil {
		var err error
		if parent, err = s.category(ctx, f, c.Parent); err != nil {
			return "", err
		}
	}
	label := name(c.Name)
	if id, ok := s.tree[parent+"/"+label]; ok {
		return id, nil
	}
	rows, err := s.list(ctx, "categories", "category", display("id", "name").any("id_parent", parent))
	if err != nil {
		return "", err
	}
	for _, r := range rows {
		s.tree[parent+"/"+r.in("name", f.language)] = r.get("id")
	}
	if id, ok := s.tree[parent+"/"+label]; ok {
		return id, nil
	}
	made, err := s.create(ctx, "categories", "category", value("id_parent", parent), value("active", "1"),
		texts("name", f.everywhere(label)), texts("link_rewrite", f.everywhere(slug(c.Slug, c.Name))))
	if err != nil {
		clear(s.tree) // it may be there all the same
		return "", err
	}
	s.tree[parent+"/"+label] = made.get("id")
	return made.get("id"), nil
}

// withTheirs are the categories of a product in the shop: its own, and those that its merchant has put it in. The
// main one is its own unless the merchant's is another.
func (u *upsert) withTheirs(main string, own []string) (string, []string) {
	all, before := slices.Clone(own), u.sentBefore()
	for _, c := range u.there.at("associations", "categories").all("category") {
		if id := c.get("id"); id != "" && !slices.Contains(all, id) && !slices.Contains(before, id) {
			if all = append(all, id); id == u.there.get("id_category_default") {
				main = id
			}
		}
	}
	return main, all
}

func (u *upsert) sentBefore() []string {
	return strings.FieldsFunc(u.Known.Other[sentCategories], func(r rune) bool { return r == ',' })
}

// sentCategories is the name in connector.IDs.Other of the categories that the last push put a product in.
const sentCategories = "categories"
