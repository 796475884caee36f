package shopify

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/connector"
)

// mostSKUs is how many SKUs one search names.
const mostSKUs = 50

// byKnownSKU is an answer to a search by SKU.
type byKnownSKU struct {
	Nodes []struct {
		SKU     string
		Product struct{ ID, Handle string }
	}
}

// mostFound is how many variants a search returns at most.
const mostFound = 250

// search is the text of a search by SKU, in single quotes as Shopify's own examples, but for a SKU that has some.
func search(skus []string) string {
	terms := make([]string, len(skus))
	for i, sku := range skus {
		quote := "'"
		if strings.Contains(sku, quote) {
			quote = `"`
		}
		terms[i] = "sku:" + quote + strings.NewReplacer(`\`, `\\`, quote, `\`+quote).Replace(sku) + quote
	}
	return strings.Join(terms, " OR ")
}

// findNew returns the places of products that are not in the shop: it has neither their SKUs nor their addresses. One
// request asks about several. Products that were pushed before are not among them.
func (s *session) findNew(ctx context.Context, products []connector.Product) (map[int]bool, error) {
	unknown := map[int]bool{}
	var group []int
	var skus []string
	ask := func() error {
		if len(group) == 0 {
			return nil
		}
		there, err := s.known(ctx, products, group, skus)
		if err != nil {
			return err
		}
		for k, i := range group {
			unknown[i] = !there[k]
		}
		group, skus = nil, nil
		return nil
	}
	for i := range products {
		own := products[i].FormSKUs()
		if products[i].Known.Product != "" || len(own) > mostSKUs {
			continue
		}
		if len(skus)+len(own) > mostSKUs {
			if err := ask(); err != nil {
				return nil, err
			}
		}
		group, skus = append(group, i), append(skus, own...)
	}
	return unknown, ask()
}

// known reports which of a group of products may be in the shop, by their places in the group.
func (s *session) known(ctx context.Context, products []connector.Product, group []int, skus []string) (map[int]bool, error) {
	v := vars{"skus": search(skus)}
	for k, i := range group {
		v["identifier"+strconv.Itoa(k)] = vars{"handle": handle(&products[i])}
	}
	var a map[string]json.RawMessage
	if _, err := s.call(reading(ctx), queryNew(len(group)), v, &a); err != nil {
		return nil, err
	}
	var found byKnownSKU
	if err := json.Unmarshal(a["productVariants"], &found); err != nil {
		return nil, &connector.Failure{Kind: connector.Rejected, Message: "the answer is not what Shopify documents", Err: err}
	}
	there := map[int]bool{}
	for k, i := range group {
		own := products[i].FormSKUs()
		byAddress := string(a["a"+strconv.Itoa(k)])
		there[k] = byAddress != "null" || len(found.Nodes) >= mostFound
		for _, n := range found.Nodes {
			there[k] = there[k] || slices.Contains(own, n.SKU)
		}
	}
	return there, nil
}

// find searches the product in the shop: by its id from the last push, by its address, by its SKUs. A SKU that belongs
// to another product there is an error.
func (s *session) find(ctx context.Context, p *connector.Product) (*product, error) {
	skus := p.FormSKUs()
	if len(skus) > mostSKUs {
		skus = skus[:mostSKUs]
	}
	identifier := vars{"handle": handle(p)}
	if p.Known.Product != "" {
		identifier = vars{"id": p.Known.Product}
	}
	var a struct {
		Known *product   `json:"productByIdentifier"`
		BySKU byKnownSKU `json:"productVariants"`
	}
	if _, err := s.call(reading(ctx), queryFind, vars{"identifier": identifier, "skus": search(skus)}, &a); err != nil {
		return nil, err
	}
	if a.Known != nil && (p.Known.Product != "" || slices.ContainsFunc(skus, func(sku string) bool { return a.Known.variant(sku) != nil })) {
		return a.Known, nil
	}
	id, of := "", ""
	for _, n := range a.BySKU.Nodes {
		switch {
		case !slices.Contains(skus, n.SKU): // the search also returns other SKUs
		case id != "" && id != n.Product.ID:
			return nil, connector.Failf(connector.Rejected, "the shop has the SKU %s in more than one product: which one is meant cannot be known",
				n.SKU)
		default:
			id, of = n.Product.ID, n.SKU
		}
	}
	if id == "" {
		return nil, nil
	}
	a.Known = nil
	if _, err := s.call(reading(ctx), queryProduct, vars{"identifier": vars{"id": id}}, &a); err != nil {
		return nil, err
	}
	if a.Known != nil && len(p.Variants) == 0 && len(a.Known.Variants.Nodes) > 1 {
		return nil, connector.Failf(connector.Rejected, "the SKU %s belongs to one of several variants of the shop's product %s", of,
			a.Known.Handle)
	}
	return a.Known, nil
}
