package tiktokshop

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/connector"
	"entrepot/internal/money"
)

// product is a product that the shop has. The search gives less of it than the product itself.
type product struct {
	ID      connector.ID `json:"id"`
	Status  string       `json:"status"`
	Reasons []struct {
		Position string   `json:"position"`
		Reasons  []string `json:"reasons"`
	} `json:"audit_failed_reasons"`
	Chain []struct {
		ID   connector.ID `json:"id"`
		Leaf bool         `json:"is_leaf"`
	} `json:"category_chains"`
	SKUs []sku `json:"skus"`
}

type sku struct {
	ID  connector.ID `json:"id"`
	SKU string       `json:"seller_sku"`
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

// form is one thing that is sold: a product without variants, or a variant.
type form struct {
	sku        string
	price      money.Amount
	quantity   int64
	attributes []connector.Attribute
}

func forms(p *connector.Product) []form {
	if len(p.Variants) == 0 {
		return []form{{p.SKU, p.Price, p.Quantity, nil}}
	}
	var list []form
	for _, v := range p.Variants {
		list = append(list, form{v.SKU, v.Price, v.Quantity, v.Attributes})
	}
	return list
}

// Upsert puts products into the shop, where they are audited before buyers see them. What the shop has of all of them is looked for first.
func (s *session) Upsert(ctx context.Context, products []connector.Product) ([]connector.Result, error) {
	var skus []string
	for i := range products {
		for _, f := range forms(&products[i]) {
			skus = append(skus, f.sku)
		}
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
		query := url.Values{"page_size": {"100"}}
		for {
			var out struct {
				Next     string    `json:"next_page_token"`
				Products []product `json:"products"`
			}
			if _, err := s.call(connector.Repeatable(ctx), request{method: http.MethodPost, path: "/product/202502/products/search",
				query: query, body: fields{"seller_skus": piece}}, &out); err != nil {
				return nil, err
			}
			for _, p := range out.Products {
				if p.Status != "DELETED" && !slices.ContainsFunc(found, func(f product) bool { return f.ID == p.ID }) {
					found = append(found, p)
				}
			}
			if out.Next == "" || len(out.Products) == 0 {
				break
			}
			query.Set("page_token", out.Next)
		}
	}
	return found, nil
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

// mine is the product of the shop that p is: the one of the last time, else the one that has its SKUs and none but these; nil for none.
func (s *session) mine(ctx context.Context, p *connector.Product, there []product) (*product, error) {
	own := forms(p)
	ours := func(name string) bool {
		return slices.ContainsFunc(own, func(f form) bool { return f.sku == name }) ||
			slices.ContainsFunc(p.Dropped, func(d connector.Item) bool { return d.SKU == name })
	}
	id := ""
	for _, one := range there {
		at := slices.IndexFunc(one.SKUs, func(k sku) bool { return slices.ContainsFunc(own, func(f form) bool { return f.sku == k.SKU }) })
		if at < 0 {
			continue
		}
		foreign := slices.IndexFunc(one.SKUs, func(k sku) bool { return !ours(k.SKU) })
		switch {
		case string(one.ID) == p.Known.Product:
		case foreign >= 0:
			return nil, connector.Failf(connector.Rejected, "the SKU %s belongs to another product of the shop, beside %s", one.SKUs[at].SKU,
				one.SKUs[foreign].SKU)
		case id != "" || p.Known.Product != "":
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
	if len(p.Images) == 0 && p.OnSale {
		return nil, connector.Failf(connector.Rejected, "TikTok Shop lists nothing without a picture")
	}
	images, err := s.upload(ctx, p)
	if err != nil {
		return nil, err
	}
	body, err := s.content(ctx, p, old, images)
	if err != nil {
		return nil, err
	}
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

// show takes a product that was off sale on sale, or the other way round.
func (s *session) show(ctx context.Context, p *connector.Product, old *product) error {
	switch {
	case p.OnSale && old.Status == "SELLER_DEACTIVATED":
		return s.turn(ctx, "activate", string(old.ID))
	case !p.OnSale && (old.Status == "ACTIVATE" || old.Status == "PENDING"):
		return s.turn(ctx, "deactivate", string(old.ID))
	}
	return nil
}

// turn takes a product on sale or off.
func (s *session) turn(ctx context.Context, how, id string) error {
	var refused itemErrors
	_, err := s.call(connector.Repeatable(ctx), request{method: http.MethodPost, path: productsPath + "/" + how,
		body: fields{"product_ids": []string{id}}}, &refused)
	if err == nil && len(refused.Errors) > 0 {
		err = connector.Failf(connector.Rejected, "%s", connector.Line(refused.Errors[0].Message))
	}
	return err
}

// content is what the shop shall have of a product, whole: what is left out would be gone.
func (s *session) content(ctx context.Context, p *connector.Product, old *product, images map[string]string) (fields, error) {
	warehouse, err := s.salesWarehouse(ctx)
	if err != nil {
		return nil, err
	}
	market, err := s.market(ctx)
	if err != nil {
		return nil, err
	}
	category, err := s.category(ctx, p, old)
	if err != nil {
		return nil, err
	}
	var pictures []fields
	for _, image := range p.Images[:min(len(p.Images), mostImages)] {
		pictures = append(pictures, fields{"uri": images[image.ID]})
	}
	var skus []fields
	for _, f := range forms(p) {
		one := fields{"seller_sku": f.sku, "external_sku_id": f.sku,
			"price": fields{"amount": f.price.Text(p.Currency), "currency": p.Currency}}
		if old != nil && old.sku(f.sku) != "" {
			one["id"] = old.sku(f.sku)
		}
		if f.quantity != connector.NotOurs || old == nil {
			one["inventory"] = []fields{{"warehouse_id": warehouse, "quantity": max(f.quantity, 0)}}
		}
		var attributes []fields
		for _, a := range f.attributes {
			attributes = append(attributes, fields{"name": cut(a.Name, 20), "value_name": cut(a.Value, 50)})
		}
		if len(attributes) > 0 {
			one["sales_attributes"] = attributes
		}
		skus = append(skus, one)
	}
	weight := cmp.Or(s.link.Channel.Value("packageWeight"), "0.5")
	body := fields{"title": cut(p.Name, 255), "description": cmp.Or(p.Description, p.Name), "category_id": category,
		"category_version": market.categories(), "main_images": pictures, "external_product_id": p.ID, "skus": skus, "save_mode": "LISTING",
		"package_weight": fields{"value": weight, "unit": market.weight()}}
	if size := strings.Split(s.link.Channel.Value("packageSize"), "x"); len(size) == 3 {
		body["package_dimensions"] = fields{"length": size[0], "width": size[1], "height": size[2], "unit": market.length()}
	}
	if !p.OnSale && old == nil {
		body["save_mode"] = "AS_DRAFT"
	}
	if old == nil {
		body["idempotency_key"] = keyOf(body)
	}
	return body, nil
}

// keyOf is the same for the same product with the same content: the shop makes it once, also when the first answer was lost.
func keyOf(body fields) string {
	text, err := json.Marshal(body)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// category is that of the setting categoryId, else the one that the product has in the shop, else the one that TikTok recommends.
func (s *session) category(ctx context.Context, p *connector.Product, old *product) (string, error) {
	if id := s.link.Channel.Value("categoryId"); id != "" {
		return id, nil
	}
	if old != nil {
		for _, c := range old.Chain {
			if c.Leaf {
				return string(c.ID), nil
			}
		}
	}
	market, err := s.market(ctx)
	if err != nil {
		return "", err
	}
	var out struct {
		Leaf connector.ID `json:"leaf_category_id"`
	}
	if _, err := s.call(connector.Repeatable(ctx), request{method: http.MethodPost, path: "/product/202309/categories/recommend",
		body: fields{"product_title": cut(p.Name, 255), "category_version": market.categories()}}, &out); err != nil {
		return "", err
	}
	if out.Leaf == "" {
		return "", connector.Failf(connector.Rejected, "TikTok recommends no category for %q: the channel's setting categoryId can name one",
			cut(p.Name, 80))
	}
	return string(out.Leaf), nil
}

// results says what became of a product that the shop took. A new one is audited before it is live; one that was live stays as it was until
// its change is audited.
func results(p *connector.Product, old, made *product, images map[string]string) []connector.Result {
	state, operation := connector.Waiting, string(made.ID)+" "+forms(p)[0].sku
	if !p.OnSale || old != nil && old.Status == "ACTIVATE" {
		state, operation = connector.Live, ""
	}
	one := func(name string) connector.Result {
		r := connector.Result{SKU: name, State: state, Operation: operation, IDs: connector.IDs{Product: string(made.ID), Variant: made.sku(name)}}
		if r.IDs.Variant == "" && old != nil {
			r.IDs.Variant = old.sku(name)
		}
		return r
	}
	first := one(p.SKU)
	first.Images = images
	list := []connector.Result{first}
	for _, v := range p.Variants {
		list = append(list, one(v.SKU))
	}
	return list
}

// failed says of each SKU of a product why the shop refused it.
func failed(p *connector.Product, images map[string]string, f *connector.Failure) []connector.Result {
	list := []connector.Result{{SKU: p.SKU, State: connector.Failed, Error: p.SKU + ": " + f.Error(), Images: images}}
	for _, v := range p.Variants {
		list = append(list, connector.Result{SKU: v.SKU, State: connector.Failed, Error: v.SKU + ": " + f.Error()})
	}
	return list
}

// Poll asks what became of audits: all of them at once by the search, and of one that failed by the product itself, which has the reasons.
func (s *session) Poll(ctx context.Context, operations []string) ([]connector.Result, error) {
	var skus []string
	for _, operation := range operations {
		_, sku, _ := strings.Cut(operation, " ")
		skus = append(skus, sku)
	}
	there, err := s.search(ctx, skus)
	if err != nil {
		return nil, err
	}
	var list []connector.Result
	for _, operation := range operations {
		id, _, _ := strings.Cut(operation, " ")
		i := slices.IndexFunc(there, func(p product) bool { return string(p.ID) == id })
		if i >= 0 && there[i].Status != "FAILED" {
			list = append(list, there[i].outcome(operation))
			continue
		}
		p, err := s.whole(ctx, id)
		switch {
		case connector.Is(err, connector.Missing):
			list = append(list, connector.Result{Operation: operation, State: connector.Gone, Error: "gone on the platform"})
		case err != nil:
			return list, err
		default:
			list = append(list, p.outcome(operation))
		}
	}
	return list, nil
}

// outcome is what a product's state means for the operation that it belongs to.
func (p *product) outcome(operation string) connector.Result {
	r := connector.Result{Operation: operation, State: connector.Live}
	switch p.Status {
	case "FAILED":
		r.State, r.Error = connector.Failed, "the audit refused it: "+p.reasons()
	case "PENDING", "DRAFT":
		r.State = connector.Waiting
	case "PLATFORM_DEACTIVATED", "FREEZE":
		r.State, r.Error = connector.Failed, "TikTok took it off sale: "+p.reasons()
	}
	return r
}

// reasons are those of the audit, for people.
func (p *product) reasons() string {
	var parts []string
	for _, r := range p.Reasons {
		parts = append(parts, strings.TrimPrefix(r.Position+": "+strings.Join(r.Reasons, ", "), ": "))
	}
	return cmp.Or(connector.Line(strings.Join(parts, "; ")), "TikTok gives no reason")
}

// Unpublish takes products off sale; remove takes them away.
func (s *session) Unpublish(ctx context.Context, items []connector.Item, remove bool) ([]connector.Result, error) {
	return connector.UnpublishEach(items, func(it connector.Item) string { return it.IDs.Product }, func(id string) error {
		there, err := s.whole(ctx, id)
		if err != nil {
			return err
		}
		if !remove {
			if there.Status == "SELLER_DEACTIVATED" || there.Status == "DRAFT" || there.Status == "FAILED" {
				return nil
			}
			return s.turn(ctx, "deactivate", id)
		}
		_, err = s.call(connector.Repeatable(ctx), request{method: http.MethodDelete, path: productsPath,
			body: fields{"product_ids": []string{id}}}, nil)
		return err
	})
}

func cut(text string, most int) string {
	if r := []rune(strings.TrimSpace(text)); len(r) > most {
		return string(r[:most])
	}
	return strings.TrimSpace(text)
}
