package commerce

import (
	"entrepot/internal/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/customers"
	"entrepot/internal/id"
	"entrepot/internal/jobs"
	"entrepot/internal/money"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// Catalogue is the catalogue of events (interface §4.5.9). Each sample is written by the function that writes the event itself.
func Catalogue() []webhooks.Kind {
	kinds := webhooks.Kinds()
	for i := range kinds {
		kinds[i].Sample = Sample(kinds[i].Event)
	}
	return kinds
}

// Sample writes the data of a sample of an event.
func Sample(event string) func(*apijson.Writer) { return samples[event] }

var samples = map[string]func(*apijson.Writer){
	webhooks.ProductCreated: func(w *apijson.Writer) { productData(w, &sampleProduct, "EUR") },
	webhooks.ProductUpdated: func(w *apijson.Writer) {
		productUpdatedData(w, sampleProduct.ID, sampleProduct.SKU, sampleProduct.Name, []string{"price", "compareAtPrice"})
	},
	webhooks.ProductDeleted: func(w *apijson.Writer) { productData(w, &sampleProduct, "EUR") },

	webhooks.CategoryCreated: func(w *apijson.Writer) { categoryData(w, sampleCategory) },
	webhooks.CategoryUpdated: func(w *apijson.Writer) { categoryData(w, sampleCategory) },
	webhooks.CategoryDeleted: func(w *apijson.Writer) { categoryData(w, sampleCategory) },

	webhooks.OrderReceived:        func(w *apijson.Writer) { orderReceivedData(w, sampleOrder(orders.Pending)) },
	webhooks.OrderStatusChanged:   moved(orders.Pending, orders.Processing),
	webhooks.OrderShipped:         moved(orders.Processing, orders.Shipped),
	webhooks.OrderDelivered:       moved(orders.Shipped, orders.Delivered),
	webhooks.OrderCancelled:       moved(orders.Processing, orders.Cancelled),
	webhooks.OrderReturned:        moved(orders.Delivered, orders.Returned),
	webhooks.OrderShipmentCreated: func(w *apijson.Writer) { shipmentData(w, sampleOrder(orders.Shipped), sampleShipment) },
	webhooks.OrderUpdated:         func(w *apijson.Writer) { orderUpdatedData(w, sampleOrder(orders.Pending)) },

	webhooks.StockUpdated: func(w *apijson.Writer) {
		stockUpdatedData(w, stock.Change{Level: sampleLevel, PreviousOnHand: 12}, "shipment", sampleAt)
	},
	webhooks.StockLow: func(w *apijson.Writer) { stockLowData(w, sampleLevel) },

	webhooks.ChannelSyncCompleted: func(w *apijson.Writer) { syncData(w, sampleSync(jobs.Completed, "[]")) },
	webhooks.ChannelSyncFailed: func(w *apijson.Writer) {
		syncData(w, sampleSync(jobs.Failed, `[{"sku":null,"error":"the platform refused the credentials"}]`))
	},

	webhooks.CustomerCreated: func(w *apijson.Writer) { WriteCustomer(w, sampleRecord) },
	webhooks.CustomerUpdated: func(w *apijson.Writer) { WriteCustomer(w, sampleRecord) },
	webhooks.CustomerMerged: func(w *apijson.Writer) {
		mergedData(w, sampleCustomer.ID, []id.Customer{"019a1c52-7c1e-7d40-9a55-00000000c002"}, 4)
	},
	webhooks.CustomerErased: func(w *apijson.Writer) {
		erasedData(w, Erasure{ID: sampleCustomer.ID, ErasedAt: sampleAt, Orders: 3})
	},
}

// moved writes the data of a move of the sample order.
func moved(from, to orders.Status) func(*apijson.Writer) {
	return func(w *apijson.Writer) { orderStatusData(w, sampleOrder(to), from) }
}

// What the samples tell of.
const sampleAt = 1767427200_000_000 // 2026-01-03T08:00:00Z

var (
	sampleProduct = catalog.Product{ID: "019a1c52-7c1e-7d40-9a55-00000000a001", SKU: "CUP-BLUE", Name: "Cup, blue", Status: catalog.Active, Price: 1290 * money.Scale / 100,
		CompareAt: amount(1590 * money.Scale / 100), Links: []catalog.Link{{Category: sampleCategory.ID}}}
	sampleCategory = catalog.Category{ID: "019a1c52-7c1e-7d40-9a55-00000000b001", ExternalID: "CUPS", Name: "Cups", Slug: "cups", Parent: "019a1c52-7c1e-7d40-9a55-00000000b002"}
	sampleLevel    = stock.Level{SKU: sampleProduct.SKU, Warehouse: "MAIN", Product: sampleProduct.ID, OnHand: 9, Reserved: 6, Threshold: new(int64(5))}
	sampleCustomer = customers.Customer{ID: "019a1c52-7c1e-7d40-9a55-00000000c001", Email: "ada@example.com", FirstName: "Ada", LastName: "Example", Phone: "+33100000000",
		Company: "Example SARL", Siret: "12345678901234", VAT: "FR12345678901", Metadata: "{}", Tags: []string{"b2b"}, Status: customers.Active, OrdersCount: 1,
		TotalSpent: 3870 * money.Scale / 100, CreatedAt: sampleAt, UpdatedAt: sampleAt, Addresses: []customers.Address{{ID: "019a1c52-7c1e-7d40-9a55-00000000c101",
			Type: customers.Both, Name: "Ada Example", Line1: "1 rue de la Paix", City: "Paris", Zip: "75002", Country: "FR", IsDefault: true}}}
	sampleRecord   = CustomerRecord{sampleCustomer, []customers.Segment{{ID: "019a1c52-7c1e-7d40-9a55-00000000c201", Name: "Resellers"}}}
	sampleLine     = orders.Line{ID: "019a1c52-7c1e-7d40-9a55-00000000d101", Product: sampleProduct.ID, SKU: sampleProduct.SKU, Name: sampleProduct.Name, Quantity: 3, UnitPrice: 1290 * money.Scale / 100, Total: 3870 * money.Scale / 100}
	sampleShipment = orders.Shipment{ID: "019a1c52-7c1e-7d40-9a55-00000000d201", Carrier: "Colissimo", TrackingNumber: "6A123", TrackingURL: "https://example.com/track/6A123",
		ShippedAt: sampleAt, CreatedAt: sampleAt, Lines: []orders.ShipmentLine{{ID: "019a1c52-7c1e-7d40-9a55-00000000d202", Line: sampleLine.ID, Quantity: 3}}}
)

func amount(a money.Amount) *money.Amount { return &a }

// sampleOrder is the order that the samples tell of, in a state.
func sampleOrder(status orders.Status) *orders.Order {
	o := &orders.Order{ID: "019a1c52-7c1e-7d40-9a55-00000000d001", Number: 42, Status: status, Channel: "019a1c52-7c1e-7d40-9a55-00000000e001", ChannelName: "Shop",
		ChannelPlatform: "CUSTOM", Customer: sampleCustomer.ID, CustomerName: sampleCustomer.Name(), CustomerEmail: sampleCustomer.Email, ExternalReference: "WEB-1001",
		Currency: "EUR", Lines: []orders.Line{sampleLine}, CreatedAt: sampleAt, UpdatedAt: sampleAt}
	o.Total = sampleLine.Total
	if status == orders.Shipped || status == orders.Delivered || status == orders.Returned {
		o.TrackingCarrier, o.TrackingNumber, o.TrackingURL = sampleShipment.Carrier, sampleShipment.TrackingNumber, sampleShipment.TrackingURL
	}
	return o
}

func sampleSync(status jobs.Status, errors string) jobs.Job {
	return jobs.Job{ID: "019a1c52-7c1e-7d40-9a55-00000000f001", Type: jobs.ProductImport, Channel: "019a1c52-7c1e-7d40-9a55-00000000e001", ChannelName: "Shop", ChannelType: "CUSTOM",
		Status: status, Total: 100, Created: 40, Updated: 60, Errors: errors, StartedAt: sampleAt, CompletedAt: sampleAt + 1_500_000}
}
