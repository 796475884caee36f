package commerce

import (
	"fmt"

	"entrepot/internal/base/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

func skusOf(lines []orders.LineDraft) []string {
	skus := make([]string, len(lines))
	for i, l := range lines {
		skus[i] = l.SKU
	}
	return skus
}

// resolveLines sets the products of drafted lines by their SKUs; the error names all unknown ones. at is the lines'
// positions in the request, nil if they are all of it.
func resolveLines(known *db.Pending[map[string]catalog.Sellable], lines []orders.LineDraft, at []int) error {
	found, err := known.Wait()
	if err != nil {
		return err
	}
	var errs []apperr.Detail
	for i := range lines {
		s, ok := found[lines[i].SKU]
		if !ok {
			place := i
			if at != nil {
				place = at[i]
			}
			message := "no product has the SKU " + lines[i].SKU
			if lines[i].SKU == "" {
				message = `only a line without a SKU is named by ""`
			}
			errs = append(errs, apperr.Detail{Path: fmt.Sprintf("items[%d].sku", place), Message: message})
			continue
		}
		lines[i].Product, lines[i].Variant = s.Product, s.Variant
		if lines[i].Name == "" {
			lines[i].Name = s.Name
		}
	}
	if len(errs) > 0 {
		return apperr.Validation(errs)
	}
	return nil
}

// resolveNewLines finds the products of the drafted SKUs. A line that keeps its SKU keeps its product, even a deleted
// one. If it loses its own name, it takes the name that its SKU has now.
func resolveNewLines(tx *db.Tx, o *orders.Order, drafts []orders.LineDraft) error {
	var open []orders.LineDraft
	var at, unnamed []int
	for i, d := range drafts {
		l := o.Line(d.ID)
		if l == nil || l.SKU != d.SKU {
			open, at = append(open, d), append(at, i)
			continue
		}
		drafts[i].Product, drafts[i].Variant = l.Product, l.Variant
		if d.NoName {
			unnamed = append(unnamed, i)
		}
	}
	if len(open)+len(unnamed) == 0 {
		return nil
	}
	skus := skusOf(open)
	for _, i := range unnamed {
		skus = append(skus, drafts[i].SKU)
	}
	known := catalog.PrefetchResolve(tx, skus)
	if err := resolveLines(known, open, at); err != nil {
		return err
	}
	for k, i := range at {
		drafts[i] = open[k]
	}
	for _, i := range unnamed {
		drafts[i].Name = known.Value[drafts[i].SKU].Name // "" of a deleted product: its name stays
	}
	return nil
}
