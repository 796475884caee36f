package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/customers"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// Catalogue is the catalogue of events (interface §4.5.9). Each sample is written by the function that writes the
// event itself.
func Catalogue() (list []Kind) {
	for _, k := range webhooks.Kinds() {
		list = append(list, Kind{k, EventSample(k.Event)})
	}
	return list
}

// Kind is one kind of event with the writer of a sample of its data.
type Kind struct {
	webhooks.Kind
	Sample func(*apijson.Writer)
}

// EventSample returns the function that writes a sample of an event's data; nil for an unknown event.
func EventSample(event string) func(*apijson.Writer) { return eventSamples[event] }

var eventSamples = map[string]func(*apijson.Writer){
	webhooks.ProductCreated: func(w *apijson.Writer) { WriteProductData(w, &eventProduct, "EUR") },
	webhooks.ProductUpdated: func(w *apijson.Writer) {
		WriteProductUpdatedData(w, eventProduct.ID, eventProduct.SKU, eventProduct.Name, []string{"price", "compareAtPrice"})
	},
	webhooks.ProductDeleted: func(w *apijson.Writer) { WriteProductData(w, &eventProduct, "EUR") },

	webhooks.CategoryCreated: func(w *apijson.Writer) { WriteCategoryData(w, eventCategory) },
	webhooks.CategoryUpdated: func(w *apijson.Writer) { WriteCategoryData(w, eventCategory) },
	webhooks.CategoryDeleted: func(w *apijson.Writer) { WriteCategoryData(w, eventCategory) },

	webhooks.OrderReceived:        func(w *apijson.Writer) { WriteOrderReceivedData(w, eventOrder(orders.Pending)) },
	webhooks.OrderStatusChanged:   eventMoved(orders.Pending, orders.Processing),
	webhooks.OrderShipped:         eventMoved(orders.Processing, orders.Shipped),
	webhooks.OrderDelivered:       eventMoved(orders.Shipped, orders.Delivered),
	webhooks.OrderCancelled:       eventMoved(orders.Processing, orders.Cancelled),
	webhooks.OrderReturned:        eventMoved(orders.Delivered, orders.Returned),
	webhooks.OrderShipmentCreated: func(w *apijson.Writer) { WriteShipmentCreatedData(w, eventOrder(orders.Shipped), eventShipment) },
	webhooks.OrderUpdated: func(w *apijson.Writer) {
		o := eventOrder(orders.Pending)
		WriteOrderUpdatedData(w, o)
		o.Returns = []orders.Return{{ID: "019a1c52-7c1e-7d40-9a55-00000000d301", Status: orders.ReturnRefunded, Reason: "torn",
			Notes: "in its box", RefundAmount: &eventLine.UnitPrice, Refund: "019a1c52-7c1e-7d40-9a55-00000000d302", CreatedAt: eventAt,
			UpdatedAt: eventAt, Lines: []orders.ReturnLine{{Line: eventLine.ID, Quantity: 1, Restock: true}}}}
		WriteOrderUpdatedData(w, o)
	},

	webhooks.StockUpdated: func(w *apijson.Writer) {
		WriteStockUpdatedData(w, stock.Change{Level: eventLevel, PreviousOnHand: 12}, "shipment", eventAt)
	},
	webhooks.StockLow: func(w *apijson.Writer) { WriteStockLowData(w, eventLevel) },

	webhooks.ChannelSyncCompleted: func(w *apijson.Writer) { WriteSyncData(w, eventJob(jobs.Completed, "[]")) },
	webhooks.ChannelSyncFailed: func(w *apijson.Writer) {
		WriteSyncData(w, eventJob(jobs.Failed, `[{"sku":null,"error":"the platform refused the credentials"}]`))
	},

	webhooks.CustomerCreated: func(w *apijson.Writer) { WriteCustomer(w, "", eventCustomerRecord) },
	webhooks.CustomerUpdated: func(w *apijson.Writer) { WriteCustomer(w, "", eventCustomerRecord) },
	webhooks.CustomerMerged: func(w *apijson.Writer) {
		WriteCustomerMergedData(w, eventCustomer.ID, []id.Customer{"019a1c52-7c1e-7d40-9a55-00000000c002"}, 4)
	},
	webhooks.CustomerErased: func(w *apijson.Writer) {
		WriteErasure(w, "", Erasure{ID: eventCustomer.ID, ErasedAt: eventAt, Orders: 3})
	},
}

// eventMoved writes the data of a status change of the sample order.
func eventMoved(from, to orders.Status) func(*apijson.Writer) {
	return func(w *apijson.Writer) { WriteOrderStatusData(w, eventOrder(to), from) }
}

// eventAt is the time of the sample events: 2026-01-03T08:00:00Z.
const eventAt = 1767427200_000_000

// The records that the events of the samples are about.
var (
	eventProduct = catalog.Product{ID: "019a1c52-7c1e-7d40-9a55-00000000a001", SKU: "CUP-BLUE", Name: "Cup, blue", Status: catalog.Active,
		Price:     1290 * money.Scale / 100,
		CompareAt: amount(1590 * money.Scale / 100),
		Trade:     catalog.Trade{GTIN: "4006381333931", Weight: amount(3_500), Cost: amount(4 * money.Scale), TaxClass: "standard", Origin: "PT"},
		Links:     []catalog.Link{{Category: eventCategory.ID}}}
	eventCategory = catalog.Category{ID: "019a1c52-7c1e-7d40-9a55-00000000b001", ExternalID: "CUPS", Name: "Cups", Slug: "cups",
		Parent: "019a1c52-7c1e-7d40-9a55-00000000b002"}
	eventLevel = stock.Level{SKU: eventProduct.SKU, Warehouse: "MAIN", Product: eventProduct.ID, OnHand: 9, Reserved: 6,
		Threshold: new(int64(5))}
	eventCustomer = customers.Customer{ID: "019a1c52-7c1e-7d40-9a55-00000000c001", Email: "ada@example.com", FirstName: "Ada",
		LastName: "Example", Phone: "+33100000000",
		Company: "Example SARL", Siret: "12345678901234", VAT: "FR12345678901", Metadata: "{}", Tags: []string{"b2b"},
		Status: customers.Active, OrdersCount: 1,
		TotalSpent: 3870 * money.Scale / 100, CreatedAt: eventAt, UpdatedAt: eventAt,
		Addresses: []customers.Address{{ID: "019a1c52-7c1e-7d40-9a55-00000000c101",
			Type: customers.Both, Name: "Ada Example", Line1: "1 rue de la Paix", City: "Paris", Zip: "75002", Country: "FR", IsDefault: true}}}
	eventCustomerRecord = Customer{eventCustomer, []customers.Segment{{ID: "019a1c52-7c1e-7d40-9a55-00000000c201", Name: "Resellers"}}}
	eventLine           = orders.Line{ID: "019a1c52-7c1e-7d40-9a55-00000000d101", Product: eventProduct.ID, SKU: eventProduct.SKU,
		Name: eventProduct.Name, Quantity: 3, UnitPrice: 1290 * money.Scale / 100, Total: 3870 * money.Scale / 100}
	eventShipment = orders.Shipment{ID: "019a1c52-7c1e-7d40-9a55-00000000d201", Carrier: "Colissimo", TrackingNumber: "6A123",
		TrackingURL: "https://example.com/track/6A123",
		ShippedAt:   eventAt, CreatedAt: eventAt, Lines: []orders.ShipmentLine{{ID: "019a1c52-7c1e-7d40-9a55-00000000d202", Line: eventLine.ID,
			Quantity: 3}}}
)

func amount(a money.Amount) *money.Amount { return &a }

// eventOrder is the sample order, with a status.
func eventOrder(status orders.Status) *orders.Order {
	o := &orders.Order{ID: "019a1c52-7c1e-7d40-9a55-00000000d001", Number: 42, Status: status,
		Channel: "019a1c52-7c1e-7d40-9a55-00000000e001", ChannelName: "Shop",
		ChannelPlatform: channels.Custom, Customer: eventCustomer.ID, CustomerName: eventCustomer.Name(), CustomerEmail: eventCustomer.Email,
		Given:    orders.Given{ExternalReference: "WEB-1001"},
		Currency: "EUR", Lines: []orders.Line{eventLine}, CreatedAt: eventAt, UpdatedAt: eventAt}
	o.Total = eventLine.Total
	if status == orders.Shipped || status == orders.Delivered || status == orders.Returned {
		o.TrackingCarrier, o.TrackingNumber, o.TrackingURL = eventShipment.Carrier, eventShipment.TrackingNumber, eventShipment.TrackingURL
	}
	return o
}

// eventJob is the sample job, completed with a status.
func eventJob(status jobs.Status, errors string) jobs.Job {
	return jobs.Job{ID: "019a1c52-7c1e-7d40-9a55-00000000f001", Type: jobs.ProductImport, Channel: "019a1c52-7c1e-7d40-9a55-00000000e001",
		ChannelName: "Shop", ChannelType: channels.Custom,
		Status: status, Total: 100, Created: 40, Updated: 60, Errors: errors, StartedAt: eventAt, CompletedAt: eventAt + 1_500_000}
}
