package dashboard

import (
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
)

// categoryRoutes are the tree of categories.
var categoryRoutes = []*route{
	{method: "GET", path: "/categories", scope: "read:categories", serve: (*Dashboard).listCategories},
	{method: "POST", path: "/categories", scope: "write:categories", serve: (*Dashboard).createCategory},
	{method: "GET", path: "/categories/{id}", scope: "write:categories", serve: (*Dashboard).editCategory},
	{method: "POST", path: "/categories/{id}", scope: "write:categories", serve: on((*request).categoryOf, (*Dashboard).updateCategory)},
	{method: "POST", path: "/categories/{id}/delete", scope: "write:categories", serve: on((*request).categoryOf, (*Dashboard).deleteCategory)},
}

const categoriesPath = "/categories"

// categoryPage is the data of the page of categories and its form.
type categoryPage struct {
	tree   []branchOf                       // of all, or of a folded tree the rows of the page, if whole
	whole  bool                             // there are not too many for a tree
	folded bool                             // branches of the tree are opened one at a time
	lines  int                              // rows of the folded tree
	found  []catalog.Category               // else a page of those that match
	above  map[id.Category]catalog.Category // these, those that the form is about, and their ancestors
	count  map[id.Category]int64            // products in each that is shown
	total  int64                            // that match
	list   *listing
}

// readCategories reads the tree, or a page of the categories that the address searches for; at is the one that the
// form is about, "" for none.
func (r *request) readCategories(at id.Category) (p categoryPage, err error) {
	l := r.listing(categoriesPath, "category", "categories", "search", opened)
	term, branch := l.query.Text("search"), apijson.QueryID[id.Category](l.query, opened)
	p.list = l
	return p, r.readWide(func(tx *db.Tx) error {
		list, all, err := catalog.ListCategories(tx, catalog.CategoryFilter{Limit: maxTree})
		p.total = all
		shown := make([]id.Category, 0, len(list))
		if p.whole = all <= maxTree; p.whole {
			p.tree, p.above = treeOf(list, r.format.names()), byID(list)
			p.fold(cmp.Or(branch, at))
			for _, b := range p.tree {
				shown = append(shown, b.ID)
			}
		}
		if err == nil && !p.asTree() && !l.wrong() {
			f := catalog.CategoryFilter{Search: term, Limit: l.size, Offset: l.offset()}
			p.found, p.total, err = catalog.ListCategories(tx, f)
			shown = nil
			for _, c := range p.found {
				shown = append(shown, c.ID)
			}
		}
		if err != nil {
			return err
		}
		if p.count, err = catalog.CountProducts(tx, shown); err != nil || p.asTree() {
			return err
		}
		if at != "" {
			shown = append(shown, at)
		}
		p.above, err = catalog.WithParents(tx, shown)
		return err
	})
}

// asTree reports whether the page shows the tree.
func (p categoryPage) asTree() bool {
	return p.whole && !p.list.values.Has("search") && !p.list.wrong()
}

// byID finds categories by their ids.
func byID(list []catalog.Category) map[id.Category]catalog.Category {
	found := make(map[id.Category]catalog.Category, len(list))
	for _, c := range list {
		found[c.ID] = c
	}
	return found
}

// pathOf is where a category stands: the names of those above it, from the top.
func pathOf(c catalog.Category, above map[id.Category]catalog.Category) string {
	var names []string
	for up, ok := above[c.Parent]; ok && len(names) < 20; up, ok = above[up.Parent] {
		names = append(names, up.Name)
	}
	slices.Reverse(names)
	return strings.Join(names, " › ")
}

// wholePath is a category's name after those of the categories above it.
func wholePath(c catalog.Category, above map[id.Category]catalog.Category) string {
	if path := pathOf(c, above); path != "" {
		return path + " › " + c.Name
	}
	return c.Name
}

// parentField is the input of a category's parent: chosen from the tree, without the category itself and its
// descendants, or typed.
func (p categoryPage) parentField(c catalog.Category) field {
	if !p.whole || p.folded {
		in := field{Name: "parent", Label: "Parent category", Hint: p.list.r.say("%s; blank: top level", namedBy)}
		if up, ok := p.above[c.Parent]; ok {
			in.Value, in.Hint = cmp.Or(up.ExternalID, string(up.ID)), p.list.r.say("It is in %s. %s", wholePath(up, p.above), sentence(in.Hint))
		}
		return in
	}
	options := []option{{Label: "None: top level"}}
	below := -1 // the depth of the category while its own branch is passed over
	for _, b := range p.tree {
		if below >= 0 && b.depth > below {
			continue
		}
		if below = -1; b.ID == c.ID {
			below = b.depth
			continue
		}
		options = append(options, option{Value: string(b.ID), Label: strings.Repeat("\u2003", b.depth) + b.Name})
	}
	return field{Name: "parentId", Label: "Parent category", Kind: "select", Value: string(c.Parent), Options: options, ClearBlank: true}
}

// namedBy says how a category is named where there are too many to choose from.
const namedBy = "its name, its external id or its id"

// categoryNamed finds the category that somebody has named in an input. Errors: Invalid.
func categoryNamed(tx *db.Tx, input, said string) (id.Category, error) {
	if which, ok := id.Parse[id.Category](said); ok {
		if _, err := catalog.CategoryByID(tx, which); !apperr.Is(err, apperr.NotFound) {
			return which, err
		}
	}
	list, _, err := catalog.ListCategories(tx, catalog.CategoryFilter{ExternalID: said, Limit: 1})
	if err == nil && len(list) == 0 {
		list, _, err = catalog.ListCategories(tx, catalog.CategoryFilter{Search: said, Limit: maxTree})
		list = slices.DeleteFunc(list, func(c catalog.Category) bool { return !strings.EqualFold(c.Name, said) })
	}
	switch {
	case err != nil:
		return "", err
	case len(list) == 0:
		return "", apperr.At(input, "is no category's name, external id or id")
	case len(list) > 1:
		return "", apperr.At(input, "is the name of %d categories: enter the external id or the id of one", len(list))
	}
	return list[0].ID, nil
}

func categoryForm(r *request, path string, p categoryPage, c catalog.Category) *form {
	return r.editing(path, field{Name: "name", Label: "Name", Value: c.Name, Required: true}, p.parentField(c),
		field{Name: "externalId", Label: "External id", Value: c.ExternalID, Mono: true, ClearBlank: true, Hint: "what your own system calls it"},
		field{Name: "slug", Label: "Slug", Value: c.Slug, Mono: true, Hint: "blank: made from the name"})
}

// readCategoryForm reads the form about a category. What was not changed is left out: so a category goes on waiting
// for its parent.
func (r *request) readCategoryForm(f *form, c catalog.Category) (catalog.CategoryDraft, error) {
	o, purpose := f.Object(), drafts.ToUpdate
	if c.ID == "" {
		purpose = drafts.ToCreate
	}
	draft := drafts.ReadCategory(o, purpose)
	if err := o.Err(); err != nil {
		return draft, err
	}
	if in := f.find("parent"); in != nil {
		draft.Parent = patch.Field[id.Category]{Set: true, Null: true}
		if said := strings.TrimSpace(in.Value); said != "" {
			err := r.readWide(func(tx *db.Tx) (err error) {
				draft.Parent = patch.Field[id.Category]{Set: true}
				draft.Parent.Value, err = categoryNamed(tx, in.Name, said)
				return err
			})
			if err != nil {
				return draft, err
			}
		}
	}
	if draft.Parent.Value == c.Parent {
		draft.Parent = patch.Field[id.Category]{}
	}
	return draft, nil
}

// listCategories serves GET /categories.
func (d *Dashboard) listCategories(r *request) (answer, error) {
	return d.categoryScreen(r, catalog.Category{})
}

func (d *Dashboard) categoryScreen(r *request, at catalog.Category) (answer, error) {
	p, err := r.readCategories(at.ID)
	if err != nil {
		return answer{}, err
	}
	l := p.list
	view := editorView{listing: l, Scope: "write:categories", Head: "New category", Label: "Create"}
	view.Heads = []head{{Label: "Name"}, {Label: "Products"}, {Label: "External id"}}
	if at.ID == "" {
		view.Form = categoryForm(r, categoriesPath, p, at)
	} else {
		home := categoriesPath + "/" + string(at.ID)
		gone := newAsk("delete-category", r.say("Delete %s?", at.Name), "Categories below it move to the top; its products stay.", "Delete it",
			r.form(home+"/delete"))
		view.Head, view.Label, view.Form, view.Back, view.Delete = at.Name, "Save", categoryForm(r, home, p, at), p.list.with(), &gone
	}
	if l.values.Has("search") || p.total > 0 {
		l.search("search", "Search categories", "Name or external id")
	}
	row := func(c catalog.Category) editorRow {
		return editorRow{ID: string(c.ID), To: prefix + categoriesPath + "/" + string(c.ID), Name: c.Name, At: c.ID == at.ID,
			Cells:  []string{r.format.plural(p.count[c.ID], "product", "products"), c.ExternalID},
			CellTo: r.page("/products", "/products?categoryId="+string(c.ID))}
	}
	if p.asTree() {
		if r.caller().May("write:categories") {
			view.Move = r.another(categoriesPath, hiddenField(p.parentField(at).Name, ""))
		}
		for i, b := range p.tree {
			one := row(b.Category)
			if one.Depth = min(b.depth, maxDepth); p.folded {
				one.Folded, one.Twist = true, p.twistOf(b, r.format)
				if i == 0 {
					one.Path = pathOf(b.Category, p.above)
				}
			}
			view.Rows = append(view.Rows, one)
		}
		switch {
		case p.folded:
			l.one, l.many = "line", "lines"
			l.rows(len(p.tree), int64(p.lines))
			l.Pager.Words += r.say(" of the tree, %s in all", r.format.plural(p.total, "category", "categories"))
		case p.total == 0:
			l.Empty = new(r.firstStep("write:categories", empty{Icon: "list", Head: "No categories yet", Text: "Categories sort products into a tree.",
				Label: "New category", To: "#editor", Curl: r.curl("write:categories", "POST", "/categories", `{"name":"Kitchen"}`)}))
		}
	} else {
		for _, c := range p.found {
			one := row(c)
			one.Path = pathOf(c, p.above)
			view.Rows = append(view.Rows, one)
		}
		if !l.wrong() {
			l.rows(len(p.found), p.total)
		}
	}
	if at.ID != "" {
		l.Pager.Last = "" // the form stays, wherever the list is
	}
	return l.show(screen{Template: "editor", Title: "Categories", Section: "/products", Crumbs: []crumb{{"Products", "/products"}},
		Data: view}), nil
}

// shown is the address of the list with a category in sight.
func (p categoryPage) shown(c id.Category) string {
	if p.whole && p.total < wholeTree { // one may have come
		return categoriesPath
	}
	return categoriesPath + "?" + opened + "=" + string(c)
}

// categoryOf reads the category of the path. Errors: NotFound.
func (r *request) categoryOf() (catalog.Category, error) {
	return recordOf(r, "category", catalog.CategoryByID)
}

// editCategory serves GET /categories/{id}.
func (d *Dashboard) editCategory(r *request) (answer, error) {
	c, err := r.categoryOf()
	if err != nil {
		return answer{}, err
	}
	return d.categoryScreen(r, c)
}

// writeCategory runs a write of a category, and answers when its products are linked.
func (d *Dashboard) writeCategory(r *request, operation func(tx *db.Tx) (answer, error)) (answer, error) {
	out, err := d.write(r, operation)
	if err == nil {
		err = d.Commerce.FinishCategories(r.http.Context(), r.store(), r.caller().Tenant)
	}
	return out, err
}

// createCategory serves POST /categories.
func (d *Dashboard) createCategory(r *request) (answer, error) {
	p, err := r.readCategories("")
	if err != nil {
		return answer{}, err
	}
	return r.submit(categoryForm(r, categoriesPath, p, catalog.Category{}), d.listCategories, func(f *form) (answer, error) {
		draft, err := r.readCategoryForm(f, catalog.Category{})
		if err != nil {
			return answer{}, err
		}
		return d.writeCategory(r, func(tx *db.Tx) (answer, error) {
			c, err := d.Commerce.CreateCategory(tx, draft)
			return redirect(p.shown(c.ID), r.say("Created %s", c.Name)), err
		})
	})
}

// updateCategory serves POST /categories/{id}.
func (d *Dashboard) updateCategory(r *request, c catalog.Category) (answer, error) {
	p, err := r.readCategories(c.ID)
	if err != nil {
		return answer{}, err
	}
	return r.submit(categoryForm(r, categoriesPath+"/"+string(c.ID), p, c), d.editCategory, func(f *form) (answer, error) {
		draft, err := r.readCategoryForm(f, c)
		if err != nil {
			return answer{}, err
		}
		return d.writeCategory(r, func(tx *db.Tx) (answer, error) {
			now, err := d.Commerce.UpdateCategory(tx, c.ID, commerce.Expected{}, draft)
			return redirect(p.shown(c.ID), r.say("Saved %s", now.Name)), err
		})
	})
}

// deleteCategory serves POST /categories/{id}/delete.
func (d *Dashboard) deleteCategory(r *request, c catalog.Category) (answer, error) {
	return d.writeCategory(r, func(tx *db.Tx) (answer, error) {
		return redirect(categoriesPath, r.say("Deleted %s", c.Name)), d.Commerce.DeleteCategory(tx, c.ID, commerce.Expected{})
	})
}
