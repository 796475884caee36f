package commerce

import (
	"context"

	"entrepot/internal/catalog"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// levelResults are the results of a batch, by SKU: whether stock and price that were to be pushed are on the platform now.
type levelResults struct {
	stock, price map[string]bool
	failed       map[string]connector.Result
	underway     map[string]string // operations
}

// note adds the results of a call, which may also have returned an error.
func (d levelResults) note(of map[string]bool, results []connector.Result) {
	for _, result := range results {
		switch result.State {
		case connector.Failed, connector.Gone:
			d.failed[result.SKU] = result
			continue
		case connector.Waiting:
			d.underway[result.SKU] = result.Operation
		}
		if _, asked := of[result.SKU]; asked {
			of[result.SKU] = true
		}
	}
}

// open reports whether stock or price of a SKU is still to be pushed.
func (d levelResults) open(sku string) bool {
	stock, hasStock := d.stock[sku]
	price, hasPrice := d.price[sku]
	return hasStock && !stock || hasPrice && !price
}

// settleLevels stores what the platform shows now. Items that were not reached, or that changed during the push, stay due.
func (r *channelRun) settleLevels(ctx context.Context, due []dueLevel, done levelResults) error {
	return r.write(ctx, func(tx *db.Tx) error {
		for _, d := range due {
			item := d.Item
			item.StockDue, item.CheckDue, item.Error = false, false, ""
			if item.Operation = done.underway[d.SKU]; item.Operation != "" {
				r.underway = true
			}
			switch result, refused := done.failed[d.SKU]; {
			case refused && result.State == connector.Gone:
				r.fail(d.SKU, d.ExternalProduct, "gone", "gone on the platform")
				catalog.SettlePublication(tx, r.channel.ID, d.Product, catalog.PublicationFailed, "", "", d.SKU+": gone on the platform")
				item.ExternalProduct, item.ExternalVariant, item.Content, item.Quantity, item.Price = "", "", "", nil, ""
			case refused:
				item.Error, item.StockDue = result.Error, result.Again
				r.fail(d.SKU, d.ExternalProduct, "refused", result.Error)
			case d.sold:
				item.StockDue = done.open(d.SKU)
				r.reached(&item, d, done)
			}
			channelsync.Put(tx, item)
		}
		return nil
	})
}

// reached stores in an item what the platform shows now.
func (r *channelRun) reached(item *channelsync.Item, d dueLevel, done levelResults) {
	if pushed, was := done.stock[d.SKU]; d.quantity != connector.NotOurs && (pushed || !was) {
		n := d.quantity
		item.Quantity = &n
		r.pushed(pushed)
	}
	if pushed, was := done.price[d.SKU]; pushed || !was {
		item.Price = d.priceText()
		r.pushed(pushed)
	}
}

// pushed counts a write to the platform.
func (r *channelRun) pushed(really bool) {
	if really {
		r.job.Processed++
		r.job.Updated++
	}
}
