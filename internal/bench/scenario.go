package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// scenario is one kind of traffic.
type scenario struct {
	name         string
	unit         string // what one item is
	clients      int    // connections, when the caller does not say
	seed         func(ctx context.Context, c *campaign, a *account) error
	source       func(c *campaign, a *account, client int) source
	run          func(ctx context.Context, c *campaign, result *Result) error // instead of source, if a plain loop is not enough
	baseline     baselineTask                                                 // nil: there is nothing to compare with
	baselineSays string

	baselineNeedsOrders bool // the baseline is filled with orders first
	apart               bool // it needs more than others and is not part of "all"
}

// scenarios are all kinds of traffic, in the order in which "all" runs them.
var scenarios = []scenario{
	{name: "orders", unit: "order", clients: 32, seed: seedProducts, source: newOrderSource,
		baseline: baselineOrders, baselineSays: "order, 3 lines, 3 reservations, customer, 2 events, idempotency row in one commit"},
	{name: "order-read", unit: "order", clients: 16, seed: seedOrders, source: newOrderReadSource,
		baseline: baselineOrderRead, baselineNeedsOrders: true, baselineSays: "order and its lines, 2 queries"},
	{name: "order-list", unit: "page", clients: 16, seed: seedOrders, source: newOrderListSource,
		baseline: baselineOrderList, baselineNeedsOrders: true,
		baselineSays: "20 orders by status and date, and their lines, 2 queries, no total"},
	{name: "bulk-import", unit: "product", clients: 2, seed: seedNothing, source: newImportSource,
		baseline: baselineImport, baselineSays: "1,000 new products, all they bring and their events in one transaction"},
	{name: "prices", unit: "price", clients: 2, seed: seedProducts, source: newPriceSource,
		baseline: baselinePrices, baselineSays: "5,000 prices and their events in one transaction"},
	{name: "stock", unit: "level", clients: 2, seed: seedProducts, source: newStockSource,
		baseline: baselineStock, baselineSays: "5,000 levels, their ledger rows and events in one transaction"},
	{name: "feed-products", unit: "entry", clients: 1, seed: seedProducts, source: newProductFeedSource,
		baseline: baselineProductFeed, baselineSays: "1,000 products by change stamp, one query"},
	{name: "feed-inventory", unit: "entry", clients: 1, seed: seedProducts, source: newInventoryFeedSource,
		baseline: baselineInventoryFeed, baselineSays: "1,000 levels by change stamp, one query"},
	{name: "deliveries", unit: "delivery", clients: 4, seed: seedProducts, run: runDeliveries},
	{name: "beside", unit: "order", clients: 16, seed: seedProducts, run: runBeside, apart: true},
	{name: "outages", unit: "delivery", clients: 4, seed: seedProducts, run: runOutages, apart: true},
	{name: "neighbours", unit: "page", clients: 8, seed: seedOrders, run: runNeighbours, apart: true},
}

// groups are names that stand for several scenarios.
var groups = map[string][]string{
	"feed": {"feed-products", "feed-inventory"},
}

// ScenarioNames lists the names of scenarios and groups.
func ScenarioNames() []string {
	names := []string{"all", "feed"}
	for _, s := range scenarios {
		names = append(names, s.name)
	}
	return names
}

// choose finds scenarios by name, in the order given; no name means all.
func choose(names []string) ([]scenario, error) {
	all := slices.DeleteFunc(slices.Clone(scenarios), func(s scenario) bool { return s.apart })
	if len(names) == 0 {
		return all, nil
	}
	var chosen []scenario
	for _, name := range names {
		if name == "all" {
			return all, nil
		}
		wanted, isGroup := groups[name]
		if !isGroup {
			wanted = []string{name}
		}
		before := len(chosen)
		for _, s := range scenarios {
			for _, w := range wanted {
				if s.name == w {
					chosen = append(chosen, s)
				}
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("unknown scenario %q: one of %s", name, strings.Join(ScenarioNames(), ", "))
		}
	}
	return chosen, nil
}

func seedNothing(context.Context, *campaign, *account) error { return nil }
