package prestashop

import (
	"context"

	"entrepot/internal/connector"
)

// stored is what the shop has of some products, read in a few requests.
type stored struct {
	byID         map[string]*node
	byReference  map[string][]*node
	combinations map[string][]*node // by product
	owners       map[string]string  // of references of combinations: the product
	reductions   map[string][]*node // rows of reduced prices by product
}

// readStored reads the shop's products with the ids of the last push or with the references of products, their
// combinations and reduced prices, and combinations that have the reference of a product.
func (s *session) readStored(ctx context.Context, products []connector.Product) (*stored, error) {
	var ids, references []string
	for i := range products {
		references = append(references, products[i].SKU)
		if known := products[i].Known.Product; known != "" {
			ids = append(ids, known)
		}
	}
	out := &stored{byID: map[string]*node{}, byReference: map[string][]*node{}, combinations: map[string][]*node{},
		owners: map[string]string{}, reductions: map[string][]*node{}}
	pushed, err := s.inChunks(ctx, "products", "product", "id", ids, full)
	if err != nil {
		return nil, err
	}
	same, err := s.byReference(ctx, "products", "product", references, full)
	if err != nil {
		return nil, err
	}
	for _, n := range append(pushed, same...) {
		if _, twice := out.byID[n.get("id")]; !twice {
			out.byID[n.get("id")] = n
			out.byReference[n.get("reference")] = append(out.byReference[n.get("reference")], n)
		}
	}
	owned, err := s.byReference(ctx, "combinations", "combination", references,
		func() query { return display("id", "id_product", "reference") })
	if err != nil {
		return nil, err
	}
	for _, c := range owned {
		out.owners[c.get("reference")] = c.get("id_product")
	}
	there := sortedKeys(out.byID)
	combinations, err := s.inChunks(ctx, "combinations", "combination", "id_product", there, full)
	if err != nil {
		return nil, err
	}
	for _, c := range combinations {
		out.combinations[c.get("id_product")] = append(out.combinations[c.get("id_product")], c)
	}
	out.reductions, err = s.readReductions(ctx, there)
	return out, err
}

// product is the shop's product: by its id from the last push, else by its reference, which must be unique then; nil
// if the shop does not have it.
func (st *stored) product(p *connector.Product) (*node, error) {
	if known := st.byID[p.Known.Product]; known != nil {
		return known, nil
	}
	switch same := st.byReference[p.SKU]; {
	case len(same) > 1:
		return nil, connector.Failf(connector.Rejected, "the shop has %d products with the reference %s: which one is meant cannot be known",
			len(same), p.SKU)
	case len(same) == 1 && (st.owners[p.SKU] == "" || st.owners[p.SKU] == same[0].get("id")):
		return same[0], nil
	case st.owners[p.SKU] != "":
		return nil, connector.Failf(connector.Rejected, "the reference %s belongs to a combination of the shop's product %s", p.SKU,
			st.owners[p.SKU])
	}
	return nil, nil
}
