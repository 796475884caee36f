package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// CreateOrder creates an order from a JSON body of at most 1 MB (interface §4.1). With an idempotency key (at most 255
// characters) it is created once, however often it is sent within 24 hours; without one, a network error is not
// retried. replayed reports that the order was there already.
func (c *Client) CreateOrder(ctx context.Context, body []byte, idempotencyKey string) (replayed bool, err error) {
	answer, err := c.Do(ctx, Call{Method: http.MethodPost, Path: "/api/v1/orders", Body: body, IdempotencyKey: idempotencyKey})
	return err == nil && answer.replayed(), err
}

// OrderRead is the most used part of an order as it is read (interface §2.1).
type OrderRead struct {
	ID                string     `json:"id"`
	Status            string     `json:"status"`
	ExternalReference string     `json:"externalReference"`
	Items             []LineRead `json:"items"`
}

// LineRead is the most used part of a line as it is read.
type LineRead struct {
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"`
}

// Order reads one order.
func (c *Client) Order(ctx context.Context, id string) (OrderRead, error) {
	var out struct{ Data OrderRead }
	err := c.get(ctx, "/api/v1/orders/"+url.PathEscape(id), nil, &out)
	return out.Data, err
}

// FindOrder reads the order with exactly this external reference; found is false when there is none.
func (c *Client) FindOrder(ctx context.Context, externalReference string) (order OrderRead, found bool, err error) {
	for page := 1; ; page++ {
		var list struct {
			Data []OrderRead `json:"data"`
			Meta struct {
				TotalPages int `json:"totalPages"`
			} `json:"meta"`
		}
		query := url.Values{"search": {externalReference}, "limit": {"100"}, "page": {fmt.Sprint(page)}}
		if err := c.get(ctx, "/api/v1/orders", query, &list); err != nil {
			return OrderRead{}, false, err
		}
		for _, row := range list.Data {
			// A list row may leave the reference out: then the full read is used.
			if row.ExternalReference != "" && row.ExternalReference != externalReference {
				continue
			}
			full, err := c.Order(ctx, row.ID)
			if err != nil {
				return OrderRead{}, false, err
			}
			if full.ExternalReference == externalReference {
				return full, true, nil
			}
		}
		if page >= list.Meta.TotalPages {
			return OrderRead{}, false, nil
		}
	}
}

// eachOrder reads all orders of the account, 100 in each request, oldest first, until do fails.
func (c *Client) eachOrder(ctx context.Context, do func(OrderRead) error) error {
	query := url.Values{"limit": {"100"}, "sort": {"createdAt:asc"}}
	for {
		var list struct {
			Data []OrderRead `json:"data"`
			Meta struct {
				NextCursor string `json:"nextCursor"`
			} `json:"meta"`
		}
		if err := c.get(ctx, "/api/v1/orders", query, &list); err != nil {
			return err
		}
		for _, order := range list.Data {
			if err := do(order); err != nil {
				return err
			}
		}
		if list.Meta.NextCursor == "" || len(list.Data) == 0 {
			return nil
		}
		query.Set("cursor", list.Meta.NextCursor)
	}
}

// EachReference reads the external references of all orders of the account, until do fails.
func (c *Client) EachReference(ctx context.Context, do func(externalReference string) error) error {
	return c.eachOrder(ctx, func(o OrderRead) error {
		if o.ExternalReference == "" {
			return nil
		}
		return do(o.ExternalReference)
	})
}

// MoveOrder changes an order's status (interface §3.1); a change that is not allowed is an *Error with status 422.
func (c *Client) MoveOrder(ctx context.Context, id, status, note string) error {
	body, err := json.Marshal(map[string]string{"status": status, "note": note})
	if err != nil {
		return err
	}
	_, err = c.Do(ctx, Call{Method: http.MethodPatch, Path: "/api/v1/orders/" + url.PathEscape(id) + "/status", Body: body})
	return err
}

// BulkShipped is the outcome of a bulk shipment (interface §4.1): how many orders were shipped, and why the others were
// not.
type BulkShipped struct {
	Shipped int         `json:"shipped"`
	Errors  []ItemError `json:"errors"`
}

// ShipOrders ships up to 500 orders. The body is the whole request, `{"orders":[…]}`; with an idempotency key it is done
// once, however often it is sent within 24 hours.
func (c *Client) ShipOrders(ctx context.Context, body []byte, idempotencyKey string) (BulkShipped, error) {
	answer, err := c.Do(ctx, Call{Method: http.MethodPost, Path: "/api/v1/orders/bulk-ship", Body: body, IdempotencyKey: idempotencyKey})
	if err != nil {
		return BulkShipped{}, err
	}
	var out struct{ Data BulkShipped }
	err = answer.Decode(&out)
	return out.Data, err
}
