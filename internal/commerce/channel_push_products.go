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

// pushProducts puts products on the platform that are to be published or have changed, and takes off those that are
// to be removed.
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

// dueProducts is the progress of a run: first through the publications, then through the products whose content
// changed, both in the order of their ids. A product that becomes due behind that position waits for the next run.
type dueProducts struct {
	changes bool       // the publications are done
	after   id.Product // the last that was listed
	tried   map[id.Product]bool
	blocked []id.Product // with a SKU that the platform has in another product
	twice   bool         // it has begun again
}

// again makes a run begin again, once, with the products that were blocked: the others have been pushed or taken off
// since.
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

// changedProducts lists products behind a given one whose content changed since they were pushed.
func (r *channelRun) changedProducts(tx *db.Tx, after id.Product, most int) (list []catalog.Due, err error) {
	changed, err := channelsync.ContentDue(tx, r.channel.ID, after, most)
	for _, product := range changed {
		list = append(list, catalog.Due{Product: product, Status: catalog.PublicationPublished})
	}
	return list, err
}

// putOn pushes products whose content differs from what was pushed last.
func (r *channelRun) putOn(ctx context.Context, listings []listing, later *error) error {
	push, same := divide(listings)
	results, err := r.upsert(ctx, push)
	if err != nil {
		return err
	}
	bySKU := map[string]*listing{}
	for _, listed := range push {
		bySKU[listed.SKU] = listed
		for _, v := range listed.Variants {
			bySKU[v.SKU] = listed
		}
	}
	of := map[*listing][]connector.Result{}
	for _, result := range results {
		if listed := bySKU[result.SKU]; listed != nil {
			of[listed] = append(of[listed], result)
		}
	}
	err = r.writeItems(ctx, func(tx *db.Tx) error {
		for _, listed := range same {
			own := listed.known[listed.SKU]
			own.ContentDue = false
			channelsync.Put(tx, own)
		}
		return r.settlePushed(tx, push, maps.Clone(of), later) // a transaction may be tried again
	})
	return r.orDoubt(ctx, err, slices.Collect(maps.Keys(bySKU)), true)
}

// divide separates products whose content differs from the last push from those with the same content.
func divide(listings []listing) (push, same []*listing) {
	for i := range listings {
		listed := &listings[i]
		own, ok := listed.known[listed.SKU]
		if ok && (listed.status == catalog.PublicationPublished || listed.underway()) && own.Content == listed.content {
			same = append(same, listed)
		} else {
			push = append(push, listed)
		}
	}
	return push, same
}

// upsert sends products to the platform.
func (r *channelRun) upsert(ctx context.Context, push []*listing) ([]connector.Result, error) {
	if len(push) == 0 {
		return nil, nil
	}
	if err := r.forgetContent(ctx, push); err != nil {
		return nil, err
	}
	products := make([]connector.Product, len(push))
	for i, listed := range push {
		products[i] = listed.Product
	}
	results, err := r.session.Upsert(ctx, products)
	r.took = r.took || err == nil
	return results, err
}

// forgetContent notes that the platform's content of products which are about to be pushed is unknown: the answer may
// get lost, or this node may die meanwhile. Such a product is pushed again even if by then it is what it was before.
func (r *channelRun) forgetContent(ctx context.Context, push []*listing) error {
	var known []channelsync.Item
	for _, listed := range push {
		if own, ok := listed.known[listed.SKU]; ok && own.Content != "" {
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
