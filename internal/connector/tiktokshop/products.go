package tiktokshop

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"entrepot/internal/connector"
)

// product is a product of the shop. The search returns less of it than the product's own read.
type product struct {
	ID     connector.ID `json:"id"`
	Status string       `json:"status"`
	Text   string       `json:"description"`
	Audit  struct {
		Status string `json:"status"`
	} `json:"audit"`
	Reasons []struct {
		Position string   `json:"position"`
		Reasons  []string `json:"reasons"`
	} `json:"audit_failed_reasons"`
	Chain []struct {
		ID   connector.ID `json:"id"`
		Leaf bool         `json:"is_leaf"`
	} `json:"category_chains"`
	SKUs  []sku `json:"skus"`
	Brand struct {
		ID connector.ID `json:"id"`
	} `json:"brand"`
	Attributes []struct {
		ID     connector.ID `json:"id"`
		Values []value      `json:"values"`
	} `json:"product_attributes"`
	SizeChart    map[string]any   `json:"size_chart"`
	Certificates []map[string]any `json:"certifications"`
}

// values are those of an attribute that a product has in the shop.
func (p *product) values(attribute connector.ID) (list []fields) {
	if p == nil {
		return nil
	}
	for _, a := range p.Attributes {
		for _, v := range a.Values {
			if a.ID == attribute && v.ID != "" {
				list = append(list, fields{"id": string(v.ID)})
			} else if a.ID == attribute {
				list = append(list, fields{"name": v.Name})
			}
		}
	}
	return list
}

type sku struct {
	ID     connector.ID   `json:"id"`
	SKU    string         `json:"seller_sku"`
	Number map[string]any `json:"identifier_code"`
}

func (p *product) sku(name string) string {
	for _, one := range p.SKUs {
		if one.SKU == name {
			return string(one.ID)
		}
	}
	return ""
}

const productsPath = "/product/202309/products"

// Upsert puts products into the shop, where they are audited before buyers see them. It searches for existing ones
// first.
func (s *session) Upsert(ctx context.Context, products []connector.Product) ([]connector.Result, error) {
	var skus []string
	for i := range products {
		skus = append(skus, products[i].FormSKUs()...)
	}
	there, err := s.search(ctx, skus)
	if err != nil {
		return nil, err
	}
	return connector.UpsertEach(products, func(p *connector.Product) ([]connector.Result, error) { return s.upsert(ctx, p, there) })
}

// search finds the products that have one of some SKUs.
func (s *session) search(ctx context.Context, skus []string) (found []product, err error) {
	for piece := range slices.Chunk(skus, 50) {
		some, err := s.searchSome(ctx, piece)
		if err != nil {
			return nil, err
		}
		for _, p := range some {
			if p.Status != "DELETED" && !slices.ContainsFunc(found, func(f product) bool { return f.ID == p.ID }) {
				found = append(found, p)
			}
		}
	}
	return found, nil
}

// searchSome reads all pages of one search.
func (s *session) searchSome(ctx context.Context, skus []string) (found []product, err error) {
	for query := (url.Values{"page_size": {"100"}}); ; {
		var out struct {
			Next     string    `json:"next_page_token"`
			Products []product `json:"products"`
		}
		if _, err := s.call(connector.Repeatable(ctx), request{method: http.MethodPost, path: "/product/202502/products/search",
			query: query, body: fields{"seller_skus": skus}}, &out); err != nil {
			return nil, err
		}
		if found = append(found, out.Products...); out.Next == "" || len(out.Products) == 0 {
			return found, nil
		}
		query.Set("page_token", out.Next)
	}
}

// whole reads a product. Errors: Failure Missing when the shop does not have it any more.
func (s *session) whole(ctx context.Context, id string) (*product, error) {
	var p product
	_, err := s.call(ctx, request{method: http.MethodGet, path: productsPath + "/" + url.PathEscape(id)}, &p)
	if connector.Is(err, connector.Rejected) || err == nil && (p.Status == "DELETED" || p.ID == "") {
		return nil, connector.Failf(connector.Missing, "the shop has no product %s", id)
	}
	return &p, err
}

// mine is the shop's product for p: the one of the last push, else the one that has exactly its SKUs; nil for none.
func (s *session) mine(ctx context.Context, p *connector.Product, there []product) (*product, error) {
	own := p.Forms()
	ours := func(name string) bool {
		return slices.ContainsFunc(own, func(f connector.Variant) bool { return f.SKU == name }) ||
			slices.ContainsFunc(p.Dropped, func(d connector.Item) bool { return d.SKU == name })
	}
	known := slices.ContainsFunc(there, func(one product) bool { return string(one.ID) == p.Known.Product })
	id := ""
	for _, one := range there {
		at := slices.IndexFunc(one.SKUs, func(k sku) bool {
			return slices.ContainsFunc(own, func(f connector.Variant) bool { return f.SKU == k.SKU })
		})
		if at < 0 {
			continue
		}
		foreign := slices.IndexFunc(one.SKUs, func(k sku) bool { return !ours(k.SKU) })
		switch {
		case string(one.ID) == p.Known.Product:
		case foreign >= 0:
			return nil, connector.Failf(connector.Rejected, "the SKU %s belongs to another product of the shop, beside %s", one.SKUs[at].SKU,
				one.SKUs[foreign].SKU)
		case id != "" || known:
			return nil, connector.Failf(connector.Rejected, "the shop has the SKU %s in more than one product", one.SKUs[at].SKU)
		}
		id = string(one.ID)
	}
	if id = cmp.Or(id, p.Known.Product); id == "" {
		return nil, nil
	}
	found, err := s.whole(ctx, id)
	if connector.Is(err, connector.Missing) {
		return nil, nil
	}
	return found, err
}

func (s *session) upsert(ctx context.Context, p *connector.Product, there []product) ([]connector.Result, error) {
	old, err := s.mine(ctx, p, there)
	if err != nil {
		return nil, err
	}
	if err := allowed(p, old); err != nil {
		return nil, err
	}
	if len(p.Images) == 0 && p.OnSale {
		return nil, connector.Failf(connector.Rejected, "TikTok Shop lists nothing without a picture")
	}
	body, err := s.content(ctx, p, old)
	if err != nil {
		return nil, err
	}
	images, err := s.upload(ctx, p)
	if err != nil {
		return nil, err
	}
	finish(body, p, old, images)
	var out struct {
		ID   connector.ID `json:"product_id"`
		SKUs []sku        `json:"skus"`
	}
	if old == nil {
		_, err = s.call(connector.Repeatable(ctx), request{method: http.MethodPost, path: productsPath, body: body}, &out)
	} else {
		out.ID = old.ID
		_, err = s.call(connector.Repeatable(ctx), request{method: http.MethodPut, path: "/product/202509/products/" + string(old.ID),
			body: body}, &out)
	}
	made := &product{ID: out.ID, SKUs: out.SKUs}
	if err == nil && old != nil {
		err = s.show(ctx, p, old)
	}
	if f := connector.FailureOf(err); f != nil {
		if !f.Lasting() || f.Kind == connector.Unauthorized || f.Kind == connector.Forbidden {
			return nil, err
		}
		return failed(p, images, f), nil // the pictures are there already: they are sent once
	}
	return results(p, old, made, images), nil
}

// mostSKU is how many characters a SKU may have.
const mostSKU = 50

// allowed refuses SKUs that TikTok accepts of no product, unless it has accepted them before.
func allowed(p *connector.Product, old *product) error {
	for _, f := range p.Forms() {
		if old != nil && old.sku(f.SKU) != "" {
			continue
		}
		if strings.ContainsFunc(f.SKU, unicode.IsSpace) || utf8.RuneCountInString(f.SKU) > mostSKU {
			return connector.Failf(connector.Rejected,
				"TikTok Shop takes no SKU with spaces or more than %d characters, such as %q: give it another one", mostSKU, f.SKU)
		}
	}
	return nil
}

// show takes a product that was off sale on sale, or the other way round.
func (s *session) show(ctx context.Context, p *connector.Product, old *product) error {
	switch {
	case p.OnSale && old.Status == sellerOff:
		return s.turn(ctx, "activate", string(old.ID))
	case !p.OnSale && (old.Status == "ACTIVATE" || old.Status == "PENDING"):
		return s.turn(ctx, "deactivate", string(old.ID))
	}
	return nil
}

// turn takes a product on sale or off. TikTok refuses to do it twice, and the first answer may be lost.
func (s *session) turn(ctx context.Context, how, id string) error {
	err := s.changeOne(ctx, http.MethodPost, productsPath+"/"+how, id)
	if connector.Is(err, connector.Rejected) {
		if now, failed := s.whole(ctx, id); failed == nil && (now.Status == sellerOff) == (how == "deactivate") {
			return nil
		}
	}
	return err
}

// sellerOff is the status of a product that its seller has taken off sale.
const sellerOff = "SELLER_DEACTIVATED"

// changeOne does something with one product by a call that takes several, and refuses them by items of an answer with
// code 0.
func (s *session) changeOne(ctx context.Context, method, path, id string) error {
	var refused itemErrors
	_, err := s.call(connector.Repeatable(ctx), request{method: method, path: path, body: fields{"product_ids": []string{id}}}, &refused)
	if err == nil && len(refused.Errors) > 0 {
		err = connector.Failf(connector.Rejected, "%s", connector.Line(refused.Errors[0].Message))
	}
	return err
}

// Unpublish takes products off sale; remove takes them away.
func (s *session) Unpublish(ctx context.Context, items []connector.Item, remove bool) ([]connector.Result, error) {
	return connector.UnpublishEach(items, func(it connector.Item) string { return it.IDs.Product }, func(id string) error {
		there, err := s.whole(ctx, id)
		if err != nil {
			return err
		}
		if !remove {
			if there.Status == sellerOff || there.Status == "DRAFT" || there.Status == "FAILED" {
				return nil
			}
			return s.turn(ctx, "deactivate", id)
		}
		err = s.changeOne(ctx, http.MethodDelete, productsPath, id)
		if connector.Is(err, connector.Rejected) { // it is gone if the answer of the first time was lost
			if _, failed := s.whole(ctx, id); connector.Is(failed, connector.Missing) {
				return failed
			}
		}
		return err
	})
}

// results are the results for a product that the shop accepted. A new one has its price and is audited before it is
// live; the previous version of a live one stays on sale until its change is audited.
func results(p *connector.Product, old, made *product, images map[string]string) []connector.Result {
	state, operation, review := connector.Waiting, string(made.ID)+" "+p.Forms()[0].SKU, ""
	switch {
	case !p.OnSale:
		state, operation = connector.Live, ""
	case old != nil && old.Status == "ACTIVATE":
		state, operation, review = connector.Live, "", operation
	}
	one := func(name string) connector.Result {
		r := connector.Result{SKU: name, State: state, Operation: operation, Review: review, Priced: old == nil,
			IDs: connector.IDs{Product: string(made.ID), Variant: made.sku(name)}}
		if r.IDs.Variant == "" && old != nil {
			r.IDs.Variant = old.sku(name)
		}
		if !p.OnSale {
			r.IDs.Other = map[string]string{connector.HiddenID: "1"}
		}
		return r
	}
	list := p.Results(one)
	list[0].Images = images
	return list
}

// failed are the results for a product that the shop refused.
func failed(p *connector.Product, images map[string]string, f *connector.Failure) []connector.Result {
	list := connector.FailedProduct(p, f, false)
	list[0].Images = images
	return list
}
