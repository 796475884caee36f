package api

import (
	"strings"
	"testing"
)

func (s *server) importCategories(t *testing.T, categories ...any) map[string]any {
	t.Helper()
	return at(s.must(t, 200, "POST", "/api/v1/sdk/categories/bulk-import", item{"categories": categories}), "data").(map[string]any)
}

// tree reads all categories by externalId.
func (s *server) tree(t *testing.T) map[string]any {
	t.Helper()
	found := map[string]any{}
	for _, c := range s.must(t, 200, "GET", "/api/v1/categories?limit=250", nil)["data"].([]any) {
		found[text(c, "externalId")] = c
	}
	return found
}

// A category gets another name or place without its children being read, which may be very many; with another externalId they follow.
func TestChildrenOfAChangedCategory(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.importCategories(t, item{"externalId": "up", "name": "Up"}, item{"externalId": "down", "name": "Down", "parentExternalId": "up"},
			item{"externalId": "other", "name": "Other"})
		tree := s.tree(t)
		up := "/api/v1/categories/" + text(tree["up"], "id")
		asked := 0
		hook := func(sql string, _ []any) {
			if strings.Contains(sql, "AND parent_id = $2::UUID") {
				asked++
			}
		}
		s.trace.Store(&hook)
		for _, change := range []item{{"name": "Upper"}, {"parentId": text(tree["other"], "id")}, {"externalId": "up", "slug": "upper"}} {
			s.must(t, 200, "PATCH", up, change)
		}
		if asked != 0 {
			t.Errorf("children were read %d times", asked)
		}
		s.must(t, 200, "PATCH", up, item{"externalId": "top"})
		s.trace.Store(nil)
		tree = s.tree(t)
		if asked == 0 || text(tree["down"], "parentExternalId") != "top" || text(tree["down"], "parentId") != text(tree["top"], "id") {
			t.Errorf("children were read %d times: %v", asked, tree)
		}
	})
}
