// Package all lists every view of the service (package view), for those who update, verify or await them all.
package all

import (
	"context"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/sales"
	"entrepot/internal/search"
	"entrepot/internal/stockvalue"
	"entrepot/internal/view"
)

// Views are the views, in the order in which FollowTenant updates them.
var Views = []*view.View{catalog.ProductSorts, stockvalue.View, customers.SegmentLists, sales.View,
	search.Blocks[search.Orders], search.Blocks[search.Customers], search.Blocks[search.Products], search.Blocks[search.Categories]}

// FollowTenant brings every view of an account up to date with what was committed before the call.
func FollowTenant(ctx context.Context, store *db.DB, tenant id.Tenant) error {
	for _, v := range Views {
		if err := v.FollowTenant(ctx, store, tenant); err != nil {
			return err
		}
	}
	return nil
}

// Include brings the views of an account at least up to a stamp, before which a feed is to be deleted.
func Include(ctx context.Context, store *db.DB, tenant id.Tenant, stamp int64) error {
	for _, v := range Views {
		if err := v.Include(ctx, store, tenant, stamp); err != nil {
			return err
		}
	}
	return nil
}
