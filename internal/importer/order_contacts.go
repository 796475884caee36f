package importer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"entrepot/internal/importer/client"
)

// contacts are the customers of an order file with their phone and company, for which orders have no field. The memory
// grows with the number of customers.
type contacts struct {
	byEmail map[string]int
	list    []client.Customer
}

// add takes the first name, phone and company that the file has for an e-mail.
func (c *contacts) add(r *orderReader, cells [][]byte) {
	r.scratch = r.scratch[:0]
	value := func(head int) string { return string(r.value(r.head[head], cells)) }
	email := value(headEmail)
	if email == "" {
		return
	}
	key := strings.ToLower(email)
	at, known := c.byEmail[key]
	if !known {
		at = len(c.list)
		c.byEmail[key] = at
		c.list = append(c.list, client.Customer{Email: email})
	}
	one := &c.list[at]
	if one.FirstName == "" {
		one.FirstName, one.LastName, _ = strings.Cut(value(headCustomer), " ")
		one.LastName = strings.TrimSpace(one.LastName)
	}
	if one.Phone == "" {
		one.Phone = value(headPhone)
	}
	if one.Company == "" {
		one.Company = value(headCompany)
	}
}

// storeContacts creates the customers of the file before its orders. For existing ones it only fills an empty phone or
// company. A refused customer is noted; the orders are imported regardless.
func (r *importRun) storeContacts(ctx context.Context, list []client.Customer) error {
	for _, one := range list {
		if one.Phone == "" && one.Company == "" {
			continue // the order makes the record
		}
		r.doing("storing the customers' phones and companies")
		err := r.storeContact(ctx, one)
		switch client.StatusOf(err) {
		case http.StatusForbidden:
			fmt.Fprintln(r.Log, "phones and companies of customers are not stored: the key has no scope write:customers")
			return nil
		case http.StatusBadRequest, http.StatusConflict, http.StatusNotFound:
			fault := place{}.note(one.Email, "customerEmail", "customer_refused", "the customer's phone and company were refused: %s", message(err))
			if err := r.settleError(fault); err != nil {
				return err
			}
		default:
			if err != nil {
				return fmt.Errorf("storing the customers: %w", err)
			}
		}
	}
	return nil
}

func (r *importRun) storeContact(ctx context.Context, one client.Customer) error {
	sum := sha256.Sum256([]byte(strings.Join([]string{one.Email, one.FirstName, one.LastName, one.Phone, one.Company}, "\x00")))
	_, err := r.Shop.CreateCustomer(ctx, one, "import-customer-"+hex.EncodeToString(sum[:]))
	id := customerOf(err)
	if id == "" {
		return err
	}
	have, err := r.Shop.Customer(ctx, id)
	if err != nil {
		return err
	}
	var changes client.Customer
	if have.Phone == "" {
		changes.Phone = one.Phone
	}
	if have.Company == "" {
		changes.Company = one.Company
	}
	if changes == (client.Customer{}) {
		return nil
	}
	_, err = r.Shop.ChangeCustomer(ctx, id, changes)
	return err
}

// customerOf is the id of the customer that has the e-mail already.
func customerOf(err error) string {
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.StatusCode == http.StatusConflict {
		return refused.CustomerID
	}
	return ""
}
