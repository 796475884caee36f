// The client in the folder entrepot is generated from the service's description; this calls the service with it.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"clients/entrepot"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, base, key string) error {
	withKey := entrepot.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-API-Key", key)
		return nil
	})
	client, err := entrepot.NewClientWithResponses(base, withKey)
	if err != nil {
		return err
	}
	price, err := decimal("12.50")
	if err != nil {
		return err
	}
	product, err := client.CreateProductWithResponse(ctx, nil, entrepot.ProductInput{Sku: "GO-CUP", Name: "Cup", Price: price})
	if err != nil || product.JSON201 == nil || product.JSON201.Data.Price != 12.5 {
		return fmt.Errorf("createProduct: %v %s", err, product.Body)
	}

	once := "go-1"
	draft := entrepot.CreateOrder{CustomerName: "Ada", Items: []entrepot.OrderLineInput{{Sku: "GO-CUP", Quantity: 2, UnitPrice: price}}}
	for _, replay := range []bool{false, true} {
		made, err := client.CreateOrderWithResponse(ctx, &entrepot.CreateOrderParams{IdempotencyKey: &once}, draft)
		if err != nil || made.JSON201 == nil || made.JSON201.Data.TotalAmount != "25.00" {
			return fmt.Errorf("createOrder: %v %s", err, made.Body)
		}
		if (made.HTTPResponse.Header.Get("Idempotent-Replay") == "true") != replay {
			return fmt.Errorf("createOrder: sent again %v, and the answer says otherwise", replay)
		}
	}

	since := "2020-01-01"
	list, err := client.ListOrdersWithResponse(ctx, &entrepot.ListOrdersParams{CreatedAtBracketGte: &since})
	if err != nil || list.JSON200 == nil || len(list.JSON200.Data) != 1 || list.JSON200.Meta.Total != 1 {
		return fmt.Errorf("listOrders: %v %s", err, list.Body)
	}
	order, err := client.GetOrderWithResponse(ctx, list.JSON200.Data[0].Id, nil)
	if err != nil || order.JSON200 == nil || order.JSON200.Data.Items[0].ShippedQuantity != 0 || order.JSON200.Data.ExternalReference != nil {
		return fmt.Errorf("getOrder: %v %s", err, order.Body)
	}
	tag := order.HTTPResponse.Header.Get("ETag")
	same, err := client.GetOrderWithResponse(ctx, order.JSON200.Data.Id, &entrepot.GetOrderParams{IfNoneMatch: &tag})
	if err != nil || same.StatusCode() != http.StatusNotModified {
		return fmt.Errorf("getOrder with its ETag: %v %d", err, same.StatusCode())
	}

	// PENDING → DELIVERED is no move: the error has members of its own.
	refused, err := client.UpdateOrderStatusWithResponse(ctx, order.JSON200.Data.Id, nil, entrepot.UpdateOrderStatus{Status: "DELIVERED"})
	if err != nil || refused.JSON422 == nil || refused.JSON422.From != "PENDING" || len(refused.JSON422.Allowed) == 0 {
		return fmt.Errorf("updateOrderStatus: %v %s", err, refused.Body)
	}
	bad, err := client.CreateOrderWithResponse(ctx, nil, entrepot.CreateOrder{CustomerName: "Ada", Items: []entrepot.OrderLineInput{}})
	if err != nil || bad.JSON400 == nil || bad.JSON400.Details == nil || (*bad.JSON400.Details)[0].Path != "items" {
		return fmt.Errorf("createOrder without lines: %v %s", err, bad.Body)
	}
	kinds, err := client.ListEventKindsWithResponse(ctx, nil)
	if err != nil || kinds.JSON200 == nil || len(kinds.JSON200.Data) != 22 {
		return fmt.Errorf("listEventKinds: %v %s", err, kinds.Body)
	}
	return nil
}

// decimal is an exact amount.
func decimal(text string) (d entrepot.Decimal, err error) {
	err = d.FromDecimal1(text)
	return d, err
}
