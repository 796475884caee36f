package commerce

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"entrepot/internal/catalog"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/jobs"
)

// productOutcome is what the results for a product's SKUs say of the product.
type productOutcome struct {
	status        catalog.PublicationStatus
	reason        string // why it failed
	external, url string // of the product itself
	again         bool   // it may succeed when it is tried again
	underway      bool   // the platform still works on it
	rests         time.Time
}

func outcomeOf(sku string, results []connector.Result) (o productOutcome) {
	o.status = catalog.PublicationPublished
	if len(results) == 0 {
		o.status, o.reason = catalog.PublicationFailed, "the platform said nothing about it"
	}
	for _, result := range results {
		o.add(result)
		if result.SKU == sku {
			o.external, o.url = result.IDs.Product, connector.WebAddress(result.URL)
		}
	}
	return o
}

// add is what the result for one more SKU makes of it: the worst counts.
func (o *productOutcome) add(result connector.Result) {
	published := o.status == catalog.PublicationPublished
	switch result.State {
	case connector.Waiting:
		o.underway = true
		if published {
			o.status = catalog.PublicationPending
		}
	case connector.Live:
		reviewed := result.Review != "" && published
		o.underway = o.underway || reviewed
		if reviewed && !result.Shown { // its previous version is still on sale
			o.status = catalog.PublicationPending
		}
	case connector.Failed, connector.Gone:
		o.rests = latest(o.rests, result.Rests)
		if o.again = o.again || result.Again; o.reason == "" {
			o.reason = result.SKU + ": " + result.Error
		}
		o.status = catalog.PublicationFailed
	}
}

// settlePushed stores what became of products that were pushed.
func (r *channelRun) settlePushed(tx *db.Tx, push []*listing, of map[*listing][]connector.Result, later *error) error {
	products := make([]id.Product, len(push))
	for i, listed := range push {
		products[i] = id.Product(listed.ID)
	}
	publications, err := catalog.ReadPublications(tx, r.channel.ID, products...)
	if err != nil {
		return err
	}
	if err := markStale(tx, push); err != nil {
		return err
	}
	overwritten, err := r.keepApart(tx, of)
	if err != nil {
		return err
	}
	for _, listed := range push {
		r.settleProduct(tx, publications, listed, of[listed], later)
	}
	if len(overwritten) > 0 {
		channelsync.Doubt(tx, r.channel.ID, overwritten, true)
		jobs.InsertOnce(tx, jobs.ProductPush, r.channel.ID, unasked)
	}
	return nil
}

// markStale finds which products have changed, or were deleted, since they were read for their first push. Those that have an item are
// marked with the account's other changes.
func markStale(tx *db.Tx, push []*listing) error {
	first := map[id.Product]*listing{}
	for _, listed := range push {
		if listed.known[listed.SKU].SKU == "" {
			first[id.Product(listed.ID)], listed.stale = listed, true
		}
	}
	if len(first) == 0 {
		return nil
	}
	now, err := catalog.ByIDs(tx, slices.Collect(maps.Keys(first)))
	for _, p := range now {
		first[p.ID].stale = p.ChangedAt != first[p.ID].stamp
	}
	return err
}

// settleProduct stores the results for a product's SKUs.
func (r *channelRun) settleProduct(tx db.Writer, publications *catalog.Publications, listed *listing, results []connector.Result,
	later *error) {
	o := outcomeOf(listed.SKU, results)
	r.underway, r.news = r.underway || o.underway, r.news || o.underway
	if o.status == catalog.PublicationFailed && o.again {
		o.status = catalog.PublicationPending
		if o.rests.IsZero() {
			*later = connector.Failf(connector.Temporary, "%s", o.reason)
		}
	}
	publications.Settle(tx, id.Product(listed.ID), o.status, o.external, o.url, o.reason)
	if !o.rests.IsZero() { // it is as it was, and due still
		r.rests(o.rests)
		return
	}
	for _, result := range results {
		channelsync.Put(tx, r.itemAfter(listed, result, o.status))
	}
	for sku, item := range listed.known { // variants that the product no longer has
		if _, still := listed.ids[sku]; !still {
			channelsync.Drop(tx, item)
		}
	}
	r.job.Processed++
	switch {
	case o.status == catalog.PublicationFailed:
		r.fail(listed.SKU, o.external, "refused", o.reason)
	case listed.known[listed.SKU].ExternalProduct == "":
		r.job.Created++
	default:
		r.job.Updated++
	}
}

// keepApart fails products of which the platform takes a SKU for one that it has of another product, because they differ in case alone:
// each would take the other's place there with every push. It returns the SKUs of the other products, which are to be pushed again, to be
// as they were.
func (r *channelRun) keepApart(tx *db.Tx, by map[*listing][]connector.Result) (overwritten []string, err error) {
	for listed, results := range by {
		for _, result := range results {
			if result.IDs.Product == "" || listed.known[result.SKU].ExternalProduct != "" {
				continue
			}
			other, err := channelsync.SKUOf(tx, r.channel.ID, result.IDs.Product, result.IDs.Variant)
			if err != nil {
				return nil, err
			}
			if other == result.SKU || !strings.EqualFold(other, result.SKU) {
				continue
			}
			skus, err := r.skusBeside(tx, other, id.Product(listed.ID))
			if err != nil {
				return nil, err
			}
			if len(skus) > 0 {
				overwritten = append(overwritten, skus...)
				by[listed] = connector.FailedProduct(&listed.Product, connector.Failf(connector.Rejected,
					"the platform takes its SKU %s for %s, which another product has: give one of both another SKU", result.SKU, other), false)
				break
			}
		}
	}
	return overwritten, nil
}

// skusBeside are all SKUs of the product with one of them, if it is on the channel and not a given one.
func (r *channelRun) skusBeside(tx *db.Tx, sku string, but id.Product) (skus []string, err error) {
	items, err := channelsync.OfSKUs(tx, r.channel.ID, []string{sku})
	if err != nil || len(items) == 0 || items[0].Product == but {
		return nil, err
	}
	product := items[0].Product
	publications, err := catalog.ReadPublications(tx, r.channel.ID, product)
	if err != nil {
		return nil, err
	}
	if s := publications.Status(product); s != catalog.PublicationPublished && s != catalog.PublicationPending {
		return nil, nil
	}
	items, err = channelsync.OfProducts(tx, r.channel.ID, []id.Product{product})
	for _, i := range items {
		skus = append(skus, i.SKU)
	}
	return skus, err
}

// itemAfter is a SKU's item after a push.
func (r *channelRun) itemAfter(listed *listing, result connector.Result, status catalog.PublicationStatus) channelsync.Item {
	item, ok := listed.known[result.SKU]
	item.ContentDue = false
	if !ok {
		ids := listed.ids[result.SKU]
		item = channelsync.NewItem(r.channel.ID, result.SKU, ids.product, ids.variant)
		item.ContentDue = listed.stale && result.SKU == listed.SKU
	}
	if result.IDs.Product != "" {
		item.ExternalProduct, item.ExternalVariant = result.IDs.Product, result.IDs.Variant
		other := result.IDs.Other
		if result.SKU == listed.SKU && (listed.Description != "" || listed.Describes() && result.State == connector.Failed) {
			if other = maps.Clone(other); other == nil {
				other = map[string]string{}
			}
			other[connector.DescribedID] = "1"
		}
		item.SetOther(other, connector.NotifiedID)
	}
	switch {
	case result.SKU != listed.SKU:
	case result.State == connector.Live || result.State == connector.Waiting:
		item.SetImages(result.Images)
	case len(result.Images) > 0:
		all := item.ImageIDs()
		maps.Copy(all, result.Images)
		item.SetImages(all)
	}
	item.Operation, item.Review = result.Operation, result.Review
	item.StockDue, item.CheckDue = true, true // the platform's values are read next, not assumed
	if level, known := levelOf(item, *listed); known && result.Priced {
		item.Price = level.priceText()
	}
	if result.SKU == listed.SKU {
		item.Content = ""
		if status == catalog.PublicationPublished || status == catalog.PublicationPending && result.Operation+result.Review != "" {
			item.Content = listed.content
		}
	}
	return item
}

func asItem(i channelsync.Item) connector.Item {
	return connector.Item{SKU: i.SKU, IDs: connector.IDs{Product: i.ExternalProduct, Variant: i.ExternalVariant, Other: i.OtherIDs()}}
}

// attributesOf reads free attributes under the labels of their codes, in the order of the labels.
func attributesOf(text string, labels map[string]string) []connector.Attribute {
	var raw map[string]any
	_ = json.Unmarshal([]byte(text), &raw)
	var list []connector.Attribute
	for code, value := range raw {
		name := labels[code]
		if name == "" {
			name = code
		}
		if shown := strings.TrimSpace(fmt.Sprint(value)); value != nil && shown != "" {
			list = append(list, connector.Attribute{Name: name, Value: shown})
		}
	}
	return sortedAttributes(list)
}
