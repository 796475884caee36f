package fileimport

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"net/http"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	nouns "entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/idempotency"
	"entrepot/internal/importer"
	"entrepot/internal/importer/client"
	"entrepot/internal/records"
)

// Checked is the result of a dry run.
type Checked struct {
	importer.Counts
	Rows        int      `json:"rows"`
	NotImported []string `json:"notImported,omitempty"` // columns with values that are left out
	Orders      []Order  `json:"orders,omitempty"`      // the first new orders
	Changed     []Diff   `json:"changed,omitempty"`     // the first products that would change
	Warehouses  []string `json:"warehouses,omitempty"`  // that a stock list would create
	// values that the file of a list replaces, if all of them are stored (see Before)
	Before int    `json:"before,omitempty"`
	New    []Diff `json:"new,omitempty"`    // the first new products
	Prices Moves  `json:"prices,omitzero"`  // of all products that would change
	Jumps  int    `json:"jumps,omitempty"`  // prices that would change by more than half, variants' too
	Jumped []Diff `json:"jumped,omitempty"` // the largest of them first
}

// Moves are how prices move.
type Moves struct {
	Rise     int   `json:"rise,omitempty"`
	Fall     int   `json:"fall,omitempty"`
	MostRise int64 `json:"mostRise,omitempty"` // percent of the price before, rounded; 0 if that was 0
	MostFall int64 `json:"mostFall,omitempty"`
}

// note counts the change of a price.
func (m *Moves) note(from, to money.Amount) {
	switch {
	case to > from:
		m.Rise++
		m.MostRise = max(m.MostRise, percent(to-from, from))
	case to < from:
		m.Fall++
		m.MostFall = max(m.MostFall, percent(from-to, from))
	}
}

// percent is a difference in percent of an amount, rounded; 0 of none.
func percent(difference, of money.Amount) int64 {
	if of <= 0 {
		return 0
	}
	n := new(big.Int).Mul(big.NewInt(int64(difference)), big.NewInt(100))
	return n.Add(n, big.NewInt(int64(of)/2)).Div(n, big.NewInt(int64(of))).Int64()
}

// Order is a new order of a dry run.
type Order struct {
	Reference string `json:"externalReference"`
	Customer  string `json:"customerName"`
	Status    string `json:"initialStatus"`
	Currency  string `json:"currency"`
	CreatedAt int64  `json:"createdAt"` // microseconds; 0 for the time of the import
	Lines     int    `json:"lines"`
	Subtotal  string `json:"subtotal"` // exact decimal
}

// Diff is the change of one product.
type Diff struct {
	SKU    string        `json:"sku"`
	Name   string        `json:"name"`
	Fields []FieldChange `json:"fields,omitempty"`

	Percent int64 `json:"percent,omitempty"` // of a price that jumps
}

// FieldChange is a field before and after, as JSON.
type FieldChange struct {
	Field string          `json:"field"`
	From  json.RawMessage `json:"from"`
	To    json.RawMessage `json:"to"`
}

// mostDiffs is how many of each kind are stored.
const mostDiffs = 50

// trial collects the results of a dry run.
type trial struct {
	dry     bool
	asks    bool // products named by orders: those that exist stay as they are
	creates bool // and missing ones are created
	changed []Diff
	prices  Moves
	jumps   importer.Jumps
	new     []Diff
	orders  []Order
	places  []string // codes of warehouses
	kept    before
}

// noteProducts notes the products that a plan would create or change.
func (t *trial) noteProducts(plan *commerce.ImportPlan) (client.Imported, error) {
	out := counts(plan.Imported)
	out.Changes = []client.Change{}
	for i := range plan.Changes {
		action, err := t.noteProduct(&plan.Changes[i], plan.Levels[i])
		if err != nil {
			return out, err
		}
		out.Changes = append(out.Changes, client.Change{SKU: plan.Changes[i].After.SKU, Action: action})
	}
	return out, nil
}

func (t *trial) noteProduct(r *nouns.Change, levels []commerce.LevelChange) (action string, err error) {
	switch {
	case t.asks && !r.IsNew():
		return "unchanged", nil
	case r.IsNew():
		if len(t.new) < mostDiffs && (t.creates || !t.asks) {
			t.new = append(t.new, Diff{SKU: r.After.SKU, Name: r.After.Name})
		}
		return "create", nil
	case !r.Changed() && len(levels) == 0:
		return "unchanged", nil
	}
	t.prices.note(r.Before.Price, r.After.Price)
	t.noteJumps(r)
	if len(t.changed) >= mostDiffs {
		return "update", nil
	}
	d := Diff{SKU: r.After.SKU, Name: r.After.Name}
	w := apijson.NewWriter(256)
	w.List("")
	records.WriteFieldChanges(w, r)
	w.EndList()
	if err := json.Unmarshal(w.Bytes(), &d.Fields); err != nil {
		return "", err
	}
	for _, l := range levels {
		change, err := stockChange(l)
		if err != nil {
			return "", err
		}
		d.Fields = append(d.Fields, change)
	}
	t.changed = append(t.changed, d)
	return "update", nil
}

// noteJumps notes the prices of a product and of its variants that would change by more than half.
func (t *trial) noteJumps(r *nouns.Change) {
	t.jumps.Add(r.After.SKU, r.After.Name, r.Before.Price, r.After.Price)
	for _, v := range r.Written {
		at := slices.IndexFunc(r.Before.Variants, func(before nouns.Variant) bool { return before.SKU == v.SKU })
		if at >= 0 {
			t.jumps.Add(v.SKU, cmp.Or(v.Name, r.After.Name), r.Before.Variants[at].PriceIn(*r.Before), v.PriceIn(r.After))
		}
	}
}

// jumped are the largest jumps as changes of their products.
func (t *trial) jumped() (list []Diff) {
	t.jumps.Sort()
	for _, j := range t.jumps.List {
		list = append(list, Diff{SKU: j.SKU, Name: j.Name, Percent: j.Percent,
			Fields: []FieldChange{{"price", j.From.AppendTo(nil), j.To.AppendTo(nil)}}})
	}
	return list
}

// catalog stores an import's products and categories by running the operations in the account's own store.
type catalog struct {
	store    *db.DB
	commerce *commerce.Service
	who      accounts.Caller
	of       id.Import
	trial    *trial
}

// space is the key space of the outcomes of an import's parts, which are stored in the commit of their effect.
const space = "IMPORT part"

// ImportProducts stores the products of a request's body, or in a dry run computes what that would change.
func (c *catalog) ImportProducts(ctx context.Context, body []byte, _ bool) (client.Imported, error) {
	in, err := read(body, drafts.ReadImport)
	if err != nil {
		return client.Imported{}, err
	}
	in.Part, in.DryRun = true, in.DryRun || c.trial.dry
	operation := c.commerce.ImportProducts(c.who, in)
	if in.DryRun {
		return try(ctx, c, operation, func(_ *db.Tx, plan *commerce.ImportPlan) (client.Imported, error) { return c.trial.noteProducts(plan) })
	}
	return storeOnce(ctx, c, body, operation, func(tx *db.Tx, plan *commerce.ImportPlan) (client.Imported, error) {
		imported, err := plan.Apply(tx, c.who)
		return counts(imported), err
	})
}

// storeOnce applies a bulk operation to the items of a request's body. The same part of the same import is stored
// once: if it is sent again after a crash, the first answer is returned.
func storeOnce[P, A any](ctx context.Context, c *catalog, body []byte, operation *commerce.Bulk[P],
	apply func(*db.Tx, P) (A, error)) (out A, err error) {
	operation.Whole()
	operation.Next(1)
	_ = c.store.Read(ctx, c.who.Tenant, operation.Prepare) // if that fails, the plan is made in the transaction
	sum := sha256.Sum256(body)
	key := "import:" + string(c.of) + ":" + hex.EncodeToString(sum[:])
	err = c.store.WriteBulk(context.WithoutCancel(ctx), c.who.Tenant, func(tx *db.Tx) error {
		found, err := idempotency.Find(tx, key, space)
		if err != nil {
			return err
		}
		if found != nil {
			return json.Unmarshal([]byte(found.Body), &out)
		}
		plan, err := operation.Plan(tx)
		if err != nil {
			return err
		}
		if out, err = apply(tx, plan); err != nil {
			return err
		}
		text, err := json.Marshal(out)
		if err == nil {
			idempotency.Save(tx, key, space, idempotency.Answer{Fingerprint: key, Status: http.StatusOK, Body: string(text)})
		}
		return err
	})
	return out, err
}

// try plans a bulk operation, which is not applied; see computes the outcome of the plan.
func try[P, A any](ctx context.Context, c *catalog, operation *commerce.Bulk[P], see func(*db.Tx, P) (A, error)) (out A, err error) {
	operation.Whole()
	operation.Next(1)
	err = c.store.Read(ctx, c.who.Tenant, func(tx *db.Tx) error {
		plan, err := operation.Plan(tx)
		if err == nil {
			out, err = see(tx, plan)
		}
		return err
	})
	return out, err
}

// counts is the outcome of an import in the form of the API's answer (interface §4.2).
func counts(in commerce.Imported) client.Imported {
	return client.Imported{Total: in.Total(), Accepted: in.Accepted(), Rejected: len(in.Errors), Created: in.Created,
		Updated: in.Updated, Counted: true, Errors: itemErrors(in.Errors)}
}

func itemErrors(list []records.ItemError) []client.ItemError {
	out := make([]client.ItemError, len(list))
	for i, e := range list {
		out[i] = client.ItemError{SKU: e.Key, Error: e.Error, Index: e.Index, Field: e.Field, Code: e.Code}
	}
	return out
}

// ImportCategories stores categories, parents before their children.
func (c *catalog) ImportCategories(ctx context.Context, list []client.Category) (out client.CategoriesImported, err error) {
	body, err := json.Marshal(map[string]any{"categories": list})
	if err != nil {
		return out, err
	}
	in, err := read(body, drafts.ReadCategoryImport)
	if err != nil {
		return out, err
	}
	err = c.store.Write(context.WithoutCancel(ctx), c.who.Tenant, func(tx *db.Tx) error {
		imported, err := c.commerce.ImportCategories(tx, in)
		out = client.CategoriesImported{Created: imported.Created, Updated: imported.Updated, Errors: itemErrors(imported.Errors)}
		return err
	})
	if err == nil {
		err = c.commerce.FinishCategories(ctx, c.store, c.who.Tenant)
	}
	return out, err
}

var _ importer.Catalog = (*catalog)(nil)
