package commerce

import (
	"context"
	"maps"
	"slices"

	"entrepot/internal/catalog"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// pushProducts puts products on the platform that are to be published or have changed, and takes off those that are to
// be removed.
func (r *channelRun) pushProducts(ctx context.Context) error {
	if !r.does.Products {
		return connector.Failf(connector.Cannot, "the platform takes no products")
	}
	due := dueProducts{tried: map[id.Product]bool{}}
	var later error
	for {
		batch, err := r.nextProducts(ctx, &due)
		if err != nil {
			return err
		}
		if len(batch) == 0 && due.again() {
			continue
		}
		if len(batch) == 0 {
			r.underway = r.underway || len(due.blocked) > 0
			return later
		}
		listings, gone, err := r.listings(ctx, batch, &due)
		if err != nil {
			return err
		}
		if err := r.takeOff(ctx, gone); err != nil {
			return err
		}
		if err := r.putOn(ctx, listings, &later); err != nil {
			return err
		}
		if err := r.giveWay(ctx); err != nil {
			return err
		}
	}
}

// dueProducts is how far a run has got: first in the publications, then in the products whose content changed, both in
// the order of their ids. What becomes due behind it is due for the next run.
type dueProducts struct {
	changes bool       // the publications are done
	after   id.Product // the last that was listed
	tried   map[id.Product]bool
	blocked []id.Product // that have a SKU which the platform has as one of another product
	twice   bool         // it has begun again
}

// again has a run begin again, once, with the products that were blocked: the others have been pushed or taken off since.
func (d *dueProducts) again() bool {
	if len(d.blocked) == 0 || d.twice {
		return false
	}
	for _, product := range d.blocked {
		delete(d.tried, product)
	}
	d.blocked, d.twice, d.changes, d.after = nil, true, false, ""
	return true
}

// nextProducts lists the next products that are due and that this run has not tried.
func (r *channelRun) nextProducts(ctx context.Context, due *dueProducts) (batch []catalog.Due, err error) {
	most := max(r.does.Batch.Products, 1)
	for {
		err = r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) (err error) {
			if due.changes {
				batch, err = r.changedProducts(tx, due.after, most)
			} else {
				batch, err = catalog.PublicationsDue(tx, r.channel.ID, due.after, most)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(batch) > 0 {
			due.after = batch[len(batch)-1].Product
		}
		ended := len(batch) < most
		last := ended && due.changes
		if ended && !due.changes {
			due.changes, due.after = true, ""
		}
		batch = slices.DeleteFunc(batch, func(d catalog.Due) bool { return due.tried[d.Product] })
		for _, d := range batch {
			due.tried[d.Product] = true
		}
		if len(batch) > 0 || last {
			return batch, nil
		}
	}
}

// changedProducts lists products whose content changed since they were pushed, after a given one.
func (r *channelRun) changedProducts(tx *db.Tx, after id.Product, most int) (list []catalog.Due, err error) {
	changed, err := channelsync.ContentDue(tx, r.channel.ID, after, most)
	for _, product := range changed {
		list = append(list, catalog.Due{Product: product, Status: catalog.PublicationPublished})
	}
	return list, err
}

// listing is a product as it is to be pushed, with the items of its SKUs.
type listing struct {
	connector.Product
	status  catalog.PublicationStatus
	content string
	stamp   int64 // of the product's last change
	stale   bool  // it has changed since, and no item was there to be marked
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

// goneProduct is a product that is to be taken off the platform, with its items.
type goneProduct struct {
	product id.Product
	items   []channelsync.Item
}

// listings reads a batch as it is to be pushed. Products that were deleted or are to be removed are returned separately, and those that
// are blocked are left out.
func (r *channelRun) listings(ctx context.Context, batch []catalog.Due, due *dueProducts) (
	listings []listing, gone []goneProduct, err error) {
	var blocked []id.Product
	var holders []channelsync.Item
	err = r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) error {
		listings, gone, blocked, holders = nil, nil, nil, nil
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
		read, err := r.readListings(tx, ids, known)
		if err != nil {
			return err
		}
		others, err := r.otherItems(tx, read)
		if err != nil {
			return err
		}
		for _, d := range batch {
			listed, ok := read[d.Product]
			if !ok || d.Status == catalog.PublicationRemoving {
				g := goneProduct{product: d.Product}
				for _, i := range known[d.Product] {
					g.items = append(g.items, i)
				}
				gone = append(gone, g)
				continue
			}
			if held := others[d.Product]; len(held) > 0 {
				blocked, holders = append(blocked, d.Product), append(holders, held...)
				continue
			}
			listed.status = d.Status
			listings = append(listings, listed)
		}
		return nil
	})
	if err != nil || len(blocked) == 0 {
		return listings, gone, err
	}
	due.blocked = append(due.blocked, blocked...)
	return listings, gone, r.writeItems(ctx, func(tx *db.Tx) error {
		for _, i := range holders {
			i.ContentDue = true
			channelsync.Put(tx, i)
		}
		return nil
	})
}

// otherItems are the items that the platform has of SKUs of some products as those of others: of one that was deleted, and whose SKU
// another has now, or one that gave up a variant. These have to be taken off, or pushed, first.
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

// takeOff takes products off the platform. One on which the platform still works is taken off once more when that is done: it may be put on
// sale then.
func (r *channelRun) takeOff(ctx context.Context, gone []goneProduct) error {
	if len(gone) == 0 {
		return nil
	}
	var items []connector.Item
	var products []id.Product
	for _, g := range gone {
		products = append(products, g.product)
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
	return r.writeItems(ctx, func(tx *db.Tx) error {
		publications, err := catalog.ReadPublications(tx, r.channel.ID, products...)
		if err != nil {
			return err
		}
		for _, g := range gone {
			if slices.ContainsFunc(g.items, func(i channelsync.Item) bool { return i.Operation != "" }) {
				r.underway = true
				continue
			}
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
			if publications.Status(g.product) == catalog.PublicationRemoving {
				if err := publications.Delete(tx, g.product); err != nil {
					return err
				}
			}
			r.job.Updated++
		}
		return nil
	})
}

// putOn pushes products whose content differs from what was pushed last.
func (r *channelRun) putOn(ctx context.Context, listings []listing, later *error) error {
	var push []connector.Product
	var unchanged []listing
	bySKU := map[string]*listing{}
	for i := range listings {
		listed := &listings[i]
		if own, ok := listed.known[listed.SKU]; ok && (listed.status == catalog.PublicationPublished || listed.underway()) &&
			own.Content == listed.content {
			unchanged = append(unchanged, *listed)
			continue
		}
		push = append(push, listed.Product)
		bySKU[listed.SKU] = listed
		for _, v := range listed.Variants {
			bySKU[v.SKU] = listed
		}
	}
	var results []connector.Result
	if len(push) > 0 {
		err := r.forgetContent(ctx, listings, bySKU)
		if err != nil {
			return err
		}
		if results, err = r.session.Upsert(ctx, push); err != nil {
			return err
		}
		r.took = true
	}
	by := map[*listing][]connector.Result{}
	for _, result := range results {
		if listed := bySKU[result.SKU]; listed != nil {
			by[listed] = append(by[listed], result)
		}
	}
	err := r.writeItems(ctx, func(tx *db.Tx) error {
		for _, listed := range unchanged {
			own := listed.known[listed.SKU]
			own.ContentDue = false
			channelsync.Put(tx, own)
		}
		var pushed []id.Product
		for _, p := range push {
			pushed = append(pushed, id.Product(p.ID))
		}
		publications, err := catalog.ReadPublications(tx, r.channel.ID, pushed...)
		if err != nil {
			return err
		}
		if err := markStale(tx, listings); err != nil {
			return err
		}
		for i := range listings {
			if listed := &listings[i]; bySKU[listed.SKU] == listed {
				r.settleProduct(tx, publications, listed, by[listed], later)
			}
		}
		return nil
	})
	return r.orDoubt(ctx, err, slices.Collect(maps.Keys(bySKU)), true)
}

// markStale finds which products have changed, or were deleted, since they were read for their first push. Those that have an item are
// marked with the account's other changes.
func markStale(tx *db.Tx, listings []listing) error {
	first := map[id.Product]*listing{}
	for i := range listings {
		if listed := &listings[i]; listed.known[listed.SKU].SKU == "" {
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

// forgetContent notes that the content of products which are about to be pushed is not known any more: whether a push happened whose answer
// is lost, or during which this node dies, is unknown. It is pushed again also when the product is by then what it was before.
func (r *channelRun) forgetContent(ctx context.Context, listings []listing, pushed map[string]*listing) error {
	var known []channelsync.Item
	for i := range listings {
		listed := &listings[i]
		if own, ok := listed.known[listed.SKU]; ok && own.Content != "" && pushed[listed.SKU] == listed {
			own.Content = ""
			listed.known[listed.SKU] = own
			known = append(known, own)
		}
	}
	if len(known) == 0 {
		return nil
	}
	return r.writeItems(ctx, func(tx *db.Tx) error { channelsync.Put(tx, known...); return nil })
}
