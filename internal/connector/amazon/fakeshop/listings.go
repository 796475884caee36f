package fakeshop

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// listing is what the seller offers under a SKU.
type listing struct {
	sku, productType, asin string
	attributes             object
	live                   time.Time // when it is what the attributes say
	fba                    bool
	issue                  string // why Amazon does not show it, found out after it was accepted
	suppressed             bool   // Amazon took it off sale by something that it calls a warning
	blemished              bool   // a part of it is wrong, without which it is on sale
}

// Restricted is a word whose products Amazon accepts and does not show.
const Restricted = "forbidden"

// Words whose products Amazon takes off sale with a warning, and puts on sale although a part of them is an error.
const (
	Suppressed = "suppressed"
	Blemished  = "blemished"
)

// first returns the first entry of an attribute.
func (l *listing) first(name string) object {
	list, _ := l.attributes[name].([]any)
	if len(list) == 0 {
		return nil
	}
	entry, _ := list[0].(object)
	return entry
}

// quantity returns how many are offered.
func (l *listing) quantity() int64 {
	n, _ := l.first("fulfillment_availability")["quantity"].(float64)
	return int64(n)
}

func (l *listing) sold(n int64) {
	if entry := l.first("fulfillment_availability"); entry != nil {
		entry["quantity"] = float64(max(0, l.quantity()-n))
	}
}

// price returns what it costs, as it was written.
func (l *listing) price() string {
	price, _ := l.first("purchasable_offer")["our_price"].([]any)
	if len(price) == 0 {
		return ""
	}
	schedule, _ := price[0].(object)["schedule"].([]any)
	if len(schedule) == 0 {
		return ""
	}
	value, _ := schedule[0].(object)["value_with_tax"].(float64)
	return strconv.FormatFloat(value, 'f', 2, 64)
}

// parent returns the SKU whose variant it is.
func (l *listing) parent() string {
	sku, _ := l.first("child_parent_sku_relationship")["parent_sku"].(string)
	return sku
}

// change does patches, and says why it does not.
func (l *listing) change(patches []any) string {
	if len(patches) == 0 {
		return "There are no patches."
	}
	for _, one := range patches {
		p, _ := one.(object)
		path, _ := p["path"].(string)
		name, ok := strings.CutPrefix(path, "/attributes/")
		if !ok || name == "" || strings.Contains(name, "/") {
			return "Patching nested attributes is not supported."
		}
		switch p["op"] {
		case "replace", "add", "merge":
			if name == "fulfillment_availability" && l.fba {
				l.fba = false // the mistake that turns it into one that the merchant ships
			}
			if p["op"] != "merge" {
				l.attributes[name] = p["value"]
			} else if why := l.merge(name, p["value"]); why != "" {
				return why
			}
		case "delete":
			delete(l.attributes, name)
		default:
			return "The operation is unknown."
		}
	}
	return l.wrong()
}

// selectors name the entries of an attribute: a merge changes the members of one, and the others stay.
var selectors = map[string][]string{"fulfillment_availability": {"fulfillment_channel_code"}, "purchasable_offer": {"marketplace_id", "currency"}}

// merge puts members into the entries that the selectors name, and says why it does not.
func (l *listing) merge(name string, value any) string {
	list, _ := l.attributes[name].([]any)
	list = slices.Clone(list)
	given, _ := value.([]any)
	for _, one := range given {
		entry, _ := one.(object)
		at := slices.IndexFunc(list, func(known any) bool {
			old, _ := known.(object)
			return !slices.ContainsFunc(selectors[name], func(s string) bool { return old[s] != entry[s] })
		})
		for _, selector := range selectors[name] {
			if entry[selector] == nil {
				return "The selector '" + selector + "' is required."
			}
		}
		if at < 0 {
			list = append(list, entry)
			continue
		}
		old, _ := list[at].(object)
		merged := maps.Clone(old)
		maps.Copy(merged, entry)
		list[at] = merged
	}
	l.attributes[name] = list
	return ""
}

// wrong says what is wrong with a listing, "" for nothing.
func (l *listing) wrong() string {
	if n, ok := l.first("fulfillment_availability")["quantity"].(float64); ok && (n < 0 || n != float64(int64(n))) {
		return "The quantity must be a whole number."
	}
	if price := l.price(); price != "" && strings.Trim(price, "0.") == "" {
		return "The field 'value_with_tax' must be above 0."
	}
	return ""
}

func (a *Account) items(r *http.Request, _ object) (int, any) {
	q := r.URL.Query()
	skus := strings.Split(q.Get("identifiers"), ",")
	size, err := strconv.Atoi(q.Get("pageSize"))
	if err != nil { // ten, whatever was asked for
		size = 10
	}
	if a.NoListings {
		return http.StatusForbidden, problem("Unauthorized", "Access to requested resource is denied.")
	}
	if len(skus) > 20 || size > 20 || q.Get("identifiersType") != "SKU" || q.Get("marketplaceIds") != MarketplaceID {
		return http.StatusBadRequest, problem("InvalidInput", "At most 20 identifiers.")
	}
	found := []object{}
	for _, sku := range skus {
		if l := a.listings[sku]; l != nil && len(found) < size {
			found = append(found, a.show(l, strings.Split(q.Get("includedData"), ",")))
		}
	}
	slices.Reverse(found)
	return http.StatusOK, object{"numberOfResults": len(found), "items": found}
}

func (a *Account) item(r *http.Request, _ object) (int, any) {
	q := r.URL.Query()
	l := a.listings[r.PathValue("sku")]
	switch {
	case a.NoListings:
		return http.StatusForbidden, problem("Unauthorized", "Access to requested resource is denied.")
	case q.Get("marketplaceIds") != MarketplaceID:
		return http.StatusBadRequest, problem("InvalidInput", "The marketplace is missing.")
	case l == nil:
		return http.StatusNotFound, problem("NOT_FOUND", "The SKU was not found in the marketplace.")
	}
	return http.StatusOK, a.show(l, strings.Split(q.Get("includedData"), ","))
}

// show returns a listing with the parts that were asked for. It is not live at once.
func (a *Account) show(l *listing, parts []string) object {
	out := object{"sku": l.sku}
	live := !a.Now().Before(l.live)
	for _, part := range parts {
		switch part {
		case "summaries":
			out["summaries"] = []object{}
			if live {
				status := []string{"DISCOVERABLE"}
				if l.quantity() > 0 && l.issue == "" && !l.suppressed {
					status = append(status, "BUYABLE")
				}
				out["summaries"] = []object{{"marketplaceId": MarketplaceID, "asin": l.asin, "productType": l.productType, "status": status}}
			}
		case "issues":
			out["issues"] = []object{{"code": "18448", "message": "More attributes would help.", "severity": "WARNING"}}
			enforced := func(code, severity, text, action string) []object {
				return []object{{"code": code, "message": text, "severity": severity, "categories": []string{"QUALIFICATION_REQUIRED"},
					"enforcements": object{"actions": []object{{"action": action}}, "exemption": object{"status": "NOT_EXEMPT"}}}}
			}
			switch {
			case live && l.suppressed:
				out["issues"] = enforced("5665", "WARNING", "The brand has to be approved.", "LISTING_SUPPRESSED")
			case live && l.blemished:
				out["issues"] = enforced("100581", "ERROR", "The size is not valid.", "ATTRIBUTE_SUPPRESSED")
			}
			if live && l.issue != "" {
				out["issues"] = []object{{"code": "18299", "message": l.issue, "severity": "ERROR"}}
			}
		case "fulfillmentAvailability":
			code := "DEFAULT"
			if l.fba {
				code = "AMAZON_EU"
			}
			out["fulfillmentAvailability"] = []object{{"fulfillmentChannelCode": code, "quantity": l.quantity()}}
		case "attributes":
			out["attributes"] = l.attributes
		case "productTypes":
			out["productTypes"] = []object{{"marketplaceId": MarketplaceID, "productType": l.productType}}
		case "relationships":
			out["relationships"] = []object{}
			if p := l.parent(); p != "" {
				out["relationships"] = []object{{"marketplaceId": MarketplaceID,
					"relationships": []object{{"type": "VARIATION", "parentSkus": []string{p}}}}}
			}
		}
	}
	return out
}

func (a *Account) put(r *http.Request, body object) (int, any) {
	if a.NoListings {
		return http.StatusForbidden, problem("Unauthorized", "Access to requested resource is denied.")
	}
	sku := r.PathValue("sku")
	productType, _ := body["productType"].(string)
	requirements, _ := body["requirements"].(string)
	attributes, _ := body["attributes"].(object)
	if productType == "" || attributes == nil || r.URL.Query().Get("marketplaceIds") != MarketplaceID {
		return http.StatusBadRequest, problem("InvalidInput", "The listing is not complete.")
	}
	out := object{"sku": sku, "status": "ACCEPTED", "submissionId": a.id(), "issues": []object{}}
	var issues []object
	for _, text := range a.replace(sku, productType, requirements, attributes, r.URL.Query().Get("mode") == "VALIDATION_PREVIEW") {
		issue := object{"code": "90220", "message": text, "severity": "ERROR", "categories": []string{"MISSING_ATTRIBUTE"}}
		if name, is := strings.CutSuffix(text, unsupplied); is {
			issue["attributeNames"] = []string{strings.Trim(name, "'[]")}
		}
		issues = append(issues, issue)
	}
	if len(issues) > 0 {
		out["status"], out["issues"] = "INVALID", issues
	}
	return http.StatusOK, out
}

// unsupplied ends the message about an attribute that is missing.
const unsupplied = " is required but not supplied."

// required returns the attributes that a listing must have: what its product type's schema asks for, and an offer's
// condition.
func (a *Account) required(productType, requirements string, parent bool) (names []string) {
	if requirements != "LISTING_OFFER_ONLY" {
		names = append([]string{"item_name", "brand"}, a.Required[productType]...)
	}
	if requirements != "LISTING_PRODUCT_ONLY" && !parent {
		names = append(names, "condition_type")
	}
	return names
}

// replace makes a listing, or replaces it whole, and returns why it does not; a preview changes nothing.
func (a *Account) replace(sku, productType, requirements string, attributes object, preview bool) (issues []string) {
	l := &listing{sku: sku, live: a.Now().Add(a.Settle), productType: productType, attributes: attributes}
	if wrong := l.wrong(); wrong != "" {
		issues = append(issues, wrong)
	}
	asin, _ := l.first("merchant_suggested_asin")["value"].(string)
	ean, _ := l.first("externally_assigned_product_identifier")["value"].(string)
	parent := l.first("parentage_level")["value"] == "parent"
	if asin == "" && ean == "" && !parent && l.first("supplier_declared_has_product_identifier_exemption") == nil {
		issues = append(issues, "'[externally_assigned_product_identifier]'"+unsupplied)
	}
	for _, name := range a.required(productType, requirements, parent) {
		if l.first(name) == nil {
			issues = append(issues, "'["+name+"]'"+unsupplied)
		}
	}
	if len(issues) > 0 || preview {
		return issues
	}
	if l.asin = asin; asin == "" {
		l.asin = "B0" + a.id()
	}
	name, _ := l.first("item_name")["value"].(string)
	l.suppressed, l.blemished = strings.Contains(name, Suppressed), strings.Contains(name, Blemished)
	if strings.Contains(name, Restricted) {
		l.issue = "You need approval to list in this brand."
	}
	if old := a.listings[sku]; old != nil {
		l.asin = old.asin
	}
	a.listings[sku] = l
	return nil
}

func (a *Account) patch(r *http.Request, body object) (int, any) {
	sku := r.PathValue("sku")
	out := object{"sku": sku, "status": "ACCEPTED", "submissionId": a.id(), "issues": []object{}}
	l := a.listings[sku]
	patches, _ := body["patches"].([]any)
	issue := "The SKU does not exist."
	if l != nil && body["productType"] != "" && body["productType"] != nil {
		issue = l.change(patches)
	}
	if issue != "" {
		out["status"], out["issues"] = "INVALID", []object{{"code": "90000", "message": issue, "severity": "ERROR"}}
	}
	return http.StatusOK, out
}

func (a *Account) drop(r *http.Request, _ object) (int, any) {
	delete(a.listings, r.PathValue("sku"))
	return http.StatusOK, object{"sku": r.PathValue("sku"), "status": "ACCEPTED", "submissionId": a.id()}
}

// Offer returns what Amazon shows of a SKU; asin is "" when there is no such listing.
func (a *Account) Offer(sku string) (price string, quantity int64, asin string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settle()
	if l := a.listings[sku]; l != nil {
		return l.price(), l.quantity(), l.asin
	}
	return "", 0, ""
}

// OnSale returns what each SKU costs that buyers can have, in cents.
func (a *Account) OnSale() map[string]int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settle()
	prices := map[string]int64{}
	for sku, l := range a.listings {
		cents, err := strconv.ParseInt(strings.ReplaceAll(l.price(), ".", ""), 10, 64)
		if err == nil && l.quantity() > 0 && l.issue == "" && !a.Now().Before(l.live) {
			prices[sku] = cents
		}
	}
	return prices
}

// Offers returns what Amazon shows of all SKUs but parents.
func (a *Account) Offers() map[string]Offered {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settle()
	all := map[string]Offered{}
	for sku, l := range a.listings {
		if l.first("parentage_level")["value"] != "parent" {
			all[sku] = Offered{l.price(), l.quantity(), l.issue == "" && !a.Now().Before(l.live)}
		}
	}
	return all
}

// Offered is what Amazon shows of a SKU.
type Offered struct {
	Price    string
	Quantity int64
	Live     bool
}

// ListPrice returns the price before a reduction of a SKU, as it was written.
func (a *Account) ListPrice(sku string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if l := a.listings[sku]; l != nil {
		value, _ := l.first("list_price")["value_with_tax"].(float64)
		return strconv.FormatFloat(value, 'f', 2, 64)
	}
	return ""
}

// Images returns the addresses of the pictures that a SKU shows.
func (a *Account) Images(sku string) (shown []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.listings[sku]
	for i := 0; l != nil && i < 9; i++ {
		name := "main_product_image_locator"
		if i > 0 {
			name = "other_product_image_locator_" + strconv.Itoa(i)
		}
		if address, ok := l.first(name)["media_location"].(string); ok {
			shown = append(shown, address)
		}
	}
	return shown
}

// Listings returns how many there are.
func (a *Account) Listings() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.listings)
}

// Own lists a SKU that the seller has there already, under an ASIN; fba says that Amazon ships it.
func (a *Account) Own(sku, asin string, quantity int64, fba bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listings[sku] = &listing{sku: sku, asin: asin, productType: "SHIRT", fba: fba,
		attributes: object{"fulfillment_availability": []any{object{"fulfillment_channel_code": "DEFAULT", "quantity": float64(quantity)}}}}
}

// Enter has the seller enter a member beside a quantity, such as a handling time; Entered is what it is.
func (a *Account) Enter(sku, member string, value any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listings[sku].first("fulfillment_availability")[member] = value
}

// Entered returns what stands beside a quantity.
func (a *Account) Entered(sku, member string) any {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.listings[sku].first("fulfillment_availability")[member]
}

// End ends a listing, as the seller does in Seller Central.
func (a *Account) End(sku string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.listings, sku)
}

// Suppress has Amazon take a live listing off sale, or put it on sale again.
func (a *Account) Suppress(sku string, suppressed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listings[sku].suppressed = suppressed
}

// FBA reports whether Amazon ships a SKU.
func (a *Account) FBA(sku string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.listings[sku] != nil && a.listings[sku].fba
}
