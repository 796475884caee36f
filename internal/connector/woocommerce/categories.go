package woocommerce

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"entrepot/internal/connector"
)

// categoryFact is where the shop's id of one of our categories is kept.
const categoryFact = "category."

// categories gives the shop's ids of categories, making those that it does not have.
func (s *session) categories(ctx context.Context, list []connector.Category) (out []map[string]any, err error) {
	for _, c := range list {
		id, err := s.category(ctx, c)
		if err != nil {
			return nil, err
		}
		out = append(out, map[string]any{"id": id})
	}
	return out, nil
}

func (s *session) category(ctx context.Context, c connector.Category) (int64, error) {
	if known := s.link.Facts.Fact(categoryFact + c.ID); known != "" {
		return flexible(known).number(), nil
	}
	var parent int64
	if c.Parent != nil {
		var err error
		if parent, err = s.category(ctx, *c.Parent); err != nil {
			return 0, err
		}
	}
	id, err := s.findCategory(ctx, c.Slug)
	if err == nil && id == 0 {
		id, err = s.createCategory(ctx, c, parent)
	}
	if err == nil {
		s.link.Facts.Keep(categoryFact+c.ID, strconv.FormatInt(id, 10))
	}
	return id, err
}

func (s *session) findCategory(ctx context.Context, slug string) (int64, error) {
	var list []struct {
		ID flexible `json:"id"`
	}
	_, err := s.get(ctx, "/products/categories", url.Values{"slug": {slug}, "_fields": {"id"}, "hide_empty": {"false"}}, &list)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0].ID.number(), nil
}

// createCategory makes one, or finds that it is there under another slug.
func (s *session) createCategory(ctx context.Context, c connector.Category, parent int64) (int64, error) {
	var made struct {
		ID flexible `json:"id"`
	}
	answer, err := s.call(
		ctx,
		http.MethodPost,
		"/wc/v3/products/categories",
		nil,
		map[string]any{"name": c.Name, "slug": c.Slug, "parent": parent},
		&made,
	)
	if isCode(err, "term_exists") && answer != nil {
		var p problem
		if connector.DecodeAnswer(answer, &p) == nil && p.resource() != "" {
			return flexible(p.resource()).number(), nil
		}
	}
	return made.ID.number(), err
}

// withTheirs are the categories of a product in the shop: its own, and behind them those that its merchant has put it
// in; nil to leave them unchanged. The shop's default category is dropped with the first other.
func (u *upsert) withTheirs(own []map[string]any) []map[string]any {
	before := u.sentBefore(sentCategories)
	var ids []string
	for _, c := range own {
		id, _ := c["id"].(int64)
		ids = append(ids, strconv.FormatInt(id, 10))
	}
	u.keepSent(sentCategories, ids)
	if len(own)+len(before) == 0 {
		return nil
	}
	list := append([]map[string]any{}, own...)
	for _, c := range u.there.Categories {
		if id := string(c.ID); !slices.Contains(ids, id) && !slices.Contains(before, id) && c.Slug != "uncategorized" {
			list = append(list, map[string]any{"id": c.ID.number()})
		}
	}
	return list
}
