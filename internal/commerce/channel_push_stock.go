package commerce

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// pushStock pushes stock and prices of the items that are due. Orders are pulled first: otherwise units that were
// sold on the platform, in orders not stored here yet, would be offered again.
func (r *channelRun) pushStock(ctx context.Context) error {
	if !r.does.Stock && !r.does.Prices {
		return connector.Failf(connector.Cannot, "the platform takes neither stock nor prices")
	}
	if err := r.pullBefore(ctx); err != nil {
		return err
	}
	most := max(r.does.Batch.Stock, r.does.Batch.Prices, 1)
	var later error
	var after channelsync.Item
	for {
		due, err := r.dueStock(ctx, &after, most)
		if err != nil {
			return err
		}
		if len(due) == 0 && later == nil && r.looked == looksOfRun {
			return r.write(ctx, r.pushStockNext)
		}
		if len(due) == 0 {
			return later
		}
		refused, err := r.pushLevels(ctx, due)
		if err != nil {
			return err
		}
		if refused != nil {
			later = refused
		}
		if err := r.giveWay(ctx); err != nil {
			return err
		}
	}
}

// pullBefore pulls orders, unless the platform must not be asked again yet. It waits for a pull of many pages that is
// under way: a concurrent one would use up the platform's permits and begin at the first page each time.
func (r *channelRun) pullBefore(ctx context.Context) error {
	if !r.does.Orders {
		return nil
	}
	if lately, err := r.pulledLately(ctx, r.does.Time.Every); lately || err != nil {
		return err
	}
	var pull *jobs.Job
	err := r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) (err error) {
		pull, err = jobs.PendingOnChannel(tx, jobs.OrderPull, r.channel.ID)
		return err
	})
	if err != nil {
		return err
	}
	if pull != nil && placeOf(*pull).Page != "" {
		return &pause{until: time.UnixMicro(max(pull.DueAt, r.store.Now().UnixMicro())).Add(firstHold)}
	}
	return r.pullOrders(ctx)
}

// dueLevel is a SKU whose stock or price is due, with the values for the platform.
type dueLevel struct {
	channelsync.Item
	quantity  int64
	price     money.Amount
	compareAt *money.Amount
	currency  string
	sold      bool // false for the parent of variants, which has neither stock nor price of its own
	lookLater bool // see looksOfRun
}

// looksOfRun is how many items one run of a push reads on a platform that takes a request for each: changes of stock
// do not wait for a daily check of all of them. The others are due for the next run.
const looksOfRun = 100

// priceText is the form in which a pushed price is stored for comparison.
func (d dueLevel) priceText() string {
	if d.compareAt != nil && *d.compareAt > d.price {
		return d.price.String() + "<" + d.compareAt.String()
	}
	return d.price.String()
}

// dueStock reads the next items that are due, and moves after to the last of them. Items of deleted products are no
// longer due.
func (r *channelRun) dueStock(ctx context.Context, after *channelsync.Item, limit int) (due []dueLevel, err error) {
	for {
		var orphans []channelsync.Item
		from := *after
		err = r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) error {
			due, orphans = nil, nil
			items, err := channelsync.StockDue(tx, r.channel.ID, from, limit)
			if err != nil || len(items) == 0 {
				return err
			}
			*after = items[len(items)-1]
			var products []id.Product
			for _, i := range items {
				products = append(products, i.Product)
			}
			slices.Sort(products)
			read, err := r.readListings(tx, slices.Compact(products), nil)
			if err != nil {
				return err
			}
			for _, i := range items {
				if d, ok := levelOf(i, read[i.Product]); ok {
					due = append(due, d)
				} else {
					orphans = append(orphans, i)
				}
			}
			return nil
		})
		if err != nil || len(orphans) == 0 {
			return due, err
		}
		if err := r.writeItems(ctx, func(tx *db.Tx) error {
			for _, i := range orphans {
				i.StockDue, i.CheckDue = false, false
				channelsync.Put(tx, i)
			}
			return nil
		}); err != nil || len(due) > 0 {
			return due, err
		}
	}
}

func levelOf(i channelsync.Item, listed listing) (dueLevel, bool) {
	d := dueLevel{Item: i, currency: listed.Currency, sold: true}
	if listed.SKU == i.SKU {
		d.quantity, d.price, d.compareAt, d.sold = listed.Quantity, listed.Price, listed.CompareAt, len(listed.Variants) == 0
		return d, true
	}
	for _, v := range listed.Variants {
		if v.SKU == i.SKU {
			d.quantity, d.price, d.compareAt = v.Quantity, v.Price, v.CompareAt
			return d, true
		}
	}
	return d, false
}

// pushLevels pushes one batch: it reads what may have changed on the platform, and writes the values that differ.
// refused is the failure of one item that a later try may push or read.
func (r *channelRun) pushLevels(ctx context.Context, due []dueLevel) (refused, err error) {
	shown, off, refused, err := r.shownStock(ctx, due)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	stocks, prices := r.differing(due, shown)
	done := levelResultsOf(stocks, prices, off)
	if err := r.forgetLevels(ctx, due, done); err != nil {
		return nil, err
	}
	err = r.setLevels(ctx, stocks, prices, done)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if settled := r.settleLevels(ctx, due, done); settled != nil || err != nil {
		return nil, errors.Join(err, settled)
	}
	r.took = r.took || len(done.stock)+len(done.price) > 0
	for sku, result := range done.failed {
		if result.State == connector.Failed && result.Again {
			refused = connector.Failf(connector.Temporary, "%s: %s", sku, result.Error)
		}
	}
	return refused, nil
}

// differing notes in due which quantities the platform shows, and returns the stock and prices that differ.
func (r *channelRun) differing(due []dueLevel, shown map[string]int64) (stocks []connector.StockItem, prices []connector.PriceItem) {
	for i := range due {
		d := &due[i]
		counted := d.sold && r.does.Stock && d.quantity != connector.NotOurs
		if counted && d.CheckDue {
			if n, ok := shown[d.SKU]; ok {
				d.Quantity = &n
			} else {
				d.Quantity = nil
			}
		}
		if counted && (d.Quantity == nil || *d.Quantity != d.quantity) {
			stocks = append(stocks, connector.StockItem{Item: asItem(d.Item), Quantity: d.quantity})
		}
		if d.sold && r.does.Prices && d.Price != d.priceText() {
			prices = append(prices, connector.PriceItem{Item: asItem(d.Item), Price: d.price, CompareAt: d.compareAt, Currency: d.currency})
		}
	}
	return stocks, prices
}

// forgetLevels notes that the platform's values which are about to be written are unknown: an answer may get lost, or
// this node may die meanwhile. The level is written again until a write has succeeded, even if by then it is what it
// was before.
func (r *channelRun) forgetLevels(ctx context.Context, due []dueLevel, done levelResults) error {
	if len(done.stock)+len(done.price) == 0 {
		return nil
	}
	return r.writeItems(ctx, func(tx *db.Tx) error {
		for i := range due {
			d := &due[i]
			_, stock := done.stock[d.SKU]
			_, price := done.price[d.SKU]
			if stock {
				d.Quantity = nil
			}
			if price {
				d.Price = ""
			}
			if stock || price {
				channelsync.Put(tx, d.Item)
			}
		}
		return nil
	})
}

// setLevels writes stock and prices, until the platform fails.
func (r *channelRun) setLevels(ctx context.Context, stocks []connector.StockItem, prices []connector.PriceItem, done levelResults) error {
	if both, ok := r.session.(connector.LevelSetter); ok {
		if len(stocks)+len(prices) == 0 {
			return nil
		}
		results, err := both.SetLevels(ctx, stocks, prices)
		done.note(done.stock, false, results)
		done.note(done.price, true, results)
		return err
	}
	for piece := range slices.Chunk(stocks, max(r.does.Batch.Stock, 1)) {
		results, err := r.session.SetStock(ctx, piece)
		if done.note(done.stock, false, results); err != nil {
			return err
		}
	}
	for piece := range slices.Chunk(prices, max(r.does.Batch.Prices, 1)) {
		results, err := r.session.SetPrices(ctx, piece)
		if done.note(done.price, true, results); err != nil {
			return err
		}
	}
	return nil
}

// shownStock reads the platform's stock of the items that may have changed there, and which of them are off sale.
// unseen is the failure of a read: stock and prices do not wait for items that it has not reached.
func (r *channelRun) shownStock(ctx context.Context, due []dueLevel) (shown map[string]int64, off map[string]string, unseen, err error) {
	looker, looks := r.session.(connector.Looker)
	var ask, known []connector.Item
	for i := range due {
		d := &due[i]
		if !d.CheckDue || !d.sold || d.quantity == connector.NotOurs {
			continue
		}
		ask = append(ask, asItem(d.Item))
		switch {
		case !looks || d.Quantity == nil: // it has just been put on sale
		case r.looked == looksOfRun:
			d.lookLater = true
		default:
			r.looked++
			known = append(known, asItem(d.Item))
		}
	}
	if len(ask) == 0 || !r.does.Stock {
		return nil, nil, nil, nil
	}
	shown, err = r.session.ReadStock(ctx, ask)
	if connector.Is(err, connector.Cannot) {
		return nil, nil, nil, nil
	}
	if w, ok := r.session.(connector.Watcher); ok && err == nil {
		off = w.OffSale()
	}
	if err == nil && len(known) > 0 {
		if off, unseen = looker.Look(ctx, known); unseen != nil {
			lookLater(due, known, off)
		}
	}
	return shown, off, unseen, err
}

// lookLater has items that were to be read, and were not, read by a later run.
func lookLater(due []dueLevel, known []connector.Item, seen map[string]string) {
	for i := range due {
		d := &due[i]
		if _, ok := seen[d.SKU]; !ok && slices.ContainsFunc(known, func(it connector.Item) bool { return it.SKU == d.SKU }) {
			d.lookLater = true
		}
	}
}
