package commerce

import (
	"context"
	"maps"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// listing is a product in the form to be pushed, with the items of its SKUs.
type listing struct {
	connector.Product
	status  catalog.PublicationStatus
	content string
	stamp   int64 // of the product's last change
	stale   bool  // it has changed since, and there was no item to be marked
	known   map[string]channelsync.Item
	ids     map[string]skuIDs
}

// underway reports whether the platform is still processing any of its SKUs, or reviewing a change of it.
func (s listing) underway() bool {
	for _, i := range s.known {
		if i.Operation+i.Review != "" {
			return true
		}
	}
	return false
}

type skuIDs struct {
	product id.Product
	variant id.Variant
}

// batchRead is a batch of products as it was read.
type batchRead struct {
	listings []listing          // to be pushed
	gone     []goneProduct      // deleted, or to be removed
	blocked  []id.Product       // with SKUs that the platform has in other products
	holders  []channelsync.Item // of these SKUs
}

// listings reads a batch in the form to be pushed. It returns products that were deleted or are to be removed
// separately, and leaves blocked ones out.
func (r *channelRun) listings(ctx context.Context, batch []catalog.Due, due *dueProducts) ([]listing, []goneProduct, error) {
	var b batchRead
	err := r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) (err error) {
		b, err = r.readBatch(tx, batch)
		return err
	})
	if err != nil || len(b.blocked) == 0 {
		return b.listings, b.gone, err
	}
	due.blocked = append(due.blocked, b.blocked...)
	return b.listings, b.gone, r.writeItems(ctx, func(tx *db.Tx) error {
		for _, i := range b.holders {
			i.ContentDue = true
			channelsync.Put(tx, i)
		}
		return nil
	})
}

func (r *channelRun) readBatch(tx *db.Tx, batch []catalog.Due) (b batchRead, err error) {
	ids := make([]id.Product, len(batch))
	for i, d := range batch {
		ids[i] = d.Product
	}
	items, err := channelsync.OfProducts(tx, r.channel.ID, ids)
	if err != nil {
		return b, err
	}
	known := map[id.Product]map[string]channelsync.Item{}
	for _, i := range items {
		if known[i.Product] == nil {
			known[i.Product] = map[string]channelsync.Item{}
		}
		known[i.Product][i.SKU] = i
	}
	read, err := r.readListings(tx, ids, known)
	if err != nil {
		return b, err
	}
	others, err := r.otherItems(tx, read)
	if err != nil {
		return b, err
	}
	for _, d := range batch {
		listed, ok := read[d.Product]
		held := others[d.Product]
		switch {
		case !ok || d.Status == catalog.PublicationRemoving:
			b.gone = append(b.gone, goneProduct{d.Product, slices.Collect(maps.Values(known[d.Product]))})
		case len(held) > 0:
			b.blocked, b.holders = append(b.blocked, d.Product), append(b.holders, held...)
		default:
			listed.status = d.Status
			b.listings = append(b.listings, listed)
		}
	}
	return b, nil
}

// otherItems are the items of some products' SKUs that the platform has in other products: in a deleted one whose SKU
// another product has now, or in one that gave up a variant. Those have to be taken off, or pushed, first.
func (r *channelRun) otherItems(tx *db.Tx, read map[id.Product]listing) (map[id.Product][]channelsync.Item, error) {
	of := map[string]id.Product{}
	for product, listed := range read {
		for sku := range listed.ids {
			if _, known := listed.known[sku]; !known {
				of[sku] = product
			}
		}
	}
	list, err := channelsync.OfSKUs(tx, r.channel.ID, slices.Collect(maps.Keys(of)))
	others := map[id.Product][]channelsync.Item{}
	for _, i := range list {
		others[of[i.SKU]] = append(others[of[i.SKU]], i)
	}
	return others, err
}
