package fakeshop

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

func euros(cents int64) object {
	return object{"shopMoney": object{"amount": fakeshop.Decimal(cents)}}
}

// show returns an order as the shop gives it, with at most so many lines, parcels and refunds.
func (o *order) show(most, few int) object {
	var shipped, current int64
	nodes := []object{}
	for _, l := range o.lines {
		shipped, current = shipped+o.shipped(l), current+l.current
		nodes = append(nodes, object{"id": l.id, "sku": l.sku, "name": l.name, "quantity": l.quantity, "currentQuantity": l.current,
			"originalTotalSet": euros(l.cents * l.quantity), "originalUnitPriceSet": euros(l.cents),
			"taxLines":         []object{{"priceSet": euros(l.cents * l.quantity / 5)}},
			"customAttributes": []object{{"key": "_app", "value": "1"}, {"key": "Engraving", "value": l.engraving}}})
	}
	state := "UNFULFILLED"
	if shipped > 0 {
		state = "PARTIALLY_FULFILLED"
	}
	if shipped > 0 && shipped >= current {
		state = "FULFILLED"
	}
	parcels := []object{}
	for _, p := range o.parcels {
		lines := []object{}
		for id, n := range p.lines {
			lines = append(lines, object{"quantity": n, "lineItem": object{"id": id}})
		}
		lines = lines[:min(most, len(lines))]
		status := "SUCCESS"
		if p.cancelled {
			status = "CANCELLED"
		}
		parcels = append(parcels, object{"id": p.id, "status": status, "displayStatus": p.display, "createdAt": p.created.Format(time.RFC3339),
			"trackingInfo": p.tracking(), "fulfillmentLineItems": object{"nodes": lines}})
	}
	tax, total := o.amounts(ordered)
	taxNow, totalNow := o.amounts(now)
	place := object{"name": "Ada Lovelace", "address1": "1 rue de la Paix", "city": "Paris", "zip": "75002", "countryCodeV2": "FR",
		"phone": "+33 1"}
	more := object{"hasNextPage": len(nodes) > most, "endCursor": strconv.Itoa(most)}
	out := object{"id": o.id, "name": o.name, "createdAt": o.created.Format(time.RFC3339), "updatedAt": o.updated.Format(time.RFC3339),
		"cancelledAt": nil, "test": o.test,
		"displayFinancialStatus": o.financial, "displayFulfillmentStatus": state, "returnStatus": "NO_RETURN", "email": o.email,
		"currencyCode": "EUR",
		"customer":     object{"firstName": "Ada", "lastName": "Lovelace"}, "shippingAddress": place, "billingAddress": place,
		"shippingLines":         object{"nodes": []object{{"title": "Express & safe", "taxLines": []object{}}}},
		"totalShippingPriceSet": euros(500), "totalTaxSet": euros(tax), "totalPriceSet": euros(total),
		"currentTotalPriceSet": euros(totalNow), "currentTotalTaxSet": euros(taxNow), "totalTipReceivedSet": euros(o.tip),
		"lineItems": object{"pageInfo": more, "nodes": nodes[:min(most, len(nodes))]}, "fulfillments": parcels[:min(few, len(parcels))],
		"refunds": o.refunds[:min(few, len(o.refunds))]}
	if o.cancelled != nil {
		out["cancelledAt"] = o.cancelled.Format(time.RFC3339)
	}
	return out
}

// list answers a page of orders.
func (s *Shop) list(raw json.RawMessage) (object, string) {
	var in struct {
		sized
		After *string
		Query string
	}
	_ = json.Unmarshal(raw, &in)
	if s.costs(in.sized) {
		return nil, "MAX_COST_EXCEEDED"
	}
	from, to := time.Time{}, s.Now()
	for _, part := range strings.Split(in.Query, " AND ") {
		if at, ok := strings.CutPrefix(part, "updated_at:>="); ok {
			from, _ = time.Parse(time.RFC3339, strings.Trim(at, "'"))
		}
		if at, ok := strings.CutPrefix(part, "updated_at:<="); ok {
			to, _ = time.Parse(time.RFC3339, strings.Trim(at, "'"))
		}
	}
	start := 0
	if in.After != nil {
		start, _ = strconv.Atoi(*in.After)
	}
	nodes, end, more, depth := []object{}, start, false, 0
	for i := range s.orders {
		o := s.orders[i]
		if o.updated.Before(from) || o.updated.After(to) {
			continue
		}
		if depth++; depth > s.Deepest {
			return nil, "TOO_DEEP"
		}
		if i < start {
			continue
		}
		if len(nodes) == in.First {
			more = true
			break
		}
		nodes, end = append(nodes, o.show(in.Lines, in.Few)), i+1
	}
	return object{"orders": object{"pageInfo": object{"hasNextPage": more, "endCursor": strconv.Itoa(end)}, "nodes": nodes}}, ""
}

// sized are the bounds that a query for orders names.
type sized struct{ First, Lines, Few int }

// costs reports whether a query for several orders asks for too much.
func (s *Shop) costs(in sized) bool {
	return s.Faults.DearOrders > 0 && in.First*in.Lines > s.Faults.DearOrders || in.First > 250
}

// byID answers orders by their ids.
func (s *Shop) byID(raw json.RawMessage) (object, string) {
	return s.named(raw, func(o *order, in sized) object { return o.show(in.Lines, in.Few) })
}

// named answers something of each order that is named; null for one that is none.
func (s *Shop) named(raw json.RawMessage, of func(*order, sized) object) (object, string) {
	var in struct {
		sized
		IDs []string
	}
	_ = json.Unmarshal(raw, &in)
	if in.First = len(in.IDs); s.costs(in.sized) {
		return nil, "MAX_COST_EXCEEDED"
	}
	nodes := []any{}
	for _, id := range in.IDs {
		if o := s.known(id); o != nil {
			nodes = append(nodes, of(o, in.sized))
		} else {
			nodes = append(nodes, nil)
		}
	}
	return object{"nodes": nodes}, ""
}

func (s *Shop) order(raw json.RawMessage) (object, string) {
	var in struct {
		sized
		ID string
	}
	_ = json.Unmarshal(raw, &in)
	if s.Faults.DearLines > 0 && in.Lines > s.Faults.DearLines {
		return nil, "MAX_COST_EXCEEDED"
	}
	o := s.known(in.ID)
	if o == nil {
		return object{"order": nil}, ""
	}
	return object{"order": o.show(in.Lines, in.Few)}, ""
}

func (s *Shop) moreLines(raw json.RawMessage) (object, string) {
	var in struct{ ID, After string }
	_ = json.Unmarshal(raw, &in)
	from, _ := strconv.Atoi(in.After)
	all := s.known(in.ID).show(1<<20, 1<<20)["lineItems"].(object)["nodes"].([]object)
	return object{"order": object{"lineItems": object{"pageInfo": object{"hasNextPage": false}, "nodes": all[from:]}}}, ""
}
