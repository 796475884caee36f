package api

import (
	"fmt"
	"net/url"
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

// Children may come before their parents, in the same request or in an earlier one; either way they are linked.
func TestCategoriesInAnyOrder(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		done := s.importCategories(t, item{"externalId": "child", "name": "Child", "parentExternalId": "parent"},
			item{"externalId": "parent", "name": "Parent", "parentExternalId": "unborn"})
		if number(done, "created") != "2" || number(done, "updated") != "0" {
			t.Errorf("first import: %v", done)
		}
		tree := s.tree(t)
		if text(tree["child"], "parentId") != text(tree["parent"], "id") || at(tree["parent"], "parentId") != nil ||
			text(tree["parent"], "parentExternalId") != "unborn" {
			t.Errorf("before the grandparent: %v", tree)
		}
		_, from := s.eventsSince(0)
		s.importCategories(t, item{"externalId": "unborn", "name": "Born"}, item{"externalId": "child", "name": "Child"})
		tree = s.tree(t)
		if text(tree["parent"], "parentId") != text(tree["unborn"], "id") {
			t.Errorf("after it: %v", tree)
		}
		names, _ := s.eventsSince(from)
		if fmt.Sprint(names) != "[category.created category.updated]" {
			t.Errorf("events: %v", names)
		}
		s.importCategories(t, item{"externalId": "orphan", "name": "Orphan", "parentExternalId": "late"})
		s.importCategories(t, item{"externalId": "late", "name": "Late"}) // nothing else of the request leads to the orphan
		if tree = s.tree(t); text(tree["orphan"], "parentId") != text(tree["late"], "id") {
			t.Errorf("waited alone: %v", tree)
		}
	})
}

// No path of requests, within one or over several, makes a category its own ancestor.
func TestCategoryCycles(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		code := func(done map[string]any, i int) string { return text(done, "errors", i, "code") }
		if done := s.importCategories(t, item{"externalId": "self", "name": "Self", "parentExternalId": "self"}); code(done, 0) != "cycle" {
			t.Errorf("itself: %v", done)
		}
		done := s.importCategories(t, item{"externalId": "a", "name": "A", "parentExternalId": "b"},
			item{"externalId": "b", "name": "B", "parentExternalId": "a"})
		if code(done, 0) != "cycle" || number(done, "errors", 0, "index") != "1" || text(done, "errors", 0, "externalId") != "b" ||
			number(done, "created") != "1" {
			t.Errorf("each other: %v", done)
		}
		if done := s.importCategories(t, item{"externalId": "b", "name": "B", "parentExternalId": "a"}); code(done, 0) != "cycle" {
			t.Errorf("the one that is waited for, below the one that waits: %v", done)
		}
		s.importCategories(t, item{"externalId": "b", "name": "B"}, item{"externalId": "c", "name": "C", "parentExternalId": "a"})
		tree := s.tree(t)
		if status, answer := s.call(t, "PATCH", "/api/v1/categories/"+text(tree["b"], "id"),
			item{"parentId": text(tree["c"], "id")}); status != 400 || text(answer, "details", 0, "path") != "parentId" {
			t.Errorf("grandparent below grandchild: %d %v", status, answer)
		}
		s.importCategories(t, item{"externalId": "d", "name": "D", "parentExternalId": "c"})
		if done := s.importCategories(t, item{"externalId": "b", "name": "B", "parentExternalId": "d"}); code(done, 0) != "cycle" {
			t.Errorf("the root below its grandchild's child: %v", done)
		}
		if status, _ := s.call(t, "PATCH", "/api/v1/categories/"+text(tree["b"], "id"), item{"parentExternalId": "b"}); status != 400 {
			t.Errorf("itself by PATCH: %d", status)
		}
		s.importCategories(t, item{"externalId": "waits", "name": "Waits", "parentExternalId": "late"})
		leaf := s.must(t, 201, "POST", "/api/v1/categories", item{"name": "Leaf", "parentExternalId": "waits"})
		if status, answer := s.call(t, "PATCH", "/api/v1/categories/"+text(leaf, "data", "id"),
			item{"externalId": "late"}); status != 400 || text(answer, "details", 0, "path") != "externalId" {
			t.Errorf("the externalId that a category above waits for: %d %v", status, answer)
		}
		alone := s.must(t, 201, "POST", "/api/v1/categories", item{"name": "Alone", "parentExternalId": "mine"})
		if status, _ := s.call(t, "PATCH", "/api/v1/categories/"+text(alone, "data", "id"), item{"externalId": "mine"}); status != 400 {
			t.Errorf("the externalId that it waits for itself: %d", status)
		}
	})
}

// A product's link to a category that is not here is kept, works when it arrives, and waits again when it goes.
func TestLinksWait(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		made := s.must(t, 201, "POST", "/api/v1/products",
			item{"sku": "P", "name": "P", "price": 1, "categoryIds": []string{"later", "here", "later"}})
		path := "/api/v1/products/" + text(made, "data", "id")
		ids := func() int { return len(at(s.must(t, 200, "GET", path, nil), "data", "categoryIds").([]any)) }
		_, from := s.eventsSince(0)
		s.importCategories(t, item{"externalId": "here", "name": "Here"}, item{"externalId": "later", "name": "Later"})
		if n := ids(); n != 2 {
			t.Errorf("%d categories after both have arrived", n)
		}
		names, from := s.eventsSince(from)
		if fmt.Sprint(names) != "[category.created category.created product.updated]" {
			t.Errorf("events of the arrival: %v", names)
		}
		tree := s.tree(t)
		if listed := s.must(t, 200, "GET", "/api/v1/products?categoryId="+text(tree["here"], "id"), nil); number(listed, "meta", "total") != "1" {
			t.Errorf("list by category: %v", listed)
		}
		// the same two, one by its id: the same links
		s.must(t, 200, "PATCH", path, item{"categoryIds": []string{text(tree["later"], "id"), "here"}})
		s.must(t, 200, "DELETE", "/api/v1/categories/"+text(tree["here"], "id"), nil)
		if n := ids(); n != 1 {
			t.Errorf("%d categories after one has gone", n)
		}
		s.must(t, 201, "POST", "/api/v1/categories", item{"name": "Here again", "externalId": "here"})
		if n := ids(); n != 2 {
			t.Errorf("%d categories after its return", n)
		}
		names, _ = s.eventsSince(from)
		if fmt.Sprint(names) != "[category.deleted product.updated category.created product.updated]" {
			t.Errorf("events: %v", names)
		}
		s.must(t, 200, "PATCH", path, item{"categoryIds": []string{"renamed"}})
		other := s.must(t, 201, "POST", "/api/v1/categories", item{"name": "Other", "externalId": "other"})
		s.must(t, 200, "PATCH", "/api/v1/categories/"+text(other, "data", "id"), item{"externalId": "renamed"})
		if n := ids(); n != 1 {
			t.Errorf("%d categories after one took the externalId that is waited for", n)
		}
	})
}

// A product that is put into a category by the category's id, or by an externalId that the category had before, is in it again when it
// returns, and is in it once when it takes another name that the product gives.
func TestLinksFollowACategory(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		category := text(s.must(t, 201, "POST", "/api/v1/categories", item{"name": "Cups", "externalId": "cups"}), "data", "id")
		s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true",
			importBody(nil, item{"sku": "A", "name": "A", "price": 1, "categoryIds": []string{category}},
				item{"sku": "B", "name": "B", "price": 1, "categoryIds": []string{"cups", "mugs", "later"}}))
		want := func(when, category string) {
			t.Helper()
			for _, sku := range []string{"A", "B"} {
				got := at(s.must(t, 200, "GET", "/api/v1/products?sku="+sku, nil), "data", 0, "categoryIds")
				if category == "" && fmt.Sprint(got) != "[]" || category != "" && fmt.Sprint(got) != "["+category+"]" {
					t.Errorf("%s: %s is in %v", when, sku, got)
				}
			}
		}
		s.must(t, 200, "PATCH", "/api/v1/categories/"+category, item{"externalId": "mugs"})
		want("renamed", category)
		_, from := s.eventsSince(0)
		s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", importBody(nil, item{"sku": "B", "name": "B", "price": 1,
			"categoryIds": []string{"mugs", "later"}}))
		if names, _ := s.eventsSince(from); len(names) != 0 {
			t.Errorf("the same links by the new name: %v", names)
		}
		s.must(t, 200, "DELETE", "/api/v1/categories/"+category, nil)
		want("deleted", "")
		want("returned", text(s.must(t, 201, "POST", "/api/v1/categories", item{"name": "Mugs", "externalId": "mugs"}), "data", "id"))
		s.sound(t)
	})
}

func TestCategoryLife(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		made := s.must(t, 201, "POST", "/api/v1/categories", item{"name": "Tables & Chairs", "externalId": "tc"})
		root := text(made, "data", "id")
		child := s.must(t, 201, "POST", "/api/v1/categories", item{"name": "Stools", "parentId": root})
		if text(child, "data", "parentExternalId") != "tc" || text(made, "data", "slug") != "tables-chairs" {
			t.Errorf("made: %v %v", made, child)
		}
		path := "/api/v1/categories/" + text(child, "data", "id")
		if read := s.must(t, 200, "GET", path, nil); fmt.Sprint(read) != fmt.Sprint(child) {
			t.Errorf("read\n%v\nis not what was made\n%v", read, child)
		}
		s.must(t, 409, "POST", "/api/v1/categories", item{"name": "Twice", "externalId": "tc"})
		s.must(t, 409, "POST", "/api/v1/categories", item{"name": "Twice", "slug": "tables-chairs"})
		s.must(t, 409, "PATCH", path, item{"slug": "tables-chairs"})
		s.must(t, 404, "POST", "/api/v1/categories", item{"name": "Lost", "parentId": "019a1c41-0000-7000-8000-0000000000c9"})
		s.must(t, 200, "PATCH", "/api/v1/categories/"+root, item{"externalId": "tables"})
		if read := s.must(t, 200, "GET", path, nil); text(read, "data", "parentExternalId") != "tables" {
			t.Errorf("child of a renamed one: %v", read)
		}
		s.must(t, 200, "DELETE", "/api/v1/categories/"+root, nil)
		if read := s.must(t, 200, "GET", path, nil); at(read, "data", "parentId") != nil || text(read, "data", "parentExternalId") != "tables" {
			t.Errorf("child of a deleted one: %v", read)
		}
		s.must(t, 200, "PUT", path, item{"parentId": nil})
		if read := s.must(t, 200, "GET", path, nil); at(read, "data", "parentExternalId") != nil {
			t.Errorf("child without a parent: %v", read)
		}
		s.stranger().must(t, 404, "GET", path, nil)
	})
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

func TestAttributes(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		made := s.must(t, 201, "POST", "/api/v1/attributes",
			item{"code": "colour", "label": "Colour", "type": "select", "options": []string{"red", "blue"}})
		path := "/api/v1/attributes/" + text(made, "data", "id")
		s.must(t, 409, "POST", "/api/v1/attributes", item{"code": "colour", "label": "Again", "type": "text"})
		s.must(t, 400, "POST", "/api/v1/attributes", item{"code": "size", "label": "Size", "type": "select"})
		s.must(t, 400, "POST", "/api/v1/attributes", item{"code": "size", "label": "Size", "type": "text", "options": []string{"L"}})
		s.must(t, 201, "POST", "/api/v1/attributes", item{"code": "size", "label": "Size", "type": "number"})
		s.must(t, 409, "PATCH", path, item{"code": "size"})
		changed := s.must(t, 200, "PATCH", path, item{"label": "Hue", "options": []string{"green"}})
		if fmt.Sprint(at(changed, "data", "options")) != "[green]" || text(changed, "data", "code") != "colour" {
			t.Errorf("changed: %v", changed)
		}
		if list := s.must(t, 200, "GET", "/api/v1/attributes", nil); number(list, "meta", "total") != "2" ||
			text(list, "data", 0, "code") != "colour" {
			t.Errorf("list: %v", list)
		}
		s.stranger().must(t, 404, "GET", path, nil)
		s.must(t, 200, "DELETE", path, nil)
		s.must(t, 404, "GET", path, nil)
	})
}

// A search finds a category by any part of its name, also one that was renamed, of its slug and of its externalId, in any case.
func TestCategorySearch(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		for _, c := range []item{{"name": "Old", "externalId": "a"}, {"name": "Été", "slug": "FR"}, {"name": "100 % b_c", "slug": "x"}} {
			s.must(t, 201, "POST", "/api/v1/categories", c)
		}
		old := text(s.must(t, 200, "GET", "/api/v1/categories?externalId=a", nil), "data", 0, "id")
		s.must(t, 200, "PATCH", "/api/v1/categories/"+old, item{"name": "Straße", "externalId": "KB-7"})
		for search, want := range map[string]string{"straS": "[]", "STRAß": "[Straße]", "OLD": "[Straße]", "kb-": "[Straße]", "fr": "[Été]",
			"éT": "[Été]", "%": "[100 % b_c]", "B_": "[100 % b_c]", "b.c": "[]"} {
			list := s.must(t, 200, "GET", "/api/v1/categories?search="+url.QueryEscape(search), nil)
			names := []string{}
			for _, c := range list["data"].([]any) {
				names = append(names, text(c, "name"))
			}
			if fmt.Sprint(names) != want || number(list, "meta", "total") != fmt.Sprint(len(names)) {
				t.Errorf("search %q: %v of %v, want %s", search, names, list["meta"], want)
			}
		}
		page := s.must(t, 200, "GET", "/api/v1/categories?search=%20x&limit=1&page=2", nil)
		if len(page["data"].([]any)) != 0 || number(page, "meta", "total") != "1" {
			t.Errorf("the second page of one: %v", page)
		}
	})
}
