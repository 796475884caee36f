package dashboard

import (
	"slices"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
)

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
		out := redirect(p.path(""), r.say("Changed %s to: %s", p.product.SKU, productBadges[to].Word))
		return out.undo(undo{Action: p.path("/status"), Fields: map[string]string{"status": string(p.product.Status)}}), err
	})
}

// publishProduct serves POST /products/{id}/publish.
func (d *Dashboard) publishProduct(r *request) (answer, error) {
	return d.onChannel(r, func(tx *db.Tx, p productPage, c channels.Channel) (answer, error) {
		_, err := d.Commerce.PublishProducts(tx, c.ID, []id.Product{p.product.ID}, nil)
		return redirect(p.path(""), r.say("Published on %s", c.Name)).undo(undo{Action: p.path("/unpublish"),
			Fields: map[string]string{"channelId": string(c.ID)}}), err
	})
}

// unpublishProduct serves POST /products/{id}/unpublish.
func (d *Dashboard) unpublishProduct(r *request) (answer, error) {
	return d.onChannel(r, func(tx *db.Tx, p productPage, c channels.Channel) (answer, error) {
		err := d.Commerce.UnpublishProduct(tx, c, p.product.ID)
		return redirect(p.path(""), r.say("Unpublished from %s", c.Name)).undo(undo{Action: p.path("/publish"),
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
			return redirect("/products", r.say("Deleted %s", p.product.SKU)), d.Commerce.DeleteProduct(tx, r.caller(), p.product.ID, commerce.Expected{})
		})
	})
}
