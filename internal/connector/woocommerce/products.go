package woocommerce

import (
	"context"
	"fmt"
	"html"
	"maps"
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/connector"
)

// skusPerCall limits a request by SKU, because the SKUs are in the URL.
const skusPerCall = 40

// productFields are the members of found.
const productFields = "id,sku,type,parent_id,status,permalink,manage_stock,stock_quantity,images,attributes,categories"

// found is a product or variation as the shop shows it.
type found struct {
	ID        flexible `json:"id"`
	SKU       flexible `json:"sku"`
	Type      string   `json:"type"`
	Parent    flexible `json:"parent_id"`
	Status    string   `json:"status"`
	Permalink string   `json:"permalink"`
	Managed   flexible `json:"manage_stock"` // true, false, or "parent"
	Quantity  flexible `json:"stock_quantity"`
	Images    []struct {
		ID flexible `json:"id"`
	} `json:"images"`
	Attributes several[attribute] `json:"attributes"`
	Categories several[struct {
		ID   flexible `json:"id"`
		Slug string   `json:"slug"`
	}] `json:"categories"`
	Error *problem `json:"error"`
}

func (f found) variation() bool { return f.Type == "variation" }

// special reports whether a product is of a kind that a plugin or the merchant made it, such as a bundle or a
// subscription: it stays.
func (f found) special() bool { return f.Type != "" && f.Type != "simple" && f.Type != "variable" }

// inCalls divides SKUs for requests, which name them with commas between them: a SKU that has some itself is
// requested alone.
func inCalls(skus []string) (calls [][]string) {
	var plain []string
	for _, sku := range skus {
		if strings.Contains(sku, ",") {
			calls = append(calls, []string{sku})
		} else {
			plain = append(plain, sku)
		}
	}
	return append(calls, connector.InAddresses(plain, skusPerCall)...)
}

// bySKU finds products and variations, whatever their status, by the SKUs as they are here. The shop compares without
// case.
func (s *session) bySKU(ctx context.Context, skus []string) (map[string]found, error) {
	var all []found
	for _, piece := range inCalls(skus) {
		there, err := list[found](ctx, s, "/products", url.Values{"sku": {strings.Join(piece, ",")}, "status": {"any"},
			"_fields": {productFields}})
		if err != nil {
			return nil, err
		}
		all = append(all, there...)
	}
	out := map[string]found{}
	for _, f := range all {
		sku := html.UnescapeString(string(f.SKU))
		for _, ours := range skus {
			if _, has := out[ours]; strings.EqualFold(ours, sku) && (!has || ours == sku) {
				out[ours] = f
			}
		}
	}
	return out, nil
}

// byIDs finds products and variations by the ids of the last push: their merchant may have given them other SKUs
// since. Products in the bin are left out.
func (s *session) byIDs(ctx context.Context, items []connector.Item) (map[string]found, error) {
	out := map[string]found{}
	byPath := map[string]map[string]string{} // SKUs by the ids below an address
	for _, i := range items {
		path := "/products"
		if i.IDs.Variant != "" {
			path = "/products/" + i.IDs.Product + "/variations"
		}
		if id := (row{Item: i}).external(); id != "" {
			if byPath[path] == nil {
				byPath[path] = map[string]string{}
			}
			byPath[path][id] = i.SKU
		}
	}
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		there, err := s.included(ctx, path, slices.Sorted(maps.Keys(byPath[path])))
		if err != nil {
			return nil, err
		}
		for _, f := range there {
			if sku, known := byPath[path][string(f.ID)]; known && f.Status != "trash" {
				out[sku] = f
			}
		}
	}
	return out, nil
}

// included reads what is below an address by ids: nothing if the product above the variations is gone.
func (s *session) included(ctx context.Context, path string, ids []string) (all []found, err error) {
	for piece := range slices.Chunk(ids, pageOf) {
		var some []found
		_, err := s.get(ctx, path, url.Values{"include": {strings.Join(piece, ",")}, "per_page": {"100"}, "status": {"any"},
			"_fields": {productFields}}, &some)
		if connector.Is(err, connector.Missing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// addKnown adds what the shop has of products under other SKUs than ours: it was pushed before, and gets ours again.
func (s *session) addKnown(ctx context.Context, products []connector.Product, there map[string]found) error {
	var items []connector.Item
	add := func(sku string, ids connector.IDs) {
		if _, has := there[sku]; !has && ids.Product != "" {
			items = append(items, connector.Item{SKU: sku, IDs: ids})
		}
	}
	for _, p := range products {
		add(p.SKU, connector.IDs{Product: p.Known.Product})
		for _, v := range p.Variants {
			if v.Known.Variant != "" {
				add(v.SKU, v.Known)
			}
		}
	}
	found, err := s.byIDs(ctx, items)
	for _, i := range items {
		f, has := found[i.SKU]
		if !has {
			continue
		}
		if i.IDs.Variant != "" {
			f.Type, f.Parent = "variation", flexible(i.IDs.Product)
		}
		there[i.SKU] = f
	}
	return err
}

// upsert is one product on its way.
type upsert struct {
	connector.Product
	there  found             // zero when the shop does not have it
	forms  map[string]found  // its variations that the shop has
	others []string          // the shop's ids of pictures that the merchant has added
	sent   map[string]string // what this push gives the product, to tell it from what the merchant adds
	result connector.Result
	failed []connector.Result // of variants
	live   []connector.Result
}

func (u *upsert) fail(again bool, format string, args ...any) {
	u.result.State, u.result.Error, u.result.Again = connector.Failed, fmt.Sprintf(format, args...), again
}

// Upsert puts products on sale. Existing ones are found by SKU first, so that a push whose answer was lost doubles
// nothing. A product with variants is a draft until all of them exist.
func (s *session) Upsert(ctx context.Context, products []connector.Product) ([]connector.Result, error) {
	products = connector.Choosable(products)
	var skus []string
	for i := range products {
		skus = append(skus, products[i].SKUs()...)
	}
	there, err := s.bySKU(ctx, skus)
	if err != nil {
		return nil, err
	}
	if err := s.addKnown(ctx, products, there); err != nil {
		return nil, err
	}
	if err := s.addParents(ctx, products, there); err != nil {
		return nil, err
	}
	list := make([]*upsert, len(products))
	for i, p := range products {
		list[i] = &upsert{Product: p, forms: map[string]found{}, result: connector.Result{SKU: p.SKU, State: connector.Live}}
		list[i].claim(there)
	}
	for _, step := range []func(context.Context, []*upsert) error{s.putProducts, s.putVariations, s.release} {
		if err := step(ctx, list); err != nil {
			return nil, err
		}
	}
	var out []connector.Result
	for _, u := range list {
		if len(u.failed) > 0 && u.result.State == connector.Live {
			u.fail(
				u.failed[0].Again,
				"%s: %s; the product is a draft in the shop until all its variants are there",
				u.failed[0].SKU,
				u.failed[0].Error,
			)
		}
		out = append(out, u.result)
		out = append(append(out, u.failed...), u.live...)
	}
	return out, nil
}

// addParents adds the shop's products without SKU whose variations are the variants of a product here: merchants
// often give SKUs to variations alone.
func (s *session) addParents(ctx context.Context, products []connector.Product, there map[string]found) error {
	skuOf := map[string]string{} // by the shop's id of the product
	for _, p := range products {
		if _, has := there[p.SKU]; has {
			continue
		}
		parents := map[string]bool{}
		for _, v := range p.Variants {
			if form, has := there[v.SKU]; has {
				parents[string(form.Parent)] = true
			}
		}
		if delete(parents, "0"); len(parents) == 1 { // 0 is above what is no variation
			for parent := range parents {
				skuOf[parent] = p.SKU
			}
		}
	}
	if len(skuOf) == 0 {
		return nil
	}
	list, err := s.included(ctx, "/products", slices.Sorted(maps.Keys(skuOf)))
	if err != nil {
		return err
	}
	for _, f := range list {
		if sku, ours := skuOf[string(f.ID)]; ours && f.SKU == "" && !f.variation() {
			there[sku] = f
		}
	}
	return nil
}

// claim finds which of the shop's records are this product, and refuses what is something else.
func (u *upsert) claim(there map[string]found) {
	own, has := there[u.SKU]
	if has && own.variation() {
		u.fail(false, "the SKU belongs to a variation of product %s in the shop", own.Parent)
		return
	}
	if own.special() && len(u.Variants) > 0 && !strings.HasPrefix(own.Type, "variable") {
		u.fail(false, "the SKU belongs to a product of the kind %q in the shop, which has no variations", own.Type)
		return
	}
	u.there = own
	u.claimImages()
	for _, v := range u.Variants {
		form, has := there[v.SKU]
		switch {
		case !has:
		case !form.variation():
			u.fail(false, "the SKU %s of a variant belongs to product %s in the shop", v.SKU, form.ID)
		case string(form.Parent) != string(own.ID):
			u.fail(false, "the SKU %s belongs to a variation of product %s in the shop", v.SKU, form.Parent)
		default:
			u.forms[v.SKU] = form
		}
	}
}

// putProducts creates and changes the products themselves, without variations. Those with new pictures are sent in
// calls of their own, because the shop fetches each picture during the call: one that fails undoes nothing of the
// others.
func (s *session) putProducts(ctx context.Context, list []*upsert) error {
	var plain, pictured []*upsert
	for _, u := range list {
		switch {
		case u.result.State != connector.Live:
		case slices.ContainsFunc(u.Images, func(i connector.Image) bool { return i.Known == "" }):
			pictured = append(pictured, u)
		default:
			plain = append(plain, u)
		}
	}
	size := batchProducts.Of(s.link.Facts, s.link.Now())
	for piece := range slices.Chunk(plain, size) {
		if err := s.putBatch(ctx, piece); err != nil {
			return batchProducts.Failed(s.link.Facts, s.link.Now(), len(piece), err)
		}
	}
	fail := func(i int, f *connector.Failure, again bool) { pictured[i].fail(again, "%s", f.Message) }
	err := connector.Each(len(pictured), func(i int) error { return s.putBatch(ctx, pictured[i:i+1]) }, fail)
	if f := connector.FailureOf(err); f != nil && f.Kind == connector.Temporary && len(plain) > 0 && ctx.Err() == nil {
		for i := range pictured {
			fail(i, f, true)
		}
		return nil
	}
	return err
}

// batchProducts is how many products without new pictures are written at once.
var batchProducts = connector.PageSize{Most: 20, Least: 1, Fact: "products"}

// putBatch writes some products in one call.
func (s *session) putBatch(ctx context.Context, list []*upsert) error {
	if len(list) == 0 {
		return nil
	}
	var create, update []map[string]any
	var made, changed []*upsert
	for _, u := range list {
		body, err := s.productBody(ctx, u)
		switch {
		case err != nil && connector.FailureOf(err).Lasting():
			u.fail(false, "%s", connector.FailureOf(err).Message)
		case err != nil:
			return err
		case u.there.ID == "":
			create, made = append(create, body), append(made, u)
		default:
			body["id"] = u.there.ID.number()
			update, changed = append(update, body), append(changed, u)
		}
	}
	answer, err := s.batch(ctx, "/products/batch", create, update, nil)
	if err != nil {
		return err
	}
	answer.each(made, changed, func(u *upsert, f found) {
		if f.Error != nil {
			u.fail(false, "%s", f.Error.text())
			return
		}
		u.there = f
		u.result.IDs, u.result.URL, u.result.Images = connector.IDs{Product: string(f.ID), Other: u.sent}, f.Permalink, map[string]string{}
		u.result.Priced = len(u.Variants) == 0
		for i := range min(len(u.Images), len(f.Images)) { // in the order in which they were sent
			u.result.Images[u.Images[i].ID] = string(f.Images[i].ID)
		}
	})
	return nil
}

// Unpublish hides products as drafts, or deletes them. Variations follow their products.
func (s *session) Unpublish(ctx context.Context, items []connector.Item, remove bool) (out []connector.Result, err error) {
	var update []map[string]any
	var gone []int64
	seen := map[string]int{}
	var order []string
	for _, i := range items {
		if _, known := seen[i.IDs.Product]; known || i.IDs.Product == "" {
			continue
		}
		seen[i.IDs.Product] = len(order)
		order = append(order, i.IDs.Product)
		id := flexible(i.IDs.Product).number()
		gone = append(gone, id)
		update = append(update, map[string]any{"id": id, "status": "draft"})
	}
	var answer batchAnswer
	if remove {
		answer, err = s.batch(connector.Repeatable(ctx), "/products/batch", nil, nil, gone)
	} else {
		answer, err = s.batch(connector.Repeatable(ctx), "/products/batch", nil, update, nil)
	}
	if err != nil {
		return nil, err
	}
	entries := append(answer.Update, answer.Delete...)
	for _, i := range items {
		result := i.Result(connector.Live)
		if f := entryAt(entries, seen[i.IDs.Product]); f.Error != nil && !strings.HasSuffix(f.Error.Code, "_invalid_id") {
			result.State, result.Error = connector.Failed, f.Error.text()
		}
		out = append(out, result)
	}
	return out, nil
}
