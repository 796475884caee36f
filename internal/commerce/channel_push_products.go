package commerce

import (
	"context"
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

// pushProducts puts the products on the platform that wait for it or changed since, and takes those off that shall go.
func (r *channelRun) pushProducts(ctx context.Context) error {
	if !r.does.Products {
		return connector.Failf(connector.Cannot, "the platform takes no products")
	}
	tried := map[id.Product]bool{}
	var later error
	for {
		batch, err := r.dueProducts(ctx, tried)
		if err != nil || len(batch) == 0 {
			if err == nil {
				err = later
			}
			return err
		}
		sheets, gone, err := r.productSheets(ctx, batch)
		if err != nil {
			return err
		}
		for _, d := range batch {
			tried[d.Product] = true
		}
		if err := r.takeOff(ctx, gone); err != nil {
			return err
		}
		if err := r.putOn(ctx, sheets, &later); err != nil {
			return err
		}
	}
}

// dueProducts lists the next products that wait, none of those that this run has tried.
func (r *channelRun) dueProducts(ctx context.Context, tried map[id.Product]bool) (batch []catalog.Due, err error) {
	most := max(r.does.Batch.Products, 1)
	err = r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) error {
		batch = nil
		var after id.Product
		for len(batch) < most {
			list, err := catalog.PublicationsDue(tx, r.channel.ID, after, 250)
			if err != nil {
				return err
			}
			for _, d := range list {
				if after = d.Product; !tried[d.Product] && len(batch) < most {
					batch = append(batch, d)
				}
			}
			if len(list) < 250 {
				break
			}
		}
		if len(batch) > 0 {
			return nil
		}
		changed, err := channelsync.ContentDue(tx, r.channel.ID, most+len(tried))
		for _, product := range changed {
			if !tried[product] && len(batch) < most {
				batch = append(batch, catalog.Due{Product: product, Status: catalog.PublicationPublished})
			}
		}
		return err
	})
	return batch, err
}

// productSheet is a product as it is to be pushed, with what is known of its SKUs on the platform.
type productSheet struct {
	connector.Product
	status  catalog.PublicationStatus
	content string
	known   map[string]channelsync.Item
	ids     map[string]skuIDs
}

// underway reports whether the platform still works on any of its SKUs.
func (s productSheet) underway() bool {
	for _, i := range s.known {
		if i.Operation != "" {
			return true
		}
	}
	return false
}

type skuIDs struct {
	product id.Product
	variant id.Variant
}

// goneProduct is one that goes off the platform, with its items there.
type goneProduct struct {
	product id.Product
	items   []channelsync.Item
}

// productSheets reads a batch as it is to be pushed. Products that were deleted or shall go are given apart.
func (r *channelRun) productSheets(ctx context.Context, batch []catalog.Due) (sheets []productSheet, gone []goneProduct, err error) {
	err = r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) error {
		sheets, gone = nil, nil
		ids := make([]id.Product, len(batch))
		for i, d := range batch {
			ids[i] = d.Product
		}
		known := map[id.Product]map[string]channelsync.Item{}
		items, err := channelsync.OfProducts(tx, r.channel.ID, ids)
		if err != nil {
			return err
		}
		for _, i := range items {
			if known[i.Product] == nil {
				known[i.Product] = map[string]channelsync.Item{}
			}
			known[i.Product][i.SKU] = i
		}
		read, err := r.readSheets(tx, ids, known)
		if err != nil {
			return err
		}
		for _, d := range batch {
			sheet, ok := read[d.Product]
			if !ok || d.Status == catalog.PublicationRemoving {
				g := goneProduct{product: d.Product}
				for _, i := range known[d.Product] {
					g.items = append(g.items, i)
				}
				gone = append(gone, g)
				continue
			}
			sheet.status = d.Status
			sheets = append(sheets, sheet)
		}
		return nil
	})
	return sheets, gone, err
}

// takeOff takes products off the platform.
func (r *channelRun) takeOff(ctx context.Context, gone []goneProduct) error {
	if len(gone) == 0 {
		return nil
	}
	var items []connector.Item
	for _, g := range gone {
		for _, i := range g.items {
			if i.ExternalProduct != "" {
				items = append(items, asItem(i))
			}
		}
	}
	failed := map[string]string{}
	if len(items) > 0 {
		results, err := r.session.Unpublish(ctx, items, r.settings.Remove)
		if err != nil {
			return err
		}
		for _, result := range results {
			if result.State == connector.Failed {
				failed[result.SKU] = result.Error
			}
		}
	}
	return r.write(ctx, func(tx *db.Tx) error {
		for _, g := range gone {
			r.job.Processed++
			reason := ""
			for _, i := range g.items {
				if text, ok := failed[i.SKU]; ok {
					reason = i.SKU + ": " + text
				}
			}
			if reason != "" {
				r.fail("", "", "unpublish", reason)
				continue
			}
			channelsync.Forget(tx, r.channel.ID, g.product)
			catalog.EndPublication(tx, r.channel.ID, g.product)
			r.job.Updated++
		}
		return nil
	})
}

// putOn pushes products whose content is not on the platform already.
func (r *channelRun) putOn(ctx context.Context, sheets []productSheet, later *error) error {
	var push []connector.Product
	var unchanged []productSheet
	bySKU := map[string]*productSheet{}
	for i := range sheets {
		sheet := &sheets[i]
		if own, ok := sheet.known[sheet.SKU]; ok && (sheet.status == catalog.PublicationPublished || sheet.underway()) &&
			own.Content == sheet.content {
			unchanged = append(unchanged, *sheet)
			continue
		}
		push = append(push, sheet.Product)
		bySKU[sheet.SKU] = sheet
		for _, v := range sheet.Variants {
			bySKU[v.SKU] = sheet
		}
	}
	var results []connector.Result
	if len(push) > 0 {
		var err error
		if results, err = r.session.Upsert(ctx, push); err != nil {
			return err
		}
	}
	by := map[*productSheet][]connector.Result{}
	for _, result := range results {
		if sheet := bySKU[result.SKU]; sheet != nil {
			by[sheet] = append(by[sheet], result)
		}
	}
	return r.write(ctx, func(tx *db.Tx) error {
		for _, sheet := range unchanged {
			own := sheet.known[sheet.SKU]
			own.ContentDue = false
			channelsync.Put(tx, own)
		}
		for i := range sheets {
			if sheet := &sheets[i]; bySKU[sheet.SKU] == sheet {
				r.settleProduct(tx, sheet, by[sheet], later)
			}
		}
		return nil
	})
}

// settleProduct stores what became of a product's SKUs.
func (r *channelRun) settleProduct(tx db.Writer, sheet *productSheet, results []connector.Result, later *error) {
	status, reason, external, url := catalog.PublicationPublished, "", "", ""
	again := false
	if len(results) == 0 {
		status, reason = catalog.PublicationFailed, "the platform said nothing about it"
	}
	for _, result := range results {
		switch result.State {
		case connector.Waiting:
			r.underway = true
			if status == catalog.PublicationPublished {
				status = catalog.PublicationPending
			}
		case connector.Failed, connector.Gone:
			if again = again || result.Again; reason == "" {
				reason = result.SKU + ": " + result.Error
			}
			status = catalog.PublicationFailed
		}
		if result.SKU == sheet.SKU {
			external, url = result.IDs.Product, result.URL
		}
	}
	if status == catalog.PublicationFailed && again {
		status = catalog.PublicationPending
		*later = connector.Failf(connector.Temporary, "%s", reason)
	}
	catalog.SettlePublication(tx, r.channel.ID, id.Product(sheet.ID), status, external, url, reason)
	for _, result := range results {
		channelsync.Put(tx, r.itemAfter(sheet, result, status))
	}
	for sku, item := range sheet.known { // variants that the product no longer has
		if _, still := sheet.ids[sku]; !still {
			channelsync.Drop(tx, item)
		}
	}
	r.job.Processed++
	switch {
	case status == catalog.PublicationFailed:
		r.fail(sheet.SKU, external, "refused", reason)
	case sheet.known[sheet.SKU].ExternalProduct == "":
		r.job.Created++
	default:
		r.job.Updated++
	}
}

// itemAfter is what is known of a SKU after it was pushed.
func (r *channelRun) itemAfter(sheet *productSheet, result connector.Result, status catalog.PublicationStatus) channelsync.Item {
	item, ok := sheet.known[result.SKU]
	if !ok {
		ids := sheet.ids[result.SKU]
		item = channelsync.NewItem(r.channel.ID, result.SKU, ids.product, ids.variant)
	}
	if result.IDs.Product != "" {
		item.ExternalProduct, item.ExternalVariant = result.IDs.Product, result.IDs.Variant
		item.SetOther(result.IDs.Other)
	}
	if len(result.Images) > 0 {
		all := item.ImageIDs()
		maps.Copy(all, result.Images)
		item.SetImages(all)
	}
	item.Operation = result.Operation
	item.ContentDue = false
	item.StockDue, item.CheckDue = true, true // what the platform shows now is read, not assumed
	if level, known := levelOf(item, *sheet); known && result.Priced {
		item.Price = level.priceText()
	}
	if result.SKU == sheet.SKU {
		item.Content = ""
		if status == catalog.PublicationPublished || status == catalog.PublicationPending && result.Operation != "" {
			item.Content = sheet.content
		}
	}
	return item
}

func asItem(i channelsync.Item) connector.Item {
	return connector.Item{SKU: i.SKU, IDs: connector.IDs{Product: i.ExternalProduct, Variant: i.ExternalVariant, Other: i.OtherIDs()}}
}

// attributesOf reads free attributes by the labels that the account gave their codes, in the order of the labels.
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
