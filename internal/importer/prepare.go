package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entrepot/internal/client"
)

// store sends what the items need to be there first: categories, and products for unknown SKUs. It
// is done once; a resumed import does not repeat it.
func (r *importRun) store(ctx context.Context) error {
	if r.state.Prepared || r.DryRun {
		return nil
	}
	var err error
	switch m := r.maker.(type) {
	case *productMaker:
		err = r.storeCategories(ctx, m.categories())
	case *orderMaker:
		if m.missing != nil {
			err = r.storeMissing(ctx, m.missing.list)
		}
	}
	if err != nil {
		return err
	}
	r.state.Prepared = true
	return r.saveState()
}

// storeCategories sends them parents first. A refused category is noted: its products are stored,
// and their link to it waits until the category comes (interface §4.2).
func (r *importRun) storeCategories(ctx context.Context, list []client.Category) error {
	for part := range slices.Chunk(list, client.MaxProducts) {
		got, err := r.To.ImportCategories(ctx, part)
		if err != nil {
			return fmt.Errorf("storing the categories: %w", err)
		}
		r.state.Counts.Categories += got.Created + got.Updated
		for _, e := range got.Errors {
			if err := r.settleFault(place{}.note(e.SKU, "categories", "category_refused", "the category was refused: %s", e.Error)); err != nil {
				return err
			}
		}
	}
	return nil
}

// storeMissing creates the products that the catalog lacks and no others: a dry run of the import
// tells which those are, as a SKU may also belong to a variant.
func (r *importRun) storeMissing(ctx context.Context, list []candidate) error {
	var lacking []candidate
	for part := range slices.Chunk(list, client.MaxProducts) {
		got, err := r.To.ImportProducts(ctx, candidatesBody(part, true), true)
		if err != nil {
			return fmt.Errorf("asking which products are missing: %w", err)
		}
		if got.Changes == nil && len(got.Errors) == 0 && len(part) > 0 {
			return errors.New("the service did not say which products are missing (a dry run without changes)")
		}
		create := map[string]bool{}
		for _, change := range got.Changes {
			create[change.SKU] = change.Action == "create"
		}
		for _, one := range part {
			if create[one.sku] {
				lacking = append(lacking, one)
			}
		}
	}
	for part := range slices.Chunk(lacking, client.MaxProducts) {
		got, err := r.To.ImportProducts(ctx, candidatesBody(part, false), true)
		if err != nil {
			return fmt.Errorf("creating the missing products: %w", err)
		}
		r.state.Counts.Missing += got.Accepted
		for _, e := range got.Errors {
			if err := r.settleFault(place{}.note(e.SKU, "sku", "product_refused", "the missing product could not be created: %s", e.Error)); err != nil {
				return err
			}
		}
	}
	return nil
}

func candidatesBody(list []candidate, dryRun bool) []byte {
	body := []byte(`{"products":[`)
	for i, one := range list {
		if i > 0 {
			body = append(body, ',')
		}
		body = one.appendJSON(body)
	}
	body = append(body, ']')
	if dryRun {
		body = append(body, `,"options":{"dryRun":true}`...)
	}
	return append(body, '}')
}
