package commerce

import (
	"cmp"
	"context"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// pollBatch is how many operations are named in one request to the platform.
const pollBatch = 100

// pollOperations asks the platform for the results of its operations, and of its reviews.
func (r *channelRun) pollOperations(ctx context.Context) error {
	if !r.does.Async {
		return nil
	}
	if err := r.pollAll(ctx, channelsync.Operations, r.settleOperations); err != nil {
		return err
	}
	return r.pollAll(ctx, channelsync.Reviews, r.settleReviews)
}

// pollAll asks the platform for the results of everything in a list and stores them.
func (r *channelRun) pollAll(ctx context.Context, list func(*db.Tx, id.Channel, string, int) ([]string, error),
	settle func(context.Context, []connector.Result) error) error {
	after := ""
	for {
		var operations []string
		err := r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) (err error) {
			operations, err = list(tx, r.channel.ID, after, pollBatch)
			return err
		})
		if err != nil || len(operations) == 0 {
			return err
		}
		after = operations[len(operations)-1]
		results, failed := r.session.Poll(ctx, operations)
		for _, operation := range operations {
			said := func(result connector.Result) bool { return result.Operation == operation }
			r.underway = r.underway || !slices.ContainsFunc(results, said)
		}
		if err := settle(ctx, results); err != nil {
			return err
		}
		if failed != nil {
			return failed
		}
	}
}

// settleOperations stores the results of operations. A result without SKU applies to all SKUs of its operation that
// have no result of their own.
func (r *channelRun) settleOperations(ctx context.Context, results []connector.Result) error {
	if len(results) == 0 {
		return nil
	}
	var off []connector.Item
	err := r.writeItems(ctx, func(tx *db.Tx) error {
		off = nil
		ended := map[id.Product][]endedItem{}
		for _, operation := range operationsOf(results) {
			items, err := channelsync.OfOperation(tx, r.channel.ID, operation.name)
			if err != nil {
				return err
			}
			for _, item := range items {
				result, named, ok := operation.result(item.SKU)
				if !ok || result.State == connector.Waiting {
					r.underway = true
					if result.Next != "" {
						r.news, item.Operation = true, result.Next
						channelsync.Put(tx, item)
					}
					continue
				}
				r.news = true
				ended[item.Product] = append(ended[item.Product], endedItem{item, result, named})
			}
		}
		for product, items := range ended {
			more, err := r.settleEnded(tx, product, items)
			if err != nil {
				return err
			}
			off = append(off, more...)
		}
		return r.pushStockNext(tx)
	})
	if err != nil || len(off) == 0 {
		return err
	}
	return r.takeBack(ctx, off)
}

// takeBack takes SKUs off the platform that were put on sale together with refused ones. Until that is done they
// count as on the platform, and their stock is set.
func (r *channelRun) takeBack(ctx context.Context, off []connector.Item) error {
	results, err := r.session.Unpublish(ctx, off, true)
	if err != nil {
		return err
	}
	var skus []string
	for _, i := range off {
		skus = append(skus, i.SKU)
	}
	for _, result := range results {
		if result.State == connector.Failed {
			skus = slices.DeleteFunc(skus, func(sku string) bool { return sku == result.SKU })
		}
	}
	return r.writeItems(ctx, func(tx *db.Tx) error {
		items, err := channelsync.OfSKUs(tx, r.channel.ID, skus)
		for _, i := range items {
			i.ExternalProduct, i.ExternalVariant, i.Content = "", "", ""
			channelsync.Put(tx, i)
		}
		return err
	})
}

// operationResults are the results of one operation.
type operationResults struct {
	name  string
	bySKU map[string]connector.Result
}

// result is the result for a SKU.
func (o operationResults) result(sku string) (result connector.Result, named, ok bool) {
	if result, named = o.bySKU[sku]; named {
		return result, true, true
	}
	result, ok = o.bySKU[""]
	result.SKU = sku
	return result, false, ok
}

// operationsOf groups results by their operations, in the order in which these occur first.
func operationsOf(results []connector.Result) (list []operationResults) {
	at := map[string]int{}
	for _, result := range results {
		i, known := at[result.Operation]
		if !known {
			i = len(list)
			at[result.Operation] = i
			list = append(list, operationResults{result.Operation, map[string]connector.Result{}})
		}
		list[i].bySKU[result.SKU] = result
	}
	return list
}

// endedItem is an item that the platform has finished processing.
type endedItem struct {
	channelsync.Item
	result connector.Result
	named  bool // the result is about this SKU alone
}

// settleEnded stores the results of a product's items. If a publication waited for the last of them, it is published,
// unless one failed: then settleEnded returns everything that was created with it, to be taken off sale.
func (r *channelRun) settleEnded(tx *db.Tx, product id.Product, items []endedItem) (off []connector.Item, err error) {
	all, err := channelsync.OfProducts(tx, r.channel.ID, []id.Product{product})
	if err != nil {
		return nil, err
	}
	publications, err := catalog.ReadPublications(tx, r.channel.ID, product)
	if err != nil {
		return nil, err
	}
	working, waited, reason, again := -len(items), publications.Status(product) == catalog.PublicationPending, "", true
	for _, i := range all {
		if i.Operation != "" {
			working++
		}
	}
	for _, i := range items {
		if i.result.State != connector.Live {
			reason = cmp.Or(reason, i.result.SKU+": "+i.problem())
			again = again && i.result.Again
		}
	}
	var own connector.Result // the listing that buyers see
	for _, i := range items {
		item := i.after()
		switch failed := i.result.State != connector.Live; {
		case failed:
			r.fail(i.result.SKU, i.ExternalProduct, "refused", i.problem())
		case waited && reason != "" && i.named:
			off = append(off, asItem(item))
			item.Content = ""
		case own.IDs.Product == "" || i.Variant == "":
			own = i.result
		}
		channelsync.Put(tx, item)
		r.job.Processed++
		r.job.Updated++
	}
	switch {
	case waited && reason != "" && again: // it is pushed once more
		publications.Settle(tx, product, catalog.PublicationPending, "", "", reason)
	case waited && reason != "":
		publications.Fail(tx, product, reason)
	case waited && working == 0:
		publications.Settle(tx, product, catalog.PublicationPublished, own.IDs.Product, own.URL, "")
	case slices.ContainsFunc(items, func(i endedItem) bool { return i.result.State == connector.Gone }):
		publications.Fail(tx, product, reason)
	}
	return off, nil
}

// problem is the reason, for a merchant, why an item is not on sale.
func (i endedItem) problem() string {
	if i.result.State == connector.Gone {
		return "gone on the platform"
	}
	return i.result.Error
}

// after is the item with its result applied.
func (i endedItem) after() channelsync.Item {
	item, result := i.Item, i.result
	item.Operation, item.Error = "", ""
	switch {
	case result.State == connector.Live:
		if result.IDs.Product != "" {
			item.ExternalProduct, item.ExternalVariant = result.IDs.Product, result.IDs.Variant
			if result.IDs.Other != nil {
				item.SetOther(result.IDs.Other, connector.NotifiedID)
			}
		}
		return item
	case result.State == connector.Gone:
		item.ExternalProduct, item.ExternalVariant, item.Content = "", "", ""
	}
	item.Error = result.Error
	item.StockDue, item.CheckDue = item.StockDue || result.Again, item.CheckDue || result.Again
	item.Quantity, item.Price = nil, "" // what the platform shows is unknown
	return item
}

// pushStockNext queues a push of the stock that waited for the platform to complete the operation.
func (r *channelRun) pushStockNext(tx *db.Tx) error {
	counts, err := channelsync.CountDue(tx, r.channel.ID)
	if err == nil && counts.Stock > 0 {
		jobs.InsertOnce(tx, jobs.StockPush, r.channel.ID, unasked)
	}
	return err
}
