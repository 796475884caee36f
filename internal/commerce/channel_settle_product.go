package commerce

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"entrepot/internal/catalog"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// productOutcome is what the results for a product's SKUs say of the product.
type productOutcome struct {
	status        catalog.PublicationStatus
	reason        string // why it failed
	external, url string // of the product itself
	again         bool   // it may succeed when it is tried again
	underway      bool   // the platform still works on it
}

func outcomeOf(sku string, results []connector.Result) (o productOutcome) {
	o.status = catalog.PublicationPublished
	if len(results) == 0 {
		o.status, o.reason = catalog.PublicationFailed, "the platform said nothing about it"
	}
	for _, result := range results {
		o.add(result)
		if result.SKU == sku {
			o.external, o.url = result.IDs.Product, result.URL
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
		if o.again = o.again || result.Again; o.reason == "" {
			o.reason = result.SKU + ": " + result.Error
		}
		o.status = catalog.PublicationFailed
	}
}

// settleProduct stores the results for a product's SKUs.
func (r *channelRun) settleProduct(tx db.Writer, publications *catalog.Publications, listed *listing, results []connector.Result,
	later *error) {
	o := outcomeOf(listed.SKU, results)
	r.underway, r.news = r.underway || o.underway, r.news || o.underway
	if o.status == catalog.PublicationFailed && o.again {
		o.status = catalog.PublicationPending
		*later = connector.Failf(connector.Temporary, "%s", o.reason)
	}
	publications.Settle(tx, id.Product(listed.ID), o.status, o.external, o.url, o.reason)
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
