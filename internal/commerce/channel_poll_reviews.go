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

// settleReviews stores the results of the platform's reviews. A product whose change was accepted is published; one
// whose change was refused is failed with the reason, and its previous version stays on sale.
func (r *channelRun) settleReviews(ctx context.Context, results []connector.Result) error {
	return r.writeItems(ctx, func(tx *db.Tx) error {
		for _, review := range operationsOf(results) {
			items, err := channelsync.OfReview(tx, r.channel.ID, review.name)
			if err != nil {
				return err
			}
			settled := map[id.Product]bool{}
			for _, item := range items {
				result, _, ok := review.result(item.SKU)
				if !ok || result.State == connector.Waiting {
					r.underway = true
					continue
				}
				r.news = true
				if first := !settled[item.Product]; first {
					settled[item.Product] = true
					if err := r.settleReview(tx, item, result); err != nil {
						return err
					}
				}
				item.Review = ""
				if result.State == connector.Gone {
					item.ExternalProduct, item.ExternalVariant, item.Content = "", "", ""
				}
				channelsync.Put(tx, item)
			}
		}
		return nil
	})
}

// settleReview stores the result for one product, to which the item belongs.
func (r *channelRun) settleReview(tx *db.Tx, item channelsync.Item, result connector.Result) error {
	r.job.Processed++
	publications, err := catalog.ReadPublications(tx, r.channel.ID, item.Product)
	if err != nil {
		return err
	}
	if result.State != connector.Live {
		ended := endedItem{Item: item, result: result}
		r.fail(item.SKU, item.ExternalProduct, "refused", ended.problem())
		publications.Fail(tx, item.Product, item.SKU+": "+ended.problem())
		return nil
	}
	r.job.Updated++
	all, err := channelsync.OfProducts(tx, r.channel.ID, []id.Product{item.Product})
	if err != nil {
		return err
	}
	working := slices.ContainsFunc(all, func(i channelsync.Item) bool { return i.Operation != "" })
	if publications.Status(item.Product) == catalog.PublicationPending && !working {
		publications.Settle(tx, item.Product, catalog.PublicationPublished, "", "", "")
	}
	return nil
}
