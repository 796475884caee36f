package woocommerce

import (
	"context"

	"entrepot/internal/connector"
)

// putVariations creates, changes and deletes the variations of each product.
func (s *session) putVariations(ctx context.Context, list []*upsert) error {
	for _, u := range list {
		if u.result.State != connector.Live || len(u.Variants)+len(u.Dropped) == 0 {
			continue
		}
		err := s.putForms(ctx, u)
		if f := connector.FailureOf(err); f != nil && (f.Kind == connector.Temporary || f.Kind == connector.Rejected) && ctx.Err() == nil {
			// the others continue; the next push finds what was created of this one
			u.fail(f.Kind == connector.Temporary, "%s", f.Message)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// batchForms is how many variations are written at once.
var batchForms = connector.PageSize{Most: 100, Least: 5, Fact: "forms"}

// putForms creates, changes and deletes the variations of a product, those that are there first.
func (s *session) putForms(ctx context.Context, u *upsert) error {
	var made, changed []connector.Variant
	for _, v := range u.Variants {
		if _, has := u.forms[v.SKU]; has {
			changed = append(changed, v)
		} else {
			made = append(made, v)
		}
	}
	var remove []int64
	for _, item := range u.Dropped {
		if item.IDs.Product == string(u.there.ID) {
			remove = append(remove, flexible(item.IDs.Variant).number())
		}
	}
	size := batchForms.Of(s.link.Facts, s.link.Now())
	for len(made)+len(changed)+len(remove) > 0 {
		var p forms
		p.change, changed = split(changed, size)
		p.create, made = split(made, size-len(p.change))
		p.remove, remove = split(remove, size-len(p.change)-len(p.create))
		if err := s.putPiece(ctx, u, p); err != nil {
			return batchForms.Failed(s.link.Facts, s.link.Now(), len(p.change)+len(p.create)+len(p.remove), err)
		}
	}
	return nil
}

// forms are variations that are written at once.
type forms struct {
	create, change []connector.Variant
	remove         []int64
}

// split cuts a list behind its first n.
func split[T any](list []T, n int) (first, rest []T) {
	n = min(n, len(list))
	return list[:n], list[n:]
}

func (s *session) putPiece(ctx context.Context, u *upsert, p forms) error {
	var create, update []map[string]any
	for _, v := range p.create {
		body, err := s.variationBody(ctx, u, v)
		if err != nil {
			return err
		}
		create = append(create, body)
	}
	for _, v := range p.change {
		body, err := s.variationBody(ctx, u, v)
		if err != nil {
			return err
		}
		body["id"] = u.forms[v.SKU].ID.number()
		update = append(update, body)
	}
	answer, err := s.batch(ctx, "/products/"+string(u.there.ID)+"/variations/batch", create, update, p.remove)
	if err != nil {
		return err
	}
	u.settle(p.create, answer.Create)
	u.settle(p.change, answer.Update)
	return nil
}

// variationBody is the request body of a variation.
func (s *session) variationBody(ctx context.Context, u *upsert, v connector.Variant) (map[string]any, error) {
	body := map[string]any{"sku": v.SKU, "status": "publish"}
	if v.TaxClass != "" {
		body["tax_class"] = v.TaxClass
	}
	if err := s.trade(ctx, body, v.Trade); err != nil {
		return nil, err
	}
	prices(body, v.Price, v.CompareAt, u.Currency)
	quantity(body, v.Quantity)
	var attributes []map[string]any
	for _, a := range v.Attributes {
		one := u.called(a.Name)
		one["option"] = a.Value
		attributes = append(attributes, one)
	}
	body["attributes"] = attributes
	return body, nil
}

// settle notes what the shop answered about variants.
func (u *upsert) settle(variants []connector.Variant, entries []found) {
	for i, v := range variants {
		switch {
		case i >= len(entries):
			u.failed = append(u.failed, connector.Result{SKU: v.SKU, State: connector.Failed, Error: "the shop said nothing about it", Again: true})
		case entries[i].Error != nil:
			u.failed = append(u.failed, connector.Result{SKU: v.SKU, State: connector.Failed, Error: entries[i].Error.text()})
		default:
			u.live = append(u.live, connector.Result{SKU: v.SKU, State: connector.Live, Priced: true, URL: entries[i].Permalink,
				IDs: connector.IDs{Product: string(u.there.ID), Variant: string(entries[i].ID)}})
		}
	}
}

// release puts products with variants on sale when they are complete, and takes incomplete ones off sale.
func (s *session) release(ctx context.Context, list []*upsert) error {
	var update []map[string]any
	var changed []*upsert
	for _, u := range list {
		if u.result.State != connector.Live || len(u.Variants) == 0 {
			continue
		}
		want := shopStatus(u.OnSale && len(u.failed) == 0)
		if u.there.Status != want {
			update, changed = append(update, map[string]any{"id": u.there.ID.number(), "status": want}), append(changed, u)
		}
	}
	if len(update) == 0 {
		return nil
	}
	answer, err := s.batch(connector.Repeatable(ctx), "/products/batch", nil, update, nil)
	if connector.Is(err, connector.Temporary) && ctx.Err() == nil {
		for _, u := range changed {
			u.fail(true, "%s", connector.FailureOf(err).Message)
		}
		return nil
	}
	if err != nil {
		return err
	}
	answer.each(nil, changed, func(u *upsert, f found) {
		if f.Error != nil {
			u.fail(false, "%s", f.Error.text())
		} else if f.Permalink != "" {
			u.result.URL = f.Permalink
		}
	})
	return nil
}
