package dashboard

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/id"
	"entrepot/internal/patch"
)

// changeProduct runs a form of the page that changes the product by a draft; words is the message afterwards.
func (d *Dashboard) changeProduct(
	r *request,
	build func(productPage) *form,
	words string,
	read func(f *form, p productPage) (catalog.Draft, error),
) (
	answer, error) {
	p, err := r.readProductPage()
	if err != nil {
		return answer{}, err
	}
	f := build(p)
	if f == nil {
		return answer{}, apperr.New(apperr.Conflict, "conflict", "there is nothing to enter here any more")
	}
	return r.submit(f, d.showProduct, func(f *form) (answer, error) {
		draft, err := read(f, p)
		if err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.UpdateProduct(tx, r.caller(), p.product.ID, commerce.Expected{}, draft)
			return redirect(p.path(""), words), err
		})
	})
}

func readChange(f *form, _ productPage) (catalog.Draft, error) {
	o := f.Object()
	draft := drafts.ReadProduct(o, drafts.ToUpdate)
	return draft, o.Err()
}

// updateProduct serves POST /products/{id}.
func (d *Dashboard) updateProduct(r *request) (answer, error) {
	return d.changeProduct(r, func(p productPage) *form { return p.fields(r) }, "Saved", readChange)
}

// updateCategories serves POST /products/{id}/categories: those that are ticked, and the one that was named.
func (d *Dashboard) updateCategories(r *request) (answer, error) {
	return d.changeProduct(r, func(p productPage) *form { return p.categoryForm(r) }, "Saved",
		func(f *form, p productPage) (catalog.Draft, error) {
			draft, err := readChange(f, p)
			said := strings.TrimSpace(f.Value("add"))
			if err != nil || said == "" || f.find("add") == nil {
				return draft, err
			}
			return draft, r.readWide(func(tx *db.Tx) error {
				which, err := categoryNamed(tx, "add", said)
				draft.Categories.Value = append(slices.Clone(draft.Categories.Value), string(which))
				return err
			})
		})
}

// updateVariants serves POST /products/{id}/variants.
func (d *Dashboard) updateVariants(r *request) (answer, error) {
	return d.changeProduct(r, func(p productPage) *form { return p.variants(r) }, "Variants saved", readChange)
}

// updateImages serves POST /products/{id}/images: blank entries are removed.
func (d *Dashboard) updateImages(r *request) (answer, error) {
	return d.changeProduct(
		r,
		func(p productPage) *form { return p.images(r) },
		"Images saved",
		func(f *form, p productPage) (catalog.Draft, error) {
			draft, err := readChange(f, p)
			if !draft.Images.Set {
				draft.Images = patch.To([]catalog.ImageDraft{})
			}
			return draft, err
		},
	)
}

// updateAttributes serves POST /products/{id}/attributes: blank ones are removed, and those that the form does not have stay.
func (d *Dashboard) updateAttributes(r *request) (answer, error) {
	return d.changeProduct(r, func(p productPage) *form { return p.attributeForm(r) }, "Attributes saved",
		func(f *form, p productPage) (catalog.Draft, error) {
			values := attributesOf(p.product)
			types := map[string]catalog.AttributeType{}
			for _, a := range p.attributes {
				types[a.Code] = a.Type
			}
			for _, in := range f.Fields {
				code := strings.TrimPrefix(in.Name, "value-")
				if f.Value(in.Name) == in.shown { // an unchanged value keeps its type
					continue
				}
				value, err := attributeValue(types[code], strings.TrimSpace(f.Value(in.Name)), f.point)
				switch {
				case err != nil:
					return catalog.Draft{}, apperr.At(in.Name, "%s", err.Error())
				case value == nil:
					delete(values, code)
				default:
					values[code] = value
				}
			}
			whole, err := json.Marshal(values)
			return catalog.Draft{Attributes: patch.To(string(whole))}, err
		})
}

// attributeValue is what was typed, as JSON of the attribute's type; nil for nothing. point is what the locale writes before decimals.
func attributeValue(kind catalog.AttributeType, said, point string) (json.RawMessage, error) {
	if said == "" {
		return nil, nil
	}
	switch kind {
	case "number":
		plain, unclear := typedDecimal(said, point, 3)
		if unclear != "" {
			return nil, apperr.New(apperr.Invalid, "validation_failed", "%s", unclear)
		}
		if !numeral.MatchString(plain) {
			return nil, apperr.New(apperr.Invalid, "validation_failed", "must be a number")
		}
		return json.RawMessage(plain), nil
	case "boolean":
		return json.RawMessage(strconv.FormatBool(said == "true")), nil
	}
	return text(said), nil
}

// setStatus serves POST /products/{id}/status; its undo is the same action with the previous status.
func (d *Dashboard) setStatus(r *request) (answer, error) {
	p, err := r.readProductPage()
	if err != nil {
		return answer{}, err
	}
	to := catalog.Status(r.http.PostForm.Get("status"))
	if !slices.Contains(catalog.Statuses, to) {
		return answer{}, apperr.New(apperr.Invalid, "validation_failed", "there is no such status")
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		_, err := d.Commerce.UpdateProduct(tx, r.caller(), p.product.ID, commerce.Expected{}, catalog.Draft{Status: patch.To(to)})
		out := redirect(p.path(""), p.product.SKU+" is now: "+productBadges[to].Word)
		return out.undo(undo{Action: p.path("/status"), Fields: map[string]string{"status": string(p.product.Status)}}), err
	})
}

// publishProduct serves POST /products/{id}/publish.
func (d *Dashboard) publishProduct(r *request) (answer, error) {
	return d.onChannel(r, func(tx *db.Tx, p productPage, c channels.Channel) (answer, error) {
		_, err := d.Commerce.PublishProducts(tx, c.ID, []id.Product{p.product.ID}, nil)
		return redirect(p.path(""), "Published on "+c.Name).undo(undo{Action: p.path("/unpublish"),
			Fields: map[string]string{"channelId": string(c.ID)}}), err
	})
}

// unpublishProduct serves POST /products/{id}/unpublish.
func (d *Dashboard) unpublishProduct(r *request) (answer, error) {
	return d.onChannel(r, func(tx *db.Tx, p productPage, c channels.Channel) (answer, error) {
		err := d.Commerce.UnpublishProduct(tx, c, p.product.ID)
		return redirect(p.path(""), "No longer on "+c.Name).undo(undo{Action: p.path("/publish"),
			Fields: map[string]string{"channelId": string(c.ID)}}), err
	})
}

func (d *Dashboard) onChannel(r *request, run func(tx *db.Tx, p productPage, c channels.Channel) (answer, error)) (answer, error) {
	p, err := r.readProductPage()
	if err != nil {
		return answer{}, err
	}
	channel, ok := id.Parse[id.Channel](r.http.PostForm.Get("channelId"))
	if !ok {
		return answer{}, apperr.Missing("channel")
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		c, err := channels.ByID(tx, channel)
		if err != nil {
			return answer{}, err
		}
		return run(tx, p, c)
	})
}

// deleteProduct serves POST /products/{id}/delete.
func (d *Dashboard) deleteProduct(r *request) (answer, error) {
	p, err := r.readProductPage()
	if err != nil {
		return answer{}, err
	}
	f := r.form(p.path("/delete"), field{Name: "typed", Label: "Type the SKU to delete it", Required: true, Mono: true})
	return r.submit(f, d.showProduct, func(f *form) (answer, error) {
		if strings.TrimSpace(f.Value("typed")) != p.product.SKU {
			return answer{}, apperr.At("typed", "must be %s", p.product.SKU)
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			return redirect("/products", "Deleted "+p.product.SKU), d.Commerce.DeleteProduct(tx, r.caller(), p.product.ID, commerce.Expected{})
		})
	})
}
