package fakeshop

import (
	"fmt"
	"maps"
	"net/http"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// most is how many entries a request about several SKUs or offers may have.
const most = 25

// many serves a request about several SKUs or offers: each gets an answer of its own.
func (a *Account) many(do func(in object) (status int, out object)) func(*http.Request, object) (int, any) {
	return func(_ *http.Request, body object) (int, any) {
		requests, _ := body["requests"].([]any)
		if len(requests) == 0 || len(requests) > most {
			return http.StatusBadRequest, problem(25709, "Invalid number of requests.")
		}
		all, seen, responses := http.StatusOK, map[any]bool{}, []object{}
		for _, one := range requests {
			in, _ := one.(object)
			key := in["sku"]
			if key == nil {
				key = in["offerId"]
			}
			if key == nil || seen[key] {
				return http.StatusBadRequest, problem(25709, "A SKU or offer is missing, or occurs twice.")
			}
			seen[key] = true
			var status int
			var out object
			if a.parts++; fakeshop.Nth(a.Faults.Partial, a.parts) {
				status, out = http.StatusInternalServerError, problem(25001, "A system error has occurred.")
			} else {
				status, out = do(in)
			}
			if status == http.StatusNotFound && a.Faults.Missing400 {
				status = http.StatusBadRequest
			}
			for _, name := range []string{"sku", "offerId"} {
				if in[name] != nil {
					out[name] = in[name]
				}
			}
			if out["statusCode"] = status; status >= 400 {
				all = http.StatusMultiStatus
			}
			responses = append(responses, out)
		}
		return all, object{"responses": responses}
	}
}

// item shows an item.
func (a *Account) item(in object) (int, object) {
	it := a.items[in["sku"].(string)]
	if it == nil {
		return http.StatusNotFound, problem(25710, "We didn't find the resource you are looking for.")
	}
	if a.Faults.Reticent {
		it = maps.Clone(it)
		delete(it, "inventoryItemGroupKeys")
	}
	return http.StatusOK, object{"inventoryItem": it}
}

// oneItem returns the item of a SKU.
func (a *Account) oneItem(r *http.Request, _ object) (int, any) {
	status, out := a.item(object{"sku": r.PathValue("sku")})
	if it := out["inventoryItem"]; it != nil {
		return status, it
	}
	return status, out
}

// putItem replaces an item whole; which group it is in is the group's.
func (a *Account) putItem(in object) (int, object) {
	sku := in["sku"].(string)
	if product, _ := in["product"].(object); len(fmt.Sprint(product["description"])) > 4000 {
		return http.StatusBadRequest, problem(25718, "The description of an item has 4000 characters at most.")
	}
	if in["locale"] == nil || in["product"] == nil || in["condition"] == nil {
		return http.StatusBadRequest, problem(25709, "Invalid request: locale, condition or product is missing.")
	}
	if n, stated := quantityOf(in); stated && n < 0 {
		return http.StatusBadRequest, problem(25004, "Invalid available quantity.")
	}
	if a.revised(sku) {
		return tooMany()
	}
	delete(in, "inventoryItemGroupKeys")
	for _, group := range a.groups {
		for _, member := range group["variantSKUs"].([]any) {
			if member == sku {
				in["inventoryItemGroupKeys"] = []string{group["key"].(string)}
			}
		}
	}
	a.items[sku] = in
	return http.StatusOK, object{}
}

// quantityOf returns the number of an item; stated is false if it has none.
func quantityOf(item object) (n int64, stated bool) {
	availability, _ := item["availability"].(object)
	here, _ := availability["shipToLocationAvailability"].(object)
	f, stated := here["quantity"].(float64)
	return int64(f), stated
}

// addOffer makes the one offer of a SKU.
func (a *Account) addOffer(in object) (int, object) {
	sku := in["sku"].(string)
	switch {
	case a.offers[sku] != nil:
		return http.StatusBadRequest, problem(25002, "Offer entity already exists.")
	case a.items[sku] == nil:
		return http.StatusBadRequest, problem(25702, "SKU not found")
	}
	o := &offer{id: a.id(), sku: sku, status: "UNPUBLISHED"}
	o.set(in)
	a.offers[sku] = o
	return http.StatusCreated, object{"offerId": o.id}
}

func (o *offer) set(body object) {
	o.body = body
	o.price = body["pricingSummary"].(object)["price"].(object)["value"].(string)
	n, _ := body["availableQuantity"].(float64)
	o.quantity = int64(n)
	o.text, _ = body["listingDescription"].(string)
}

// shown reports whether buyers see the offer.
func (o *offer) shown() bool { return o.status == "PUBLISHED" && o.ended == "" }

// publish puts the offer of a product without variants on sale.
func (a *Account) publish(in object) (int, object) {
	o := a.offerOf(in["offerId"].(string))
	switch {
	case o == nil:
		return http.StatusNotFound, problem(25713, "This Offer is not available.")
	case a.items[o.sku]["inventoryItemGroupKeys"] != nil:
		return http.StatusBadRequest, problem(25016, "The offer belongs to a group and is published with it.")
	case o.shown():
		return http.StatusBadRequest, problem(25002, "The offer is published already.")
	}
	o.status, o.listing, o.ended = "PUBLISHED", a.id(), ""
	return http.StatusOK, object{"listingId": o.listing}
}

func (a *Account) withdraw(r *http.Request, _ object) (int, any) {
	o := a.offerOf(r.PathValue("id"))
	switch {
	case o == nil:
		return http.StatusNotFound, problem(25713, "This Offer is not available.")
	case a.items[o.sku]["inventoryItemGroupKeys"] != nil && !a.Faults.Single:
		return http.StatusBadRequest, problem(25002, "The offer belongs to a listing with variations, which ends as a whole.")
	}
	if o.status != "PUBLISHED" {
		return http.StatusBadRequest, problem(25002, "The offer is not published.")
	}
	o.status, o.listing = "UNPUBLISHED", ""
	return http.StatusOK, object{}
}

// update changes quantity and price.
func (a *Account) update(in object) (int, object) {
	it := a.items[in["sku"].(string)]
	if it == nil {
		return http.StatusNotFound, problem(25710, "not found")
	}
	if a.revised(in["sku"].(string)) {
		return tooMany()
	}
	if q, ok := in["shipToLocationAvailability"]; ok {
		it["availability"] = object{"shipToLocationAvailability": q}
	}
	offers, _ := in["offers"].([]any)
	for _, one := range offers {
		change := one.(object)
		o := a.offerOf(change["offerId"].(string))
		if o == nil {
			continue
		}
		if o.status != "PUBLISHED" {
			return http.StatusBadRequest, problem(25713, "This Offer is not available.")
		}
		if n, ok := change["availableQuantity"].(float64); ok {
			o.quantity = int64(n)
		}
		if p, ok := change["price"].(object); ok {
			o.price = p["value"].(string)
		}
	}
	return http.StatusOK, object{}
}
