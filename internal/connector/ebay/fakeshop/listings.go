package fakeshop

import (
	"cmp"
	"maps"
	"net/http"
)

func (a *Account) dropItem(r *http.Request, _ object) (int, any) {
	sku := r.PathValue("sku")
	if a.items[sku] == nil {
		return http.StatusNotFound, problem(25710, "We didn't find the resource you are looking for.")
	}
	delete(a.items, sku)
	delete(a.offers, sku)
	return http.StatusNoContent, nil
}

func (a *Account) putGroup(r *http.Request, body object) (int, any) {
	if list := body["variantSKUs"].([]any); len(list) > 0 && a.revised(list[0].(string)) {
		return tooMany()
	}
	body["key"] = r.PathValue("key")
	a.groups[r.PathValue("key")] = body
	for _, sku := range body["variantSKUs"].([]any) {
		if a.items[sku.(string)] == nil {
			return http.StatusBadRequest, problem(25702, "SKU not found")
		}
		a.items[sku.(string)]["inventoryItemGroupKeys"] = []string{r.PathValue("key")}
	}
	return http.StatusNoContent, nil
}

// dropGroup deletes a group of variants. Its items stay, without the group.
func (a *Account) dropGroup(r *http.Request, _ object) (int, any) {
	key := r.PathValue("key")
	if a.groups[key] == nil {
		return http.StatusNotFound, problem(25705, "The Inventory Item Group could not be found.")
	}
	for _, it := range a.items {
		if keys, _ := it["inventoryItemGroupKeys"].([]string); len(keys) > 0 && keys[0] == key {
			delete(it, "inventoryItemGroupKeys")
		}
	}
	delete(a.groups, key)
	return http.StatusNoContent, nil
}

// Groups returns how many groups of variants there are.
func (a *Account) Groups() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.groups)
}

// Group returns a group of variants as eBay has it.
func (a *Account) Group(key string) map[string]any {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.groups[key])
}

func (o *offer) show() object {
	out := object{}
	maps.Copy(out, o.body)
	maps.Copy(out, object{"offerId": o.id, "sku": o.sku, "status": o.status, "availableQuantity": o.quantity})
	if o.listing != "" {
		listing := object{"listingId": o.listing, "listingStatus": cmp.Or(o.ended, "ACTIVE")}
		if o.held { // eBay says it only then
			listing["listingOnHold"] = true
		}
		out["listing"] = listing
	}
	return out
}

func (a *Account) findOffer(r *http.Request, _ object) (int, any) {
	if o := a.offers[r.URL.Query().Get("sku")]; o != nil {
		return http.StatusOK, object{"offers": []object{o.show()}}
	}
	return http.StatusNotFound, problem(25713, "This Offer is not available.")
}

func (a *Account) offerOf(id string) *offer {
	for _, o := range a.offers {
		if o.id == id {
			return o
		}
	}
	return nil
}

func (a *Account) changeOffer(r *http.Request, body object) (int, any) {
	o := a.offerOf(r.PathValue("id"))
	if o == nil {
		return http.StatusNotFound, problem(25713, "This Offer is not available.")
	}
	if a.revised(o.sku) {
		return tooMany()
	}
	o.set(body)
	return http.StatusNoContent, nil
}

func (a *Account) publishGroup(r *http.Request, body object) (int, any) {
	group := a.groups[body["inventoryItemGroupKey"].(string)]
	if group == nil {
		return http.StatusNotFound, problem(25710, "group not found")
	}
	listing, published, all := a.id(), false, true
	for _, sku := range group["variantSKUs"].([]any) {
		o := a.offers[sku.(string)]
		on := o != nil && o.shown()
		published, all = published || on, all && on
	}
	if r.PathValue("action") == "publish_by_inventory_item_group" && all {
		return http.StatusBadRequest, problem(25002, "The offers are published already.")
	}
	if r.PathValue("action") == "withdraw_by_inventory_item_group" && !published {
		return http.StatusBadRequest, problem(25725, "No offer found")
	}
	for _, sku := range group["variantSKUs"].([]any) {
		o := a.offers[sku.(string)]
		if o == nil {
			return http.StatusBadRequest, problem(25016, "an offer of the group is missing")
		}
		if r.PathValue("action") == "withdraw_by_inventory_item_group" {
			o.status, o.listing = "UNPUBLISHED", ""
			continue
		}
		if o.shown() {
			listing = o.listing
		}
		o.status, o.listing, o.ended = "PUBLISHED", listing, ""
	}
	return http.StatusOK, object{"listingId": listing}
}

// End ends the listing of a SKU, as its seller or eBay may; its offer is as it was before it was published, or keeps
// its status and says how the listing stands.
func (a *Account) End(sku, listingStatus string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o := a.offers[sku]; listingStatus == "" {
		o.status, o.listing = "UNPUBLISHED", ""
	} else {
		o.ended = listingStatus
	}
}

// HoldBack has eBay keep buyers from the listing of a SKU, or lets them have it.
func (a *Account) HoldBack(sku string, on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.offers[sku].held = on
}

// DropOffer deletes the offer of a SKU, as its seller may.
func (a *Account) DropOffer(sku string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.offers, sku)
}

// Offer returns what eBay shows of a SKU; listing is "" while it is not on sale.
func (a *Account) Offer(sku string) (price string, quantity int64, listing string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o := a.offers[sku]; o != nil {
		return o.price, o.quantity, o.listing
	}
	return "", 0, ""
}

// Enter has the seller enter something at eBay: in a SKU's item, and in its offer.
func (a *Account) Enter(sku string, item, offer map[string]any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, value := range item {
		if product, ok := value.(map[string]any); ok && name == "product" {
			maps.Copy(a.items[sku]["product"].(object), product)
		} else {
			a.items[sku][name] = value
		}
	}
	maps.Copy(a.offers[sku].body, offer)
}

// Stored returns the item of a SKU and its offer as eBay has them.
func (a *Account) Stored(sku string) (item, offer map[string]any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.items[sku]), maps.Clone(a.offers[sku].body)
}

// Text returns what buyers read about a SKU.
func (a *Account) Text(sku string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o := a.offers[sku]; o != nil {
		return o.text
	}
	return ""
}

// Images returns the addresses of the pictures that a SKU shows.
func (a *Account) Images(sku string) (shown []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	product, _ := a.items[sku]["product"].(object)
	list, _ := product["imageUrls"].([]any)
	for _, address := range list {
		shown = append(shown, address.(string))
	}
	return shown
}
