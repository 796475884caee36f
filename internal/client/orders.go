package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// Line is one line of an order to be created (interface §2.3).
type Line struct {
	SKU       string      `json:"sku"`
	Quantity  int         `json:"quantity"`
	UnitPrice json.Number `json:"unitPrice"`
	Name      string      `json:"name,omitempty"`
}

// Order is an order to be created (interface §4.1). Free JSON fields take any value that marshals
// to an object.
type Order struct {
	CustomerName      string `json:"customerName"`
	CustomerID        string `json:"customerId,omitempty"`
	CustomerEmail     string `json:"customerEmail,omitempty"`
	Items             []Line `json:"items"`
	ChannelID         string `json:"channelId,omitempty"`
	ExternalReference string `json:"externalReference,omitempty"`
	InitialStatus     string `json:"initialStatus,omitempty"`
	Currency          string `json:"currency,omitempty"`
	ShippingAddress   any    `json:"shippingAddress,omitempty"`
	BillingAddress    any    `json:"billingAddress,omitempty"`
	PaymentMetadata   any    `json:"paymentMetadata,omitempty"`
	Notes             string `json:"notes,omitempty"`
}

// Receipt is the answer to a created order (interface §2.2).
type Receipt struct {
	ID                string `json:"id"`
	ExternalReference string `json:"externalReference"`
	Status            string `json:"status"`
	TotalAmount       string `json:"totalAmount"`
	Currency          string `json:"currency"`
	ItemCount         int    `json:"itemCount"`
	CreatedAt         string `json:"createdAt"`
	Replayed          bool   `json:"-"` // the order was there already: this is the first answer again
}

// CreateOrder creates an order. With an idempotency key (at most 255 characters) it is created once, however often it
// is sent within 24 hours; without one, a network error is not retried.
func (c *Client) CreateOrder(ctx context.Context, order Order, idempotencyKey string) (Receipt, error) {
	body, err := json.Marshal(order)
	if err != nil {
		return Receipt{}, err
	}
	return c.CreateOrderJSON(ctx, body, idempotencyKey)
}

// CreateOrderJSON creates an order from a JSON body of at most 1 MB.
func (c *Client) CreateOrderJSON(ctx context.Context, body []byte, idempotencyKey string) (Receipt, error) {
	answer, err := c.Do(ctx, Call{
		Method: http.MethodPost, Path: "/api/v1/orders", Body: body, IdempotencyKey: idempotencyKey,
	})
	if err != nil {
		return Receipt{}, err
	}
	var out struct{ Data Receipt }
	if err := answer.Decode(&out); err != nil {
		return Receipt{}, err
	}
	out.Data.Replayed = answer.Replayed()
	return out.Data, nil
}

// OrderRead is the most used part of an order as it is read (interface §2.1).
type OrderRead struct {
	ID                string      `json:"id"`
	OrderNumber       string      `json:"orderNumber"`
	Status            string      `json:"status"`
	ExternalReference string      `json:"externalReference"`
	Currency          string      `json:"currency"`
	Total             json.Number `json:"total"`
	Items             []LineRead  `json:"items"`
}

// LineRead is a line as it is read; ID is what shipments call orderItemId.
type LineRead struct {
	ID              string      `json:"id"`
	SKU             string      `json:"sku"`
	Quantity        int         `json:"quantity"`
	ShippedQuantity int         `json:"shippedQuantity"`
	UnitPrice       json.Number `json:"unitPrice"`
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

// EachOrder reads all orders of the account, 100 in each request, oldest first, until do fails.
func (c *Client) EachOrder(ctx context.Context, do func(OrderRead) error) error {
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

// MoveOrder changes an order's status (interface §3.1); a change that is not allowed is an *Error with status 422.
func (c *Client) MoveOrder(ctx context.Context, id, status, note string) error {
	body, err := json.Marshal(map[string]string{"status": status, "note": note})
	if err != nil {
		return err
	}
	_, err = c.Do(ctx, Call{Method: http.MethodPatch, Path: "/api/v1/orders/" + url.PathEscape(id) + "/status", Body: body})
	return err
}
