package commerce

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"entrepot/internal/catalog"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/jobs"
)

// levelResults are the results of a batch, by SKU: whether stock and price that were to be pushed are on the platform now.
type levelResults struct {
	stock, price map[string]bool
	failed       map[string]connector.Result
	resting      map[string]connector.Result // of which something is left out until a time
	underway     map[string]string           // operations
	off          map[string]string           // why the platform took SKUs off sale, "" for those that are on sale
}

// levelResultsOf are the results of a batch of which nothing is on the platform yet.
func levelResultsOf(stocks []connector.StockItem, prices []connector.PriceItem, off map[string]string) levelResults {
	done := levelResults{stock: map[string]bool{}, price: map[string]bool{}, failed: map[string]connector.Result{},
		resting: map[string]connector.Result{}, underway: map[string]string{}, off: off}
	for _, i := range stocks {
		done.stock[i.SKU] = false
	}
	for _, i := range prices {
		done.price[i.SKU] = false
	}
	return done
}

// note adds the results of a call, which may also have returned an error; of is stock or price.
func (d levelResults) note(of map[string]bool, prices bool, results []connector.Result) {
	for _, result := range results {
		if !result.Rests.IsZero() {
			if d.resting[result.SKU] = result; prices || result.State == connector.Failed {
				continue
			}
		}
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
	err := r.writeItems(ctx, func(tx *db.Tx) error {
		publications, err := r.publicationsOf(tx, due, done)
		if err != nil {
			return err
		}
		for _, d := range due {
			item := d.Item
			item.StockDue, item.CheckDue, item.Error = false, d.lookLater, r.watched(tx, d, done.off, publications)
			if item.Operation = done.underway[d.SKU]; item.Operation != "" {
				r.underway, r.news = true, true
			}
			switch result, refused := done.failed[d.SKU]; {
			case refused && result.State == connector.Gone:
				r.fail(d.SKU, d.ExternalProduct, "gone", "gone on the platform")
				publications.Fail(tx, d.Product, d.SKU+": gone on the platform")
				item.ExternalProduct, item.ExternalVariant, item.Content, item.Quantity, item.Price = "", "", "", nil, ""
			case refused:
				item.Error, item.StockDue = cmp.Or(item.Error, result.Error), result.Again
				r.fail(d.SKU, d.ExternalProduct, "refused", result.Error)
			case d.sold:
				item.StockDue = done.open(d.SKU)
				r.reached(&item, d, done)
				if rests, ok := done.resting[d.SKU]; ok {
					item.Error = cmp.Or(item.Error, rests.Error)
					r.rests(rests.Rests)
				}
			}
			channelsync.Put(tx, item)
		}
		return nil
	})
	return r.orDoubt(ctx, err, slices.Concat(slices.Collect(maps.Keys(done.stock)), slices.Collect(maps.Keys(done.price))), false)
}

// orDoubt handles the error with which the outcome of a push was stored. If another node has the job, because this one stood still for so
// long, that one may have pushed newer values in between, which these have overtaken: all are pushed again.
func (r *channelRun) orDoubt(ctx context.Context, err error, skus []string, content bool) error {
	if len(skus) == 0 || !errors.Is(err, jobs.ErrLost) {
		return err
	}
	return errors.Join(err, r.store.Write(ctx, r.job.Tenant, func(tx *db.Tx) error {
		if _, err := r.held(tx); err != nil {
			return err
		}
		channelsync.Doubt(tx, r.channel.ID, skus, content)
		jobs.InsertOnce(tx, r.job.Type, r.channel.ID, unasked)
		return nil
	}))
}

// publicationsOf reads the publications of what was looked at or refused.
func (r *channelRun) publicationsOf(tx *db.Tx, due []dueLevel, done levelResults) (*catalog.Publications, error) {
	var products []id.Product
	for _, d := range due {
		_, seen := done.off[d.SKU]
		_, refused := done.failed[d.SKU]
		if seen || refused {
			products = append(products, d.Product)
		}
	}
	slices.Sort(products)
	return catalog.ReadPublications(tx, r.channel.ID, slices.Compact(products)...)
}

// offSale is what the error of an item begins with that its platform took off sale.
const offSale = "the platform took it off sale: "

// watched fails the publication of a product that the platform took off sale, and publishes it once it is back. It returns the error of the
// item, which stays until then.
func (r *channelRun) watched(tx *db.Tx, d dueLevel, off map[string]string, publications *catalog.Publications) string {
	was := ""
	if strings.HasPrefix(d.Error, offSale) {
		was = d.Error
	}
	reason, seen := off[d.SKU]
	switch {
	case !seen:
		return was
	case reason == "" && was != "":
		publications.BackOnSale(tx, d.Product, d.SKU+": "+was)
		return ""
	case reason == "":
		return ""
	}
	if reason = offSale + reason; publications.Status(d.Product) == catalog.PublicationPublished {
		publications.Fail(tx, d.Product, d.SKU+": "+reason)
		r.fail(d.SKU, d.ExternalProduct, "off_sale", reason)
	} else if was != "" {
		return was // as the publication has it
	}
	return reason
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
