package commerce

import (
	"context"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// goneProduct is a product that is to be taken off the platform, with its items.
type goneProduct struct {
	product id.Product
	items   []channelsync.Item
}

// takeOff takes products off the platform. If the platform is still working on one, it is taken off once more when
// that is done, because it may be put on sale then.
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
