package fileimport

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/idempotency"
	"entrepot/internal/importer"
	"entrepot/internal/importer/client"
	"entrepot/internal/imports"
)

// toShip are the orders of a request's body, and those that cannot be read.
type toShip struct {
	list    []commerce.OrderToShip
	invalid []commerce.ShipError
}

// ShipOrders ships the orders of a request's body, or in a dry run computes which would be shipped. The same part of the
// same import is done once: if it is sent again after a crash, the first answer is returned.
func (c *catalog) ShipOrders(ctx context.Context, body []byte, _ string) (out client.BulkShipped, err error) {
	in, err := read(body, func(o *apijson.Object) (in toShip) {
		in.list, in.invalid = drafts.ReadBulkShip(o)
		return in
	})
	if err != nil {
		return out, err
	}
	if c.trial.dry {
		err = c.store.Read(ctx, c.who.Tenant, func(tx *db.Tx) error {
			n, failed, err := c.commerce.TryShipping(tx, in.list, in.invalid)
			out = bulkShipped(n, failed)
			return err
		})
		return out, err
	}
	sum := sha256.Sum256(body)
	key := "import:" + string(c.of) + ":" + hex.EncodeToString(sum[:])
	err = c.store.Write(context.WithoutCancel(ctx), c.who.Tenant, func(tx *db.Tx) error {
		found, err := idempotency.Find(tx, key, space)
		if err != nil {
			return err
		}
		if found != nil {
			return json.Unmarshal([]byte(found.Body), &out)
		}
		imports.Require(tx, c.of)
		done, failed, err := c.commerce.ShipOrders(tx, c.who, in.list, in.invalid)
		if err != nil {
			return err
		}
		out = bulkShipped(len(done), failed)
		text, err := json.Marshal(out)
		if err == nil {
			idempotency.Save(tx, key, space, idempotency.Answer{Fingerprint: key, Status: http.StatusOK, Body: string(text)})
		}
		return err
	})
	return out, err
}

// bulkShipped is the outcome of a bulk shipment in the form of the API's answer (interface §4.1).
func bulkShipped(n int, failed []commerce.ShipError) client.BulkShipped {
	out := client.BulkShipped{Shipped: n}
	for _, e := range failed {
		out.Errors = append(out.Errors, client.ItemError{Error: e.Error, Index: e.Index, Code: e.Code})
	}
	return out
}

var _ importer.Shipper = (*catalog)(nil)
