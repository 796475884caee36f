package dashboard

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
)

// newProductForm asks for what a product needs at least.
func newProductForm(r *request) *form {
	return r.form(
		"/products/new",
		field{Name: "name", Label: "Name", Required: true, Focus: true, Max: limits.MaxProductName},
		field{
			Name:     "sku",
			Label:    "SKU",
			Required: true,
			Mono:     true,
			Max:      apijson.MaxText,
			Unique:   true,
			Hint:     "it stays for good: orders and stock know the product by it",
		},
		field{Name: "price", Label: r.say("Price in %s", r.caller().Currency), Kind: "decimal", Required: true,
			Digits: money.Digits(r.caller().Currency)},
		field{Name: "status", Label: "Status", Kind: "select", Value: string(catalog.DraftStatus), Options: statusOptions()},
	)
}

func statusOptions() (list []option) {
	for _, s := range catalog.Statuses {
		list = append(list, option{Value: string(s), Label: productBadges[s].Word})
	}
	return list
}

// newProduct serves GET /products/new.
func (d *Dashboard) newProduct(r *request) (answer, error) {
	return show(screen{Template: "form", Title: "New product", Section: "/products", Crumbs: []crumb{{"Products", "/products"}},
		Data: formView{Form: newProductForm(r), Label: "Create product", Back: prefix + "/products"}}), nil
}

// createProduct serves POST /products/new.
func (d *Dashboard) createProduct(r *request) (answer, error) {
	return r.submit(newProductForm(r), d.newProduct, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadProduct(o, drafts.ToCreate)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			p, err := d.Commerce.CreateProduct(tx, r.caller(), draft)
			if err != nil {
				return answer{}, err
			}
			return redirect("/products/"+string(p.ID), r.say("Created %s", p.SKU)), nil
		})
	})
}
