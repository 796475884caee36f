package ebay

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/connector"
	"entrepot/internal/money"
)

// Upsert lists products. A listing takes three steps, each of which may be repeated: the item, which is replaced
// whole; the offer, one for each SKU and marketplace; and its publication. Variants are items of a group, which is
// published as one listing.
func (s *session) Upsert(ctx context.Context, products []connector.Product) ([]connector.Result, error) {
	return connector.UpsertEach(products, func(p *connector.Product) ([]connector.Result, error) { return s.upsert(ctx, p) })
}

func (s *session) upsert(ctx context.Context, p *connector.Product) ([]connector.Result, error) {
	a, err := s.facts(ctx)
	if err != nil {
		return nil, err
	}
	if len(p.Images) == 0 {
		return nil, connector.Failf(connector.Rejected, "eBay lists nothing without a picture")
	}
	category, err := s.category(ctx, p)
	if err != nil {
		return nil, err
	}
	list := p.Forms()
	for _, f := range list {
		if err := s.free(ctx, p, f.SKU); err != nil {
			return nil, err
		}
		if _, err := s.call(connector.Repeatable(ctx), http.MethodPut, inventory+"/inventory_item/"+url.PathEscape(f.SKU), item(p, f),
			nil); err != nil {
			return nil, err
		}
	}
	if len(p.Variants) > 0 {
		if _, err := s.call(connector.Repeatable(ctx), http.MethodPut, inventory+"/inventory_item_group/"+url.PathEscape(p.SKU), itemGroup(p),
			nil); err != nil {
			return nil, err
		}
	}
	offers := map[string]string{}
	listing := ""
	published := true
	for _, f := range list {
		o, err := s.offer(ctx, a, p, f, category)
		if err != nil {
			return nil, err
		}
		offers[f.SKU] = o.OfferID
		published = published && o.Status == "PUBLISHED"
		if o.Listing.ListingID != "" {
			listing = o.Listing.ListingID
		}
	}
	switch {
	case p.OnSale && !published:
		if listing, err = s.publish(ctx, p, offers); err != nil {
			return nil, err
		}
	case !p.OnSale && listing != "":
		if err := s.withdraw(ctx, p, offers); err != nil {
			return nil, err
		}
	}
	return s.results(p, offers, listing), nil
}

func (s *session) results(p *connector.Product, offers map[string]string, listing string) []connector.Result {
	link := ""
	if listing != "" {
		link = "https://" + s.market.site + "/itm/" + listing
	}
	one := func(sku string) connector.Result {
		ids := connector.IDs{Product: listing, Variant: sku}
		if offers[sku] != "" {
			ids.Other = map[string]string{offerID: offers[sku]}
		}
		return connector.Result{SKU: sku, State: connector.Live, Priced: true, IDs: ids, URL: link}
	}
	results := []connector.Result{one(p.SKU)}
	for _, v := range p.Variants {
		results = append(results, one(v.SKU))
	}
	return results
}

// offerID is under what the id of a SKU's offer is kept.
const offerID = "offer"

// free refuses a SKU that belongs to another group of variants than the product's.
func (s *session) free(ctx context.Context, p *connector.Product, sku string) error {
	var there struct {
		GroupIDs               []string `json:"groupIds"`
		InventoryItemGroupKeys []string
	}
	_, err := s.get(ctx, inventory+"/inventory_item/"+url.PathEscape(sku), nil, &there)
	if connector.Is(err, connector.Missing) {
		return nil
	}
	for _, group := range append(there.GroupIDs, there.InventoryItemGroupKeys...) {
		if group != p.SKU || len(p.Variants) == 0 {
			return connector.Failf(connector.Rejected, "the SKU %s belongs to the group %s on eBay", sku, group)
		}
	}
	return err
}

// item is the whole item of a form, because what is left out would be deleted.
func item(p *connector.Product, f connector.Variant) fields {
	aspects := map[string][]string{}
	for _, a := range append(slices.Clone(p.Attributes), f.Attributes...) {
		if a.Value != "" {
			aspects[cut(a.Name, 40)] = []string{cut(a.Value, 65)}
		}
	}
	return fields{"condition": "NEW", "availability": fields{"shipToLocationAvailability": fields{"quantity": f.Quantity}},
		"product": fields{"title": cut(p.Name, 80), "description": description(p), "aspects": aspects, "imageUrls": pictures(p)}}
}

func description(p *connector.Product) string {
	if p.Description == "" {
		return p.Name
	}
	return cut(p.Description, 4000)
}

func pictures(p *connector.Product) []string {
	var list []string
	for _, image := range p.Images {
		list = append(list, image.URL)
	}
	return list[:min(24, len(list))]
}

// itemGroup has the variants and the properties in which they differ.
func itemGroup(p *connector.Product) fields {
	var skus, names []string
	values := map[string][]string{}
	for _, v := range p.Variants {
		skus = append(skus, v.SKU)
		for _, a := range v.Attributes {
			if !slices.Contains(names, a.Name) {
				names = append(names, a.Name)
			}
			if !slices.Contains(values[a.Name], a.Value) {
				values[a.Name] = append(values[a.Name], a.Value)
			}
		}
	}
	var specifications []fields
	for _, name := range names {
		specifications = append(specifications, fields{"name": name, "values": values[name]})
	}
	aspects := map[string][]string{}
	for _, a := range p.Attributes {
		if !slices.Contains(names, a.Name) {
			aspects[cut(a.Name, 40)] = []string{cut(a.Value, 65)}
		}
	}
	return fields{"title": cut(p.Name, 80), "description": description(p), "aspects": aspects, "imageUrls": pictures(p), "variantSKUs": skus,
		"variesBy": fields{"specifications": specifications}}
}

// category is the category of a listing: that of the setting, else the one that eBay suggests for the title.
func (s *session) category(ctx context.Context, p *connector.Product) (string, error) {
	if id := s.link.Channel.Value("categoryId"); id != "" {
		return id, nil
	}
	if s.tree == "" {
		var tree struct{ CategoryTreeID string }
		if _, err := s.get(ctx, "/commerce/taxonomy/v1/get_default_category_tree_id", url.Values{"marketplace_id": {s.market.id}},
			&tree); err != nil {
			return "", err
		}
		s.tree = tree.CategoryTreeID
	}
	var suggested struct {
		CategorySuggestions []struct{ Category struct{ CategoryID string } }
	}
	_, err := s.get(ctx, "/commerce/taxonomy/v1/category_tree/"+url.PathEscape(s.tree)+"/get_category_suggestions",
		url.Values{"q": {cut(p.Name, 80)}}, &suggested)
	if err == nil && len(suggested.CategorySuggestions) == 0 {
		err = connector.Failf(connector.Rejected, "eBay knows no category for %q: the channel's setting categoryId can name one", cut(p.Name, 80))
	}
	if err != nil {
		return "", err
	}
	return suggested.CategorySuggestions[0].Category.CategoryID, nil
}

// offer is a SKU's offer on the marketplace.
type offer struct {
	OfferID, Status string
	Listing         struct{ ListingID string }
}

// offer creates or changes the offer of a form. An existing one is found by its SKU.
func (s *session) offer(ctx context.Context, a *account, p *connector.Product, f connector.Variant, category string) (offer, error) {
	there, err := s.offerOf(ctx, f.SKU)
	if err != nil {
		return there, err
	}
	body := fields{"sku": f.SKU, "marketplaceId": s.market.id, "format": "FIXED_PRICE", "availableQuantity": f.Quantity,
		"categoryId":         category,
		"listingDescription": description(p), "merchantLocationKey": a.location, "pricingSummary": fields{"price": s.price(f.Price)},
		"listingPolicies": fields{"fulfillmentPolicyId": a.fulfillment, "paymentPolicyId": a.payment, "returnPolicyId": a.returns}}
	if there.OfferID != "" {
		_, err := s.call(connector.Repeatable(ctx), http.MethodPut, inventory+"/offer/"+url.PathEscape(there.OfferID), body, nil)
		return there, err
	}
	_, err = s.call(ctx, http.MethodPost, inventory+"/offer", body, &there)
	return there, err
}

func (s *session) offerOf(ctx context.Context, sku string) (offer, error) {
	var there struct{ Offers []offer }
	_, err := s.get(ctx, inventory+"/offer", url.Values{"sku": {sku}, "marketplace_id": {s.market.id}}, &there)
	if connector.Is(err, connector.Missing) {
		err = nil
	}
	if err != nil || len(there.Offers) == 0 {
		return offer{}, err
	}
	return there.Offers[0], nil
}

func (s *session) price(p money.Amount) fields {
	return fields{"value": p.Text(s.market.currency), "currency": s.market.currency}
}

// publish puts the offers on sale and gives the listing's id.
func (s *session) publish(ctx context.Context, p *connector.Product, offers map[string]string) (string, error) {
	var out struct{ ListingID string }
	if len(p.Variants) > 0 {
		_, err := s.call(connector.Repeatable(ctx), http.MethodPost, inventory+"/offer/publish_by_inventory_item_group",
			fields{"inventoryItemGroupKey": p.SKU, "marketplaceId": s.market.id}, &out)
		return out.ListingID, err
	}
	_, err := s.call(connector.Repeatable(ctx), http.MethodPost, inventory+"/offer/"+url.PathEscape(offers[p.SKU])+"/publish", fields{}, &out)
	return out.ListingID, err
}

// withdraw ends the listing.
func (s *session) withdraw(ctx context.Context, p *connector.Product, offers map[string]string) error {
	if len(p.Variants) > 0 {
		_, err := s.call(connector.Repeatable(ctx), http.MethodPost, inventory+"/offer/withdraw_by_inventory_item_group",
			fields{"inventoryItemGroupKey": p.SKU, "marketplaceId": s.market.id}, nil)
		return err
	}
	_, err := s.call(connector.Repeatable(ctx), http.MethodPost, inventory+"/offer/"+url.PathEscape(offers[p.SKU])+"/withdraw", fields{}, nil)
	return err
}

// Unpublish ends listings; remove takes the items away as well.
func (s *session) Unpublish(ctx context.Context, items []connector.Item, remove bool) ([]connector.Result, error) {
	return connector.UnpublishEach(items, func(it connector.Item) string { return it.SKU },
		func(sku string) error { return s.takeOff(ctx, sku, remove) })
}

func (s *session) takeOff(ctx context.Context, sku string, remove bool) error {
	if remove {
		_, err := s.call(connector.Repeatable(ctx), http.MethodDelete, inventory+"/inventory_item/"+url.PathEscape(sku), nil, nil)
		return err
	}
	there, err := s.offerOf(ctx, sku)
	if err != nil || there.Status != "PUBLISHED" {
		return err
	}
	_, err = s.call(connector.Repeatable(ctx), http.MethodPost, inventory+"/offer/"+url.PathEscape(there.OfferID)+"/withdraw", fields{}, nil)
	return err
}

// bulk is the answer to a request about many SKUs.
type bulk struct {
	Responses []struct {
		StatusCode    int
		SKU, OfferID  string
		Errors        []problem
		InventoryItem struct {
			Availability struct{ ShipToLocationAvailability struct{ Quantity int64 } }
		}
	}
}

// SetStock makes eBay show quantities.
func (s *session) SetStock(ctx context.Context, items []connector.StockItem) ([]connector.Result, error) {
	requests := make([]fields, len(items))
	results := make([]connector.Result, len(items))
	for i, it := range items {
		results[i] = connector.Result{SKU: it.SKU, IDs: it.IDs, State: connector.Live}
		requests[i] = fields{"sku": it.SKU, "shipToLocationAvailability": fields{"quantity": it.Quantity}}
		if o := it.IDs.Other[offerID]; o != "" {
			requests[i]["offers"] = []fields{{"offerId": o, "availableQuantity": it.Quantity}}
		}
	}
	return s.update(ctx, requests, results)
}

// SetPrices makes eBay show prices, of SKUs that have an offer.
func (s *session) SetPrices(ctx context.Context, items []connector.PriceItem) ([]connector.Result, error) {
	var requests []fields
	results := make([]connector.Result, len(items))
	for i, it := range items {
		results[i] = connector.Result{SKU: it.SKU, IDs: it.IDs, State: connector.Live}
		if o := it.IDs.Other[offerID]; o != "" {
			requests = append(requests, fields{"sku": it.SKU, "offers": []fields{{"offerId": o, "price": s.price(it.Price)}}})
		}
	}
	if len(requests) == 0 {
		return results, nil
	}
	return s.update(ctx, requests, results)
}

// update sends quantities or prices in one request, and notes in the results what was refused of them.
func (s *session) update(ctx context.Context, requests []fields, results []connector.Result) ([]connector.Result, error) {
	var out bulk
	_, err := s.call(connector.Repeatable(ctx), http.MethodPost, inventory+"/bulk_update_price_quantity", fields{"requests": requests}, &out)
	if err != nil {
		return nil, err
	}
	for _, one := range out.Responses {
		if one.StatusCode < 400 {
			continue
		}
		text := "eBay refuses it"
		if len(one.Errors) > 0 {
			text = one.Errors[0].text()
		}
		for i := range results {
			if results[i].SKU != one.SKU {
				continue
			}
			results[i].State, results[i].Error, results[i].Again = connector.Failed, one.SKU+": "+text, one.StatusCode >= 500
			if one.StatusCode == http.StatusNotFound {
				results[i].State = connector.Gone
			}
		}
	}
	return results, nil
}

// ReadStock gives the quantities that eBay shows.
func (s *session) ReadStock(ctx context.Context, items []connector.Item) (map[string]int64, error) {
	requests := make([]fields, len(items))
	for i, it := range items {
		requests[i] = fields{"sku": it.SKU}
	}
	var out bulk
	_, err := s.call(connector.Repeatable(ctx), http.MethodPost, inventory+"/bulk_get_inventory_item", fields{"requests": requests}, &out)
	found := map[string]int64{}
	for _, one := range out.Responses {
		if one.StatusCode < 400 {
			found[one.SKU] = one.InventoryItem.Availability.ShipToLocationAvailability.Quantity
		}
	}
	return found, err
}

func cut(text string, most int) string {
	if r := []rune(strings.TrimSpace(text)); len(r) > most {
		return string(r[:most])
	}
	return strings.TrimSpace(text)
}
