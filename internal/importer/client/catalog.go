package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
)

// ItemError is one rejected item of a bulk request (interface §4.2). Index counts from 0 in the request's list; it is
// -1 if the server does not give it.
type ItemError struct {
	SKU   string `json:"sku"`
	Error string `json:"error"`
	Index int    `json:"index"`
	Field string `json:"field"`
	Code  string `json:"code"`
}

// UnmarshalJSON reads an entry; an absent index stays -1.
func (f *ItemError) UnmarshalJSON(text []byte) error {
	type plain ItemError
	entry := plain{Index: -1}
	if err := json.Unmarshal(text, &entry); err != nil {
		return err
	}
	*f = ItemError(entry)
	return nil
}

// Imported is the outcome of a bulk product import, in either of the two documented shapes.
type Imported struct {
	Total    int
	Accepted int
	Rejected int
	Created  int    // 0 when only the job knows (shape a)
	Updated  int    // likewise
	Counted  bool   // whether Created and Updated were reported
	JobID    string // "" in shape b
	Errors   []ItemError
	Changes  []Change // dry runs
}

// Change is a change of one product that a dry run found.
type Change struct {
	SKU    string `json:"sku"`
	Action string `json:"action"` // create, update or unchanged
}

// ImportProducts creates or updates up to 1,000 products by SKU (interface §4.2). The body is the whole request,
// `{"products":[…],"options":{…}}`, at most 10 MB; it is sent as it is. With wait the answer has the numbers of
// created and updated products. Sending the same products again does no harm.
func (c *Client) ImportProducts(ctx context.Context, body []byte, wait bool) (Imported, error) {
	call := Call{Method: http.MethodPost, Path: "/api/v1/sdk/products/bulk-import", Body: body, Repeatable: true}
	if wait {
		call.Prefer = "wait"
	}
	answer, err := c.Do(ctx, call)
	if err != nil {
		return Imported{}, err
	}
	if bytes.HasPrefix(bytes.TrimLeft(answer.Body, " \t\r\n"), []byte(`{"data"`)) {
		var accepted struct {
			Data struct {
				JobID      string      `json:"jobId"`
				TotalItems int         `json:"totalItems"`
				Accepted   int         `json:"accepted"`
				Rejected   int         `json:"rejected"`
				Errors     []ItemError `json:"errors"`
			} `json:"data"`
		}
		err := answer.Decode(&accepted)
		d := accepted.Data
		return Imported{Total: d.TotalItems, Accepted: d.Accepted, Rejected: d.Rejected, JobID: d.JobID, Errors: d.Errors}, err
	}
	var counted struct {
		Total   int         `json:"total"`
		Created *int        `json:"created"`
		Updated *int        `json:"updated"`
		Errors  []ItemError `json:"errors"`
		Changes []Change    `json:"changes"`
	}
	if err := answer.Decode(&counted); err != nil {
		return Imported{}, err
	}
	if counted.Created == nil || counted.Updated == nil {
		return Imported{}, errors.New("the answer to the product import has neither of the two known shapes")
	}
	rejected := countRejected(counted.Errors, counted.Total)
	return Imported{
		Total: counted.Total, Accepted: counted.Total - rejected, Rejected: rejected,
		Created: *counted.Created, Updated: *counted.Updated, Counted: true,
		Errors: counted.Errors, Changes: counted.Changes,
	}, nil
}

// countRejected counts the items that the errors name; several errors may name one item.
func countRejected(errors []ItemError, total int) int {
	items, loose := make(map[int]bool, len(errors)), 0
	for _, e := range errors {
		if e.Index >= 0 {
			items[e.Index] = true
		} else {
			loose++
		}
	}
	return min(total, len(items)+loose)
}

// Updated is the outcome of a bulk update of prices or stock (interface §4.2).
type Updated struct {
	Updated  int         `json:"updated"` // items applied, including unchanged ones
	NotFound int         `json:"notFound"`
	Errors   []ItemError `json:"errors"`
	Changes  []Change    `json:"-"` // dry runs, which the API does not have
}

// UpdatePrices sets the prices of up to 5,000 SKUs. The body is the whole request, `{"updates":[…]}`. Sending it
// again does no harm.
func (c *Client) UpdatePrices(ctx context.Context, body []byte) (Updated, error) {
	return c.update(ctx, "/api/v1/sdk/prices/bulk-update", body)
}

// UpdateStock sets what is on hand of up to 5,000 SKUs likewise.
func (c *Client) UpdateStock(ctx context.Context, body []byte) (Updated, error) {
	return c.update(ctx, "/api/v1/sdk/inventory/bulk-update", body)
}

func (c *Client) update(ctx context.Context, path string, body []byte) (Updated, error) {
	answer, err := c.Do(ctx, Call{Method: http.MethodPatch, Path: path, Body: body, Repeatable: true})
	if err != nil {
		return Updated{}, err
	}
	var out struct{ Data Updated }
	err = answer.Decode(&out)
	return out.Data, err
}

// Currency is the currency of the catalog's prices; "" without products.
func (c *Client) Currency(ctx context.Context) (string, error) {
	var list struct {
		Data []struct {
			Currency string `json:"currency"`
		} `json:"data"`
	}
	if err := c.get(ctx, "/api/v1/products", url.Values{"limit": {"1"}}, &list); err != nil || len(list.Data) == 0 {
		return "", err
	}
	return list.Data[0].Currency, nil
}

// EachPrice reads the present price of every SKU of the account, of products and of variants, until do fails.
func (c *Client) EachPrice(ctx context.Context, do func(sku string, price json.Number) error) error {
	type priced struct {
		SKU   string      `json:"sku"`
		Price json.Number `json:"price"`
	}
	query := url.Values{"limit": {"1000"}}
	for {
		var list struct {
			Data []struct {
				priced
				Variants []priced `json:"variants"`
			} `json:"data"`
			Meta struct {
				HasMore   bool   `json:"hasMore"`
				NextSince string `json:"nextSince"`
			} `json:"meta"`
		}
		if err := c.get(ctx, "/api/v1/sdk/products/changes", query, &list); err != nil {
			return err
		}
		for _, product := range list.Data {
			for _, one := range append([]priced{product.priced}, product.Variants...) {
				if err := do(one.SKU, one.Price); err != nil {
					return err
				}
			}
		}
		if !list.Meta.HasMore {
			return nil
		}
		query.Set("since", list.Meta.NextSince)
	}
}

// Category is one entry of the category import; Slug "" is made from the name, without ParentExternalID it is a root.
type Category struct {
	ExternalID       string  `json:"externalId"`
	Name             string  `json:"name"`
	Slug             string  `json:"slug,omitempty"`
	ParentExternalID *string `json:"parentExternalId"`
}

// CategoriesImported is the outcome of a category import.
type CategoriesImported struct {
	Created int         `json:"created"`
	Updated int         `json:"updated"`
	Errors  []ItemError `json:"errors"`
}

// ImportCategories creates or updates up to 1,000 categories by externalId (interface §4.2).
func (c *Client) ImportCategories(ctx context.Context, categories []Category) (CategoriesImported, error) {
	body, err := json.Marshal(map[string]any{"categories": categories})
	if err != nil {
		return CategoriesImported{}, err
	}
	answer, err := c.Do(ctx, Call{Method: http.MethodPost, Path: "/api/v1/sdk/categories/bulk-import", Body: body, Repeatable: true})
	if err != nil {
		return CategoriesImported{}, err
	}
	var out struct{ Data CategoriesImported }
	err = answer.Decode(&out)
	return out.Data, err
}
