package commerce

import (
	"context"
	"slices"

	"entrepot/internal/catalog"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/jobs"
)

// pollBatch is how many operations the platform is asked about at a time.
const pollBatch = 100

// pollOperations asks the platform what became of what it works on.
func (r *channelRun) pollOperations(ctx context.Context) error {
	if !r.does.Async {
		return nil
	}
	after := ""
	for {
		var operations []string
		err := r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) (err error) {
			operations, err = channelsync.Operations(tx, r.channel.ID, after, pollBatch)
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
		if err := r.settleOperations(ctx, results); err != nil {
			return err
		}
		if failed != nil {
			return failed
		}
	}
}

// settleOperations stores what became of operations. A result without SKU is about all of its operation's that have none of their own.
func (r *channelRun) settleOperations(ctx context.Context, results []connector.Result) error {
	if len(results) == 0 {
		return nil
	}
	return r.write(ctx, func(tx *db.Tx) error {
		ended := map[id.Product][]endedItem{}
		for _, operation := range operationsOf(results) {
			items, err := channelsync.OfOperation(tx, r.channel.ID, operation.name)
			if err != nil {
				return err
			}
			for _, item := range items {
				result, ok := operation.result(item.SKU)
				if !ok || result.State == connector.Waiting {
					r.underway = true
					continue
				}
				ended[item.Product] = append(ended[item.Product], endedItem{item, result})
			}
		}
		for product, items := range ended {
			if err := r.settleEnded(tx, product, items); err != nil {
				return err
			}
		}
		return r.pushStockNext(tx)
	})
}

// operationResults are the results of one operation.
type operationResults struct {
	name  string
	bySKU map[string]connector.Result
}

// result is what became of a SKU.
func (o operationResults) result(sku string) (result connector.Result, ok bool) {
	if result, ok = o.bySKU[sku]; !ok {
		result, ok = o.bySKU[""]
		result.SKU = sku
	}
	return result, ok
}

// operationsOf sorts results by their operations, in the order in which these come first.
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

// endedItem is an item on which the platform no longer works.
type endedItem struct {
	channelsync.Item
	result connector.Result
}

// settleEnded stores what became of a product's items. A publication that waited for the last of them is published, unless one failed.
func (r *channelRun) settleEnded(tx *db.Tx, product id.Product, items []endedItem) error {
	all, err := channelsync.OfProducts(tx, r.channel.ID, []id.Product{product})
	if err != nil {
		return err
	}
	before, err := catalog.PublishedOn(tx, r.channel.ID, []id.Product{product})
	if err != nil {
		return err
	}
	working := 0
	for _, i := range all {
		if i.Operation != "" {
			working++
		}
	}
	waited := before[product] == catalog.PublicationPending
	external, url, reason := "", "", ""
	for _, i := range items {
		working--
		item, result := i.Item, i.result
		item.Operation, item.Error = "", ""
		if result.IDs.Product != "" {
			item.ExternalProduct, item.ExternalVariant = result.IDs.Product, result.IDs.Variant
			if result.IDs.Other != nil {
				item.SetOther(result.IDs.Other)
			}
			external, url = result.IDs.Product, result.URL
		}
		if result.State != connector.Live {
			item.Error = result.Error
			item.StockDue, item.CheckDue = item.StockDue || result.Again, item.CheckDue || result.Again
			item.Quantity, item.Price = nil, "" // what the platform shows is not known
			if reason == "" {
				reason = result.SKU + ": " + result.Error
			}
			r.fail(result.SKU, item.ExternalProduct, "refused", result.Error)
		}
		channelsync.Put(tx, item)
		r.job.Processed++
		r.job.Updated++
	}
	switch {
	case waited && reason != "":
		catalog.SettlePublication(tx, r.channel.ID, product, catalog.PublicationFailed, external, url, reason)
	case waited && working == 0:
		catalog.SettlePublication(tx, r.channel.ID, product, catalog.PublicationPublished, external, url, "")
	}
	return nil
}

// pushStockNext queues a push of the stock that had to wait until the platform had done what came before.
func (r *channelRun) pushStockNext(tx *db.Tx) error {
	counts, err := channelsync.CountDue(tx, r.channel.ID)
	if err == nil && counts.Stock > 0 {
		jobs.InsertOnce(tx, jobs.StockPush, r.channel.ID)
	}
	return err
}
