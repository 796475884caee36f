package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entrepot/internal/importer/client"
	"entrepot/internal/limits"
)

// store sends what the items depend on: categories, and products for unknown SKUs. It runs once; a resumed import does
// not repeat it.
func (r *importRun) store(ctx context.Context) error {
	if r.DryRun {
		return r.ask(ctx)
	}
	if r.state.Prepared {
		return nil
	}
	var err error
	switch m := r.maker.(type) {
	case *productMaker:
		err = r.storeCategories(ctx, m.categories())
	case *orderMaker:
		if r.CreateMissing {
			err = r.storeMissing(ctx, m.missing.list)
		}
		if err == nil && m.contacts != nil {
			err = r.storeContacts(ctx, m.contacts.list)
		}
	}
	if err != nil {
		return err
	}
	r.state.Prepared = true
	return r.saveState()
}

// storeCategories sends them parents first. A refused category is noted: its products are stored, and their link to it
// waits until the category is created (interface §4.2).
func (r *importRun) storeCategories(ctx context.Context, list []client.Category) error {
	for part := range slices.Chunk(list, limits.MaxImport) {
		r.doing("storing the categories")
		got, err := r.Catalog.ImportCategories(ctx, part)
		if err != nil {
			return fmt.Errorf("storing the categories: %w", err)
		}
		r.state.Counts.Categories += got.Created + got.Updated
		if got.Errors, err = r.storeWithoutSlugs(ctx, part, got.Errors); err != nil {
			return err
		}
		for _, e := range got.Errors {
			if err := r.settleError(place{}.note(e.SKU, "categories", "category_refused", "the category was refused: %s", e.Error)); err != nil {
				return err
			}
		}
	}
	return nil
}

// storeWithoutSlugs stores the categories again that were refused for their slug, which another category has here:
// they get one from their name. It returns the other errors.
func (r *importRun) storeWithoutSlugs(ctx context.Context, part []client.Category, faults []client.ItemError) ([]client.ItemError, error) {
	var again []client.Category
	rest := slices.DeleteFunc(faults, func(e client.ItemError) bool {
		if e.Field != "slug" || e.Index < 0 || e.Index >= len(part) {
			return false
		}
		one := part[e.Index]
		one.Slug = ""
		again = append(again, one)
		return true
	})
	if len(again) == 0 {
		return rest, nil
	}
	got, err := r.Catalog.ImportCategories(ctx, again)
	if err != nil {
		return nil, fmt.Errorf("storing the categories: %w", err)
	}
	r.state.Counts.Categories += got.Created + got.Updated
	return append(rest, got.Errors...), nil
}

// storeMissing creates the products that the catalog lacks and no others.
func (r *importRun) storeMissing(ctx context.Context, list []candidate) error {
	lacking, err := r.lacking(ctx, list)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(lacking, limits.MaxImport) {
		r.doing("creating the missing products")
		got, err := r.Catalog.ImportProducts(ctx, candidatesBody(part, "", false), true)
		if err != nil {
			return fmt.Errorf("creating the missing products: %w", err)
		}
		r.state.Counts.Missing += got.Accepted
		for _, e := range got.Errors {
			if err := r.settleError(place{}.note(e.SKU, "sku", "product_refused", "the missing product could not be created: %s",
				e.Error)); err != nil {
				return err
			}
		}
	}
	return nil
}

// lacking finds those that the catalog does not have, by a dry run of the import, because a SKU may also be a
// variant's.
func (r *importRun) lacking(ctx context.Context, list []candidate) (lacking []candidate, err error) {
	for part := range slices.Chunk(list, limits.MaxImport) {
		r.doing("asking which products are missing")
		got, err := r.Catalog.ImportProducts(ctx, candidatesBody(part, r.Channel, true), true)
		if err != nil {
			return nil, fmt.Errorf("asking which products are missing: %w", err)
		}
		if got.Changes == nil && len(got.Errors) == 0 && len(part) > 0 {
			return nil, errors.New("the service did not say which products are missing (a dry run without changes)")
		}
		known := map[string]bool{}
		for _, change := range got.Changes {
			known[change.SKU] = change.Action != "create"
		}
		for _, e := range got.Errors {
			if e.Code == "sku_taken" && e.Index >= 0 && e.Index < len(part) {
				known[part[e.Index].sku] = true // by a variant
			}
		}
		for _, one := range part {
			if !known[one.sku] {
				lacking = append(lacking, one)
			}
		}
	}
	return lacking, nil
}

func candidatesBody(list []candidate, channel string, dryRun bool) []byte {
	body := []byte(`{"products":[`)
	for i, one := range list {
		if i > 0 {
			body = append(body, ',')
		}
		body = one.appendJSON(body)
	}
	body = append(body, ']')
	if dryRun {
		o := openObject(append(body, `,"options":`...))
		o.textIf("channelId", []byte(channel))
		o.key("dryRun")
		body = append(append(o.b, "true"...), '}')
	}
	return append(body, '}')
}
