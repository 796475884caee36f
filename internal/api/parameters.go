package api

import (
	"path"
	"regexp"
	"strings"

	"entrepot/internal/base/apijson"
)

// parameterAbout says what a parameter selects, its unit and its bounds, by name. "listOrders page" is for one
// operation and precedes "page"; a path parameter {id} is described by the part of the path before it: "orders/{id}".
var parameterAbout = map[string]string{
	// in paths
	"addresses/{addressId}": "Id of the address.", "api-keys/{id}": "Id of the API key.", "attributes/{id}": "Id of the attribute.",
	"categories/{id}": "Id of the category.", "channels/{id}": "Id of the channel.", "customers/{id}": "Id of the customer.",
	"deliveries/{id}": "Id of the delivery.", "events/{id}": "Id of the event, as in its envelope.",
	"exports/{id}": "Id of the export's job.", "file/{signature}": "The end of the link that the job shows.", "jobs/{jobId}": "Id of the job.",
	"inventory/{sku}": "SKU of the product or variant.", "orders/{id}": "Id of the order.", "products/{id}": "Id of the product.",
	"platform/{channelId}": "Id of the channel that is notified.", "publications/{productId}": "Id of the product.",
	"{channelId}/{platform}": "The channel's platform, with hyphens and in any case: woocommerce, tiktok-shop.",
	"segments/{id}":          "Id of the segment.", "shipments/{shipmentId}": "Id of the shipment.", "returns/{returnId}": "Id of the return.",
	"sign-ins/{signInId}": "Id of the sign-in.", "users/{id}": "Id of the user.", "warehouses/{id}": "Id of the warehouse.",
	"webhooks/{id}": "Id of the endpoint.",

	// pages of lists
	"page":    "Number of the page, from 1. A page past the end is empty.",
	"limit":   "How many records a page has.",
	"perPage": "The same as limit, which precedes it.",
	"cursor":  "meta.nextCursor of the page before: continues there, however deep, in constant time. It replaces page and sort.",
	"sort": "What the list is sorted by, with its direction: total:desc. createdAt, total, orderNumber or updatedAt; " +
		"without it createdAt:desc.",
	"listProducts sort": "name, sku, price, createdAt or updatedAt, with :asc or :desc behind it. Without it the newest come first.",
	"order":             "The direction of sort, if sort does not name one: asc or desc.",
	"listEvents order":  "asc: oldest first; desc: newest first, after then continues with older events.",
	"sortBy":            "The same as sort, without a direction: createdAt, total, orderNumber or updatedAt.",
	"sortOrder":         "The direction of sortBy: asc or desc.",

	// times
	"from":           "Only records of this time or later.",
	"to":             "Only records of this time or earlier; the whole millisecond that it names is included.",
	"createdAtGte":   "Only orders created at this time or later.",
	"createdAtLte":   "Only orders created at this time or earlier.",
	"updatedAtGte":   "Only orders changed at this time or later.",
	"updatedAtLte":   "Only orders that changed last at this time or earlier.",
	"updatedAt[gte]": "The same as updatedAtGte; the later of the two counts.",
	"updatedAt[lte]": "The same as updatedAtLte; the earlier of the two counts.",
	"createdAt[gte]": "The same as createdAtGte; the latest of all lower bounds counts.",
	"createdAt[lte]": "The same as createdAtLte; the earliest of all upper bounds counts.",
	"dateFrom":       "The same as createdAtGte.",
	"dateTo":         "The same as createdAtLte.",
	"since": "Only what changed at this time or later, precise to the microsecond: meta.nextSince of the answer before. " +
		"Without it the feed begins with the oldest change.",

	// filters
	"action":            "What was done: api_key.created.",
	"actor":             "Who did it: user:<id>, key:<id> or system.",
	"after":             "Id of the last event that was read: the log continues after it. An id that is not in the log is 400.",
	"categoryId":        "Only products of this category.",
	"challenge_code":    "The text of eBay's handshake, from which the answer is computed; missing, it is 400.",
	"channelId":         "Only what belongs to this channel; an unknown channel has nothing.",
	"country":           "Only orders that are shipped to this country: its ISO 3166-1 code of two letters, in any case.",
	"customerEmail":     "Only orders of this e-mail address, in any case, also those of guests.",
	"customerId":        "Only orders of this customer; an unknown customer has none.",
	"email":             "Only the customer with this e-mail address, in any case.",
	"endpointId":        "Only deliveries to this endpoint.",
	"event":             "Only this kind of event.",
	"externalId":        "Only the category with this externalId, which its creator chose; of orders, those with exactly this externalId.",
	"externalReference": "Only the order with exactly this externalReference.",
	"force":             "true deletes the channel of a platform with its orders; otherwise it is deactivated and keeps them.",
	"ids":               "Only these records: at most 250 ids.",
	"includeDeleted":    "true adds what was deleted in the last 90 days, with the time in deletedAt.",
	"includeInactive":   "true adds customers that were merged into others.",
	"interval":          "The length of each point of the series; without it day.",
	"keyId":             "Only requests with this API key.",
	"low":               "true: only levels below their threshold.",
	"outcome":           "Only products with this outcome: done, unchanged or refused.",
	"maxTotal":          "Only orders with at most this total, an amount in the order's currency: 49.90.",
	"minTotal":          "Only orders with at least this total, an amount in the order's currency: 49.90.",
	"parentId":          "Only children of this category.",
	"primaryId":         "The customer that the others would be merged into. Required.",
	"resourceId": "Only what is about this record: the id of an order, product, category, customer or channel; of " +
		"stock events the SKU.",
	"listAuditLog resourceId": "Only entries about this record, by its id.",
	"resourceType":            "Only entries about this kind of record: api_key, channel, customer, endpoint, user.",
	"search":                  "Only records that contain this text, in any case.",
	"listOrders search": "Only orders that contain this text in their number, external reference, or customer's name or " +
		"e-mail, in any case.",
	"listCategories search":      "Only categories that contain this text in name, slug or external id, in any case.",
	"listProducts search":        "Only products that contain this text in SKU or name, in any case.",
	"listCustomers search":       "Only customers that contain this text in e-mail, names, company or phone, in any case; a phone is also found by its digits, however it is written.",
	"secondaryIds":               "The customers that would be merged into the primary. Required.",
	"segmentId":                  "Only customers of this segment; an unknown segment has none.",
	"sku":                        "Only what has exactly this SKU.",
	"status":                     "Only records with this status.",
	"listRefusedRequests status": "Only requests that were answered with this HTTP status; 0: all.",
	"statusCode":                 "Only deliveries whose newest attempt was answered with this HTTP status; 0: all.",
	"stuck":                      "true: only orders that stand still until a person decides, because of an open issue illegal_transition or conflict.",
	"tag":                        "Only orders that have one of these tags, in any case.",
	"listCustomers tag":          "Only customers with this tag.",
	"assignedTo":                 "Only orders that are assigned to one of these users, by id; none: to nobody.",
	"timeZone":                   "IANA name of the time zone in which days begin, also those of bare dates: Europe/Paris. Without it UTC.",
	"type":                       "Only jobs of this type.",
	"wait":                       "true: answer when the import is complete, with its counts, as after Prefer: wait.",
	"warehouseCode":              "Only this warehouse, by its code.",
}

// about describes a parameter of the route; in is the part of the path before one of the path, else "". It is "" if the
// table has nothing.
func (r *route) about(in, name string) string {
	keys := []string{r.name + " " + name, name}
	if in != "" {
		keys = []string{in + "/{" + name + "}"}
	}
	for _, key := range keys {
		if text := parameterAbout[key]; text != "" {
			return text
		}
	}
	return ""
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// pathParameters describes the parameters of the path.
func (r *route) pathParameters() (params []any) {
	for _, at := range pathParameter.FindAllStringSubmatchIndex(r.path, -1) {
		name := r.path[at[2]:at[3]]
		schema := object{"type": "string"}
		if strings.HasSuffix(strings.ToLower(name), "id") {
			schema["format"] = "uuid"
		}
		params = append(params, object{"name": name, "in": "path", "required": true, "schema": schema,
			"description": r.about(path.Base(r.path[:at[0]]), name) + " " + r.where()})
	}
	return params
}

// queryParameters describes the parameters of the query: what the table has, and what follows from the reader.
func (r *route) queryParameters() (params []any) {
	if r.query == nil {
		return nil
	}
	s := apijson.DescribeQuery(r.query)
	for _, name := range s.Names() {
		schema := *s.Properties[name]
		text := r.about("", name)
		if schema.Description != "" {
			text += " " + strings.ToUpper(schema.Description[:1]) + schema.Description[1:] + "."
			schema.Description = ""
		}
		p := object{"name": name, "in": "query", "schema": &schema, "description": text + " " + r.where()}
		// createdAt[gte] is no identifier in any language
		if before, after, ok := strings.Cut(strings.TrimSuffix(name, "]"), "["); ok {
			p["x-go-name"] = strings.ToUpper(before[:1]) + before[1:] + "Bracket" + strings.ToUpper(after[:1]) + after[1:]
		}
		params = append(params, p)
	}
	return params
}

// where is the route's section of docs/interface.md.
func (r *route) where() string { return "Interface §" + r.section + "." }
