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

// settleProduct stores the results for a product's SKUs.
func (r *channelRun) settleProduct(tx db.Writer, publications *catalog.Publications, listed *listing, results []connector.Result,
	later *error) {
	status, reason, external, url := catalog.PublicationPublished, "", "", ""
	again := false
	if len(results) == 0 {
		status, reason = catalog.PublicationFailed, "the platform said nothing about it"
	}
	for _, result := range results {
		switch result.State {
		case connector.Waiting:
			r.underway, r.news = true, true
			if status == catalog.PublicationPublished {
				status = catalog.PublicationPending
			}
		case connector.Live:
			reviewed := result.Review != "" && status == catalog.PublicationPublished
			r.underway, r.news = r.underway || reviewed, r.news || reviewed
			if reviewed && !result.Shown { // its previous version is still on sale
				status = catalog.PublicationPending
			}
		case connector.Failed, connector.Gone:
			if again = again || result.Again; reason == "" {
				reason = result.SKU + ": " + result.Error
			}
			status = catalog.PublicationFailed
		}
		if result.SKU == listed.SKU {
			external, url = result.IDs.Product, result.URL
		}
	}
	if status == catalog.PublicationFailed && again {
		status = catalog.PublicationPending
		*later = connector.Failf(connector.Temporary, "%s", reason)
	}
	publications.Settle(tx, id.Product(listed.ID), status, external, url, reason)
	for _, result := range results {
		channelsync.Put(tx, r.itemAfter(listed, result, status))
	}
	for sku, item := range listed.known { // variants that the product no longer has
		if _, still := listed.ids[sku]; !still {
			channelsync.Drop(tx, item)
		}
	}
	r.job.Processed++
	switch {
	case status == catalog.PublicationFailed:
		r.fail(listed.SKU, external, "refused", reason)
	case listed.known[listed.SKU].ExternalProduct == "":
		r.job.Created++
	default:
		r.job.Updated++
	}
}

// itemAfter is a SKU's item after a push.
func (r *channelRun) itemAfter(listed *listing, result connector.Result, status catalog.PublicationStatus) channelsync.Item {
	item, ok := listed.known[result.SKU]
	if !ok {
		ids := listed.ids[result.SKU]
		item = channelsync.NewItem(r.channel.ID, result.SKU, ids.product, ids.variant)
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
	item.ContentDue = false
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
