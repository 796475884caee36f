package api

import (
	"time"

	"entrepot/internal/analytics"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/money"
	"entrepot/internal/channels"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

func writeSpan(w *apijson.Writer, s analytics.Span) {
	w.Micros("from", s.From)
	w.Micros("to", s.To)
}

func writeTakings(w *apijson.Writer, t analytics.Takings) {
	w.Int("orders", t.Orders)
	w.Total("revenue", t.Revenue)
	w.Money("averageOrder", t.Average())
}

func writeByCurrency(w *apijson.Writer, list []analytics.Takings) {
	w.List("byCurrency")
	for _, t := range list {
		w.Record("CurrencyFigures", "")
		w.Text("currency", t.Currency)
		writeTakings(w, t)
		w.End()
	}
	w.EndList()
}

// writeSummary writes a summary: orders count every currency; revenue and averageOrder are of the account's.
func writeSummary(w *apijson.Writer, s analytics.Summary) {
	w.Record("SummaryFigures", "data")
	writeSpan(w, s.Span)
	w.Text("currency", s.Takings[0].Currency)
	w.Int("orders", allOrders(s.Takings))
	w.Total("revenue", s.Takings[0].Revenue)
	w.Money("averageOrder", s.Takings[0].Average())
	w.Int("itemsSold", s.ItemsSold)
	w.Int("newCustomers", s.NewCustomers)
	w.Int("customers", s.Customers)
	w.Int("activeProducts", s.ActiveProducts)
	w.Int("lowStock", s.LowStock)
	w.Int("toShip", s.ToShip)
	w.Record("Takings", "previous")
	writeTakings(w, s.Before)
	w.End()
	w.List("byStatus")
	for _, c := range s.ByStatus {
		w.Record("StatusFigures", "")
		w.Text("status", c.Status)
		w.Int("orders", c.Orders)
		w.Total("total", c.Total)
		w.End()
	}
	w.EndList()
	writeByCurrency(w, s.Takings)
	w.End()
}

func allOrders(list []analytics.Takings) (n int64) {
	for _, t := range list {
		n += t.Orders
	}
	return n
}

func writeSales(w *apijson.Writer, s analytics.Sales) {
	w.Record("SalesFigures", "data")
	writeSpan(w, s.Span)
	w.Text("currency", s.Takings[0].Currency)
	apijson.Word(w, "interval", s.Interval)
	w.Text("timeZone", s.Zone.String())
	w.List("points")
	for _, p := range s.Points {
		w.Record("SalesPoint", "")
		w.Micros("start", p.Start)
		w.Int("orders", p.Orders)
		w.Int("itemsSold", p.ItemsSold)
		w.Total("revenue", p.Revenue)
		w.End()
	}
	w.EndList()
	w.List("bestSellers")
	for _, b := range s.Best {
		w.Record("BestSeller", "")
		w.Text("sku", b.SKU)
		apijson.IDOrNull(w, "productId", b.Product)
		w.Text("name", b.Name)
		w.Int("quantity", b.Quantity)
		w.Total("revenue", b.Revenue)
		w.End()
	}
	w.EndList()
	writeByCurrency(w, s.Takings)
	w.End()
}

func writeChannelFigures(w *apijson.Writer, span analytics.Span, currency string, list []analytics.Channel) {
	w.Record("AllChannelFigures", "data")
	writeSpan(w, span)
	w.Text("currency", currency)
	w.List("channels")
	for _, c := range list {
		w.Record("ChannelFigures", "")
		apijson.IDOrNull(w, "channelId", c.ID)
		w.TextOrNull("channelName", c.Name)
		w.TextOrNull("channelType", c.Platform)
		w.TextOrNull("status", c.Status)
		w.Int("orders", c.Orders)
		w.Int("cancelled", c.Cancelled)
		w.Int("returned", c.Returned)
		w.Total("revenue", c.Revenue)
		w.MicrosOrNull("lastOrderAt", c.LastOrder)
		w.Record("PublicationCounts", "publications")
		w.Int("published", c.Published)
		w.Int("pending", c.Waiting)
		w.Int("failed", c.Failed)
		w.End()
		w.Int("failedJobs", c.FailedJobs)
		w.MicrosOrNull("lastSyncAt", c.LastSync)
		w.End()
	}
	w.EndList()
	w.End()
}

func writeStockFigures(w *apijson.Writer, currency string, s analytics.Stock) {
	w.Record("StockFigures", "data")
	w.Text("currency", currency)
	var all analytics.Warehouse
	for _, one := range s.Warehouses {
		all.SKUs, all.OnHand, all.Reserved = all.SKUs+one.SKUs, all.OnHand+one.OnHand, all.Reserved+one.Reserved
		all.OutOfStock, all.Low, all.Value = all.OutOfStock+one.OutOfStock, all.Low+one.Low, all.Value.Plus(one.Value)
	}
	writeWarehouseFigures(w, all)
	w.List("warehouses")
	for _, one := range s.Warehouses {
		w.Record("WarehouseFigures", "")
		w.Text("warehouseCode", one.Code)
		w.Text("name", one.Name)
		writeWarehouseFigures(w, one)
		w.End()
	}
	w.EndList()
	w.List("low")
	for _, l := range s.Low {
		w.Record("LowStock", "")
		w.Text("sku", l.SKU)
		apijson.ID(w, "productId", l.Product)
		w.Text("name", l.Name)
		w.Text("warehouseCode", l.Warehouse)
		w.Int("onHand", l.OnHand)
		w.Int("reserved", l.Reserved)
		w.Int("available", l.OnHand-l.Reserved)
		w.Int("threshold", l.Threshold)
		w.End()
	}
	w.EndList()
	w.End()
}

func writeWarehouseFigures(w *apijson.Writer, one analytics.Warehouse) {
	w.Int("levels", one.SKUs)
	w.Int("onHand", one.OnHand)
	w.Int("reserved", one.Reserved)
	w.Int("available", one.Available())
	w.Int("outOfStock", one.OutOfStock)
	w.Int("lowStock", one.Low)
	w.Total("value", one.Value)
}

// writeWebhookFigures writes the deliveries of a span: in total, by endpoint, by event.
func writeWebhookFigures(w *apijson.Writer, f analytics.Webhooks) {
	w.Record("WebhookFigures", "data")
	writeSpan(w, f.Span)
	w.Int("events", f.Events)
	var all analytics.Endpoint
	for _, e := range f.Endpoints {
		all.Pending, all.Delivered, all.Failed = all.Pending+e.Pending, all.Delivered+e.Delivered, all.Failed+e.Failed
		all.Attempts, all.Answered, all.Duration = all.Attempts+e.Attempts, all.Answered+e.Answered, all.Duration+e.Duration
	}
	writeDeliveryFigures(w, all)
	w.List("endpoints")
	for _, e := range f.Endpoints {
		w.Record("EndpointFigures", "")
		apijson.ID(w, "endpointId", e.ID)
		w.Text("url", e.URL)
		w.Text("status", e.Status)
		writeDeliveryFigures(w, e)
		w.MicrosOrNull("lastAttemptAt", e.LastAttempt)
		w.TextOrNull("lastError", e.LastError)
		w.End()
	}
	w.EndList()
	w.List("byEvent")
	for _, c := range f.ByEvent {
		w.Record("EventFigures", "")
		w.Text("event", c.Event)
		w.Int("deliveries", c.Deliveries)
		w.Int("failed", c.Failed)
		w.End()
	}
	w.EndList()
	w.End()
}

// writeDeliveryFigures writes counts by state. The rate is the percentage of attempts that delivered, whatever the
// state of their deliveries now; null without attempts.
func writeDeliveryFigures(w *apijson.Writer, e analytics.Endpoint) {
	w.Int("pending", e.Pending)
	w.Int("delivered", e.Delivered)
	w.Int("failed", e.Failed)
	w.Int("attempts", e.Attempts)
	var rate *money.Amount
	if e.Attempts > 0 {
		percent := money.Amount((1000*e.Answered + e.Attempts/2) / e.Attempts * money.Scale / 10)
		if e.Answered < e.Attempts { // rounding must not make it 100 %
			percent = min(percent, 999*money.Scale/10)
		}
		rate = &percent
	}
	w.MoneyOrNull("successRate", rate)
	var average *int64
	if e.Attempts > 0 {
		rounded := (e.Duration + e.Attempts/2) / e.Attempts
		average = &rounded
	}
	w.IntOrNull("averageDurationMs", average)
}

var (
	sampleSpan    = analytics.Span{From: records.SampleTime, To: records.SampleTime + 1}
	sampleTakings = []analytics.Takings{{Currency: "EUR", Orders: 12, Revenue: money.TotalOf(500*money.Scale, 0)}}
)

func sampleSummary(w *apijson.Writer) {
	writeSummary(w, analytics.Summary{Span: sampleSpan, Takings: sampleTakings, Before: sampleTakings[0], ItemsSold: 30, NewCustomers: 4,
		Customers:      80,
		ActiveProducts: 200, LowStock: 3, ToShip: 5,
		ByStatus: []analytics.StatusCount{{Status: "PENDING", Orders: 2, Total: money.TotalOf(60*money.Scale, 0)}}})
}

func sampleSales(w *apijson.Writer) {
	writeSales(w, analytics.Sales{Span: sampleSpan, Interval: analytics.Day, Zone: time.UTC, Takings: sampleTakings,
		Points: []analytics.Point{{Start: records.SampleTime, Orders: 12, ItemsSold: 30, Revenue: money.TotalOf(500*money.Scale, 0)}},
		Best: []analytics.Seller{{SKU: "MUG-BLUE", Product: "019a1c52-7c1e-7d40-9a55-000000000006", Name: "Blue mug", Quantity: 9,
			Revenue: money.TotalOf(90*money.Scale, 0)}}})
}

func sampleChannelFigures(w *apijson.Writer) {
	writeChannelFigures(w, sampleSpan, "EUR",
		[]analytics.Channel{{ID: "019a1c52-7c1e-7d40-9a55-000000000003", Name: "In-house shop", Platform: channels.Custom, Status: "active",
			Orders: 12, Cancelled: 1, Returned: 1, Revenue: money.TotalOf(500*money.Scale, 0), LastOrder: records.SampleTime, Published: 200,
			LastSync: records.SampleTime}})
}

func sampleStockFigures(w *apijson.Writer) {
	writeStockFigures(w, "EUR", analytics.Stock{
		Warehouses: []analytics.Warehouse{{Code: "MAIN", Name: "Main warehouse", SKUs: 200, OnHand: 4000, Reserved: 30, OutOfStock: 2, Low: 3,
			Value: money.TotalOf(90_000*money.Scale, 0)}},
		Low: []analytics.Level{{SKU: "MUG-BLUE", Product: "019a1c52-7c1e-7d40-9a55-000000000006", Name: "Blue mug", Warehouse: "MAIN", OnHand: 2,
			Reserved: 1, Threshold: 5}}})
}

func sampleWebhookFigures(w *apijson.Writer) {
	writeWebhookFigures(w, analytics.Webhooks{Span: sampleSpan, Events: 40,
		Endpoints: []analytics.Endpoint{{ID: "019a1c52-7c1e-7d40-9a55-000000000007", URL: "https://shop.example/hooks", Status: "active",
			Pending: 1, Delivered: 38, Failed: 1,
			Attempts: 45, Answered: 38, Duration: 3_600, LastAttempt: records.SampleTime, LastError: "the endpoint answered 500"}},
		ByEvent: []analytics.EventCount{{Event: webhooks.OrderReceived, Deliveries: 12, Failed: 1}}})
}
