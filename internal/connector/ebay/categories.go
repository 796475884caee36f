package ebay

import (
	"context"
	"net/url"
	"slices"

	"entrepot/internal/connector"
)

// category is the category of a listing: the setting's, else the one that eBay suggests for the title. It is "" where
// eBay suggests none to the application, so that eBay itself reports what an offer lacks.
func (s *session) category(ctx context.Context, p *connector.Product) (string, error) {
	if id := s.link.Channel.Value(settingCategory); id != "" {
		return id, nil
	}
	title := connector.Cut(p.Name, 80)
	if id, known := s.categories[title]; known {
		return id, nil
	}
	if s.tree == "" {
		var tree struct{ CategoryTreeID string }
		if _, err := s.get(ctx, "/commerce/taxonomy/v1/get_default_category_tree_id", url.Values{"marketplace_id": {s.market.id}},
			&tree); err != nil {
			return "", unlessMissing(err)
		}
		s.tree = tree.CategoryTreeID
	}
	var suggested struct {
		CategorySuggestions []struct{ Category struct{ CategoryID string } }
	}
	_, err := s.get(ctx, "/commerce/taxonomy/v1/category_tree/"+url.PathEscape(s.tree)+"/get_category_suggestions",
		url.Values{"q": {title}}, &suggested)
	if err == nil && len(suggested.CategorySuggestions) == 0 {
		err = connector.Failf(connector.Rejected, "eBay knows no category for %q: the channel's setting categoryId can name one", title)
	}
	if err != nil {
		return "", unlessMissing(err)
	}
	s.categories[title] = suggested.CategorySuggestions[0].Category.CategoryID
	return s.categories[title], nil
}

// unlessMissing passes on every error except that eBay does not have the resource.
func unlessMissing(err error) error {
	if connector.Is(err, connector.Missing) {
		return nil
	}
	return err
}

// categorizeNew finds the categories of listings before anything of them is written. Known ones have one.
func (s *session) categorizeNew(ctx context.Context, list []*listing) error {
	return each(list, func(l *listing) error {
		if slices.ContainsFunc(l.forms, func(f connector.Variant) bool { return f.Known.Other[offerID] != "" }) {
			return nil
		}
		return s.categorize(ctx, l)
	})
}

// categorize finds the category of a listing.
func (s *session) categorize(ctx context.Context, l *listing) (err error) {
	l.category, err = s.category(ctx, l.Product)
	return err
}
