package dashboard

import (
	"cmp"
	"slices"

	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/id"
)

// categoryRoutes are the tree of categories.
var categoryRoutes = []*route{
	{method: "GET", path: "/categories", scope: "read:categories", serve: (*Dashboard).listCategories},
	{method: "POST", path: "/categories", scope: "write:categories", serve: (*Dashboard).createCategory},
	{method: "GET", path: "/categories/{id}", scope: "write:categories", serve: (*Dashboard).editCategory},
	{method: "POST", path: "/categories/{id}", scope: "write:categories", serve: (*Dashboard).updateCategory},
	{method: "POST", path: "/categories/{id}/delete", scope: "write:categories", serve: (*Dashboard).deleteCategory},
}

const categoriesPath = "/categories"

// maxTree limits the categories that the tree shows, maxDepth their indentation.
const (
	maxTree  = 1000
	maxDepth = 6
)

// branchOf is a category with its place in the tree.
type branchOf struct {
	catalog.Category
	depth int
}

// treeOf puts categories in the order of their tree, each level by name.
func treeOf(list []catalog.Category) []branchOf {
	children := map[id.Category][]catalog.Category{}
	known := map[id.Category]bool{}
	for _, c := range list {
		known[c.ID] = true
	}
	for _, c := range list {
		up := c.Parent
		if !known[up] {
			up = ""
		}
		children[up] = append(children[up], c)
	}
	var tree []branchOf
	var grow func(up id.Category, depth int)
	grow = func(up id.Category, depth int) {
		slices.SortFunc(children[up], func(a, b catalog.Category) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
		for _, c := range children[up] {
			tree = append(tree, branchOf{c, depth})
			grow(c.ID, depth+1)
		}
	}
	grow("", 0)
	return tree
}

// readTree reads the categories, and how many products each has.
func (r *request) readTree() (tree []branchOf, counts map[id.Category]int64, total int64, err error) {
	err = r.read(func(tx *db.Tx) error {
		list, all, err := catalog.ListCategories(tx, catalog.CategoryFilter{Limit: maxTree})
		if err != nil {
			return err
		}
		ids := make([]id.Category, len(list))
		for i, c := range list {
			ids[i] = c.ID
		}
		tree, total = treeOf(list), all
		counts, err = catalog.CountProducts(tx, ids)
		return err
	})
	return tree, counts, total, err
}

// categoryForm is the form of a category; its parent is chosen from the tree, without itself and its descendants.
func categoryForm(r *request, path string, tree []branchOf, c catalog.Category) *form {
	options := []option{{Label: "None: top level"}}
	below := -1 // the depth of the category while its own branch is passed over
	for _, b := range tree {
		if below >= 0 && b.depth > below {
			continue
		}
		if below = -1; b.ID == c.ID {
			below = b.depth
			continue
		}
		indent := ""
		for range b.depth {
			indent += "\u2003"
		}
		options = append(options, option{Value: string(b.ID), Label: indent + b.Name})
	}
	return r.editing(path, field{Name: "name", Label: "Name", Value: c.Name, Required: true},
		field{Name: "parentId", Label: "Parent category", Kind: "select", Value: string(c.Parent), Options: options, ClearBlank: true},
		field{Name: "externalId", Label: "External id", Value: c.ExternalID, Mono: true, ClearBlank: true, Hint: "what your own system calls it"},
		field{Name: "slug", Label: "Slug", Value: c.Slug, Mono: true, Hint: "blank: made from the name"})
}

// listCategories serves GET /categories.
func (d *Dashboard) listCategories(r *request) (answer, error) {
	return d.categoryScreen(r, catalog.Category{})
}

func (d *Dashboard) categoryScreen(r *request, at catalog.Category) (answer, error) {
	tree, counts, total, err := r.readTree()
	if err != nil {
		return answer{}, err
	}
	view := editorView{ListHead: "Categories", Scope: "write:categories", Head: "New category",
		Empty: r.firstStep("write:categories", empty{Icon: "list", Head: "No categories yet", Text: "Categories sort products into a tree.",
			Label: "New category", To: "#editor", Curl: r.curl("POST", "/categories", `{"name":"Kitchen"}`)}),
		Label: "Create", Columns: []head{{Label: "Name"}, {Label: "Products"}, {Label: "External id"}}}
	if r.caller().May("write:categories") {
		view.Move = r.another(categoriesPath, hiddenField("parentId", ""))
	}
	if at.ID == "" {
		view.Form = categoryForm(r, categoriesPath, tree, at)
	} else {
		home := categoriesPath + "/" + string(at.ID)
		gone := newAsk("delete-category", "Delete "+at.Name+"?", "Categories below it move to the top; its products stay.", "Delete it",
			r.form(home+"/delete"))
		view.Head, view.Label, view.Form, view.Back, view.Delete = at.Name, "Save", categoryForm(r, home, tree, at), prefix+categoriesPath, &gone
	}
	if total > int64(len(tree)) {
		view.Hint = "The first " + r.format.Count(int64(len(tree))) + " of " + r.format.Count(total) + " by name."
	}
	for _, b := range tree {
		view.Rows = append(view.Rows, editorRow{ID: string(b.ID), To: prefix + categoriesPath + "/" + string(b.ID), Name: b.Name,
			Depth: min(b.depth, maxDepth), At: b.ID == at.ID,
			Cells: []string{r.format.plural(counts[b.ID], "product", "products"), b.ExternalID}})
	}
	return show(
		screen{Template: "editor", Title: "Categories", Section: "/products", Crumbs: []crumb{{"Products", "/products"}}, Data: view},
	), nil
}

// categoryOf reads the category of the path. Errors: NotFound.
func (r *request) categoryOf() (c catalog.Category, err error) {
	which, err := pathID[id.Category](r, "category")
	if err != nil {
		return c, err
	}
	return c, r.read(func(tx *db.Tx) (err error) {
		c, err = catalog.CategoryByID(tx, which)
		return err
	})
}

// editCategory serves GET /categories/{id}.
func (d *Dashboard) editCategory(r *request) (answer, error) {
	c, err := r.categoryOf()
	if err != nil {
		return answer{}, err
	}
	return d.categoryScreen(r, c)
}

// createCategory serves POST /categories.
func (d *Dashboard) createCategory(r *request) (answer, error) {
	tree, _, _, err := r.readTree()
	if err != nil {
		return answer{}, err
	}
	return r.submit(categoryForm(r, categoriesPath, tree, catalog.Category{}), d.listCategories, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadCategory(o, false, false)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			c, err := d.Commerce.CreateCategory(tx, draft)
			return redirect(categoriesPath, "Created "+c.Name), err
		})
	})
}

// updateCategory serves POST /categories/{id}.
func (d *Dashboard) updateCategory(r *request) (answer, error) {
	c, err := r.categoryOf()
	if err != nil {
		return answer{}, err
	}
	tree, _, _, err := r.readTree()
	if err != nil {
		return answer{}, err
	}
	return r.submit(categoryForm(r, categoriesPath+"/"+string(c.ID), tree, c), d.editCategory, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadCategory(o, true, false)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			now, err := d.Commerce.UpdateCategory(tx, c.ID, commerce.Expected{}, draft)
			return redirect(categoriesPath, "Saved "+now.Name), err
		})
	})
}

// deleteCategory serves POST /categories/{id}/delete.
func (d *Dashboard) deleteCategory(r *request) (answer, error) {
	c, err := r.categoryOf()
	if err != nil {
		return answer{}, err
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		return redirect(categoriesPath, "Deleted "+c.Name), d.Commerce.DeleteCategory(tx, c.ID, commerce.Expected{})
	})
}
