package fileimport

import (
	"context"
	"encoding/json"
	"slices"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/money"
	nouns "entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/importer"
	"entrepot/internal/importer/client"
)

// Currency is the currency of the account's prices.
func (c *catalog) Currency(context.Context) (string, error) { return c.who.Currency, nil }

// UpdatePrices sets the prices of a request's body, or in a dry run computes what that would change.
func (c *catalog) UpdatePrices(ctx context.Context, body []byte) (client.Updated, error) {
	in, err := read(body, drafts.ReadPrices)
	if err != nil {
		return client.Updated{}, err
	}
	operation := c.commerce.UpdatePrices(in)
	if c.trial.dry {
		return try(ctx, c, operation, func(tx *db.Tx, plan *commerce.PricePlan) (client.Updated, error) {
			out := updated(plan.Updated)
			out.Changes, err = c.trial.notePrices(tx, in.Drafts)
			return out, err
		})
	}
	return storeOnce(ctx, c, body, operation, func(tx *db.Tx, plan *commerce.PricePlan) (client.Updated, error) {
		return updated(plan.Apply(tx)), nil
	})
}

// UpdateStock sets what is on hand likewise.
func (c *catalog) UpdateStock(ctx context.Context, body []byte) (client.Updated, error) {
	in, err := read(body, func(o *apijson.Object) commerce.StockUpdate { return drafts.ReadStock(o, "quantity") })
	if err != nil {
		return client.Updated{}, err
	}
	operation := c.commerce.UpdateInventory(c.who, in)
	if c.trial.dry {
		return try(ctx, c, operation, func(_ *db.Tx, plan *commerce.StockPlan) (client.Updated, error) {
			out := updated(plan.Updated)
			out.Changes, err = c.trial.noteLevels(plan)
			return out, err
		})
	}
	return storeOnce(ctx, c, body, operation, func(tx *db.Tx, plan *commerce.StockPlan) (client.Updated, error) {
		out, err := plan.Apply(tx, c.who)
		return updated(out), err
	})
}

// updated is the outcome of a bulk update in the form of the API's answer (interface §4.2).
func updated(in commerce.Updated) client.Updated {
	return client.Updated{Updated: in.Updated, NotFound: in.NotFound, Errors: itemErrors(in.Errors)}
}

// notePrices notes the prices that drafts would change.
func (t *trial) notePrices(tx *db.Tx, list []nouns.PriceDraft) ([]client.Change, error) {
	found, err := nouns.ReadPrices(tx, list)
	if err != nil {
		return nil, err
	}
	before := make([]nouns.Prices, len(list))
	for i := range list {
		if found.Found(i) {
			before[i] = found.At(i)
		}
	}
	found.Diff()
	changes := []client.Change{}
	for i := range list {
		if !found.Found(i) {
			continue
		}
		after := found.At(i)
		var fields []FieldChange
		for _, f := range []struct {
			name     string
			from, to *money.Amount
		}{{"price", before[i].Price, after.Price}, {"compareAtPrice", before[i].CompareAt, after.CompareAt}} {
			if from, to := priceJSON(f.from), priceJSON(f.to); string(from) != string(to) {
				fields = append(fields, FieldChange{f.name, from, to})
			}
		}
		if before[i].Price != nil && after.Price != nil {
			t.prices.note(*before[i].Price, *after.Price)
			t.jumps.Add(after.SKU, after.Name, *before[i].Price, *after.Price)
		}
		if len(fields) > 0 {
			if err := t.kept.price(before[i]); err != nil {
				return nil, err
			}
		}
		changes = append(changes, t.noteFields(after.SKU, after.Name, fields))
	}
	return changes, nil
}

func priceJSON(a *money.Amount) json.RawMessage {
	if a == nil {
		return json.RawMessage("null")
	}
	return a.AppendTo(nil)
}

// noteLevels notes the stock that a plan would change, and the warehouses that it would create.
func (t *trial) noteLevels(plan *commerce.StockPlan) ([]client.Change, error) {
	levels, places := plan.Preview()
	for _, code := range places {
		if !slices.Contains(t.places, code) {
			t.places = append(t.places, code)
		}
	}
	changes := []client.Change{}
	for _, l := range levels {
		var fields []FieldChange
		if l.From == nil || *l.From != l.To {
			change, err := stockChange(l)
			if err != nil {
				return nil, err
			}
			fields = append(fields, change)
			if err := t.kept.level(l); err != nil {
				return nil, err
			}
		}
		changes = append(changes, t.noteFields(l.SKU, "", fields))
	}
	return changes, nil
}

// stockChange is a change of on-hand as a field of its product.
func stockChange(l commerce.LevelChange) (FieldChange, error) {
	from, err := json.Marshal(l.From)
	if err != nil {
		return FieldChange{}, err
	}
	to, err := json.Marshal(l.To)
	return FieldChange{"stock in " + l.Warehouse, from, to}, err
}

// noteFields notes the changes of a SKU, the first ones with their fields.
func (t *trial) noteFields(sku, name string, fields []FieldChange) client.Change {
	if len(fields) == 0 {
		return client.Change{SKU: sku, Action: "unchanged"}
	}
	if len(t.changed) < mostDiffs {
		t.changed = append(t.changed, Diff{SKU: sku, Name: name, Fields: fields})
	}
	return client.Change{SKU: sku, Action: "update"}
}

var _ importer.Lists = (*catalog)(nil)
