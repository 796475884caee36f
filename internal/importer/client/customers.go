package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// Customer is the most used part of a customer record (interface §2.5).
type Customer struct {
	ID        string `json:"id,omitempty"`
	Email     string `json:"email,omitempty"`
	FirstName string `json:"firstName,omitempty"`
	LastName  string `json:"lastName,omitempty"`
	Phone     string `json:"phone,omitempty"`
	Company   string `json:"company,omitempty"`
	Status    string `json:"status,omitempty"` // active, secondary or erased; read only
}

// Customer reads one customer.
func (c *Client) Customer(ctx context.Context, id string) (Customer, error) {
	var out struct{ Data Customer }
	err := c.get(ctx, "/api/v1/customers/"+url.PathEscape(id), nil, &out)
	return out.Data, err
}

// CreateCustomer creates a customer; an e-mail that is taken is an *Error with status 409 and the CustomerID that has
// it.
func (c *Client) CreateCustomer(ctx context.Context, customer Customer, idempotencyKey string) (Customer, error) {
	return c.writeCustomer(ctx, Call{Method: http.MethodPost, Path: "/api/v1/customers", IdempotencyKey: idempotencyKey}, customer)
}

// ChangeCustomer sets the fields that are not empty, and leaves the others as they are.
func (c *Client) ChangeCustomer(ctx context.Context, id string, changes Customer) (Customer, error) {
	return c.writeCustomer(ctx, Call{Method: http.MethodPatch, Path: "/api/v1/customers/" + url.PathEscape(id), Repeatable: true}, changes)
}

func (c *Client) writeCustomer(ctx context.Context, call Call, customer Customer) (Customer, error) {
	var err error
	if call.Body, err = json.Marshal(customer); err != nil {
		return Customer{}, err
	}
	answer, err := c.Do(ctx, call)
	if err != nil {
		return Customer{}, err
	}
	var out struct{ Data Customer }
	err = answer.Decode(&out)
	return out.Data, err
}
