package api

import (
	"net/http"
	"time"

	"entrepot/internal/analytics"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/regional"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// analyticsRoutes are interface §4.5.11.
var analyticsRoutes = []*route{
	{method: "GET", path: "/api/v1/analytics/summary", name: "getSummaryAnalytics", section: "4.5.11",
		summary: "How a span went, beside the span before it", scope: "read:analytics",
		query: func(q *apijson.Query) { readSpan(q, time.Time{}) }, answer: data(sampleSummary), serve: (*API).getSummaryAnalytics},
	{method: "GET", path: "/api/v1/analytics/sales", name: "getSalesAnalytics", section: "4.5.11",
		summary: "Sales by hour, day, week or month, and best sellers", scope: "read:analytics",
		query: func(q *apijson.Query) { readSpan(q, time.Time{}); readInterval(q); readZone(q) }, answer: data(sampleSales),
		serve: (*API).getSalesAnalytics},
	{method: "GET", path: "/api/v1/analytics/channels", name: "getChannelAnalytics", section: "4.5.11",
		summary: "Sales, publications and failed jobs by channel", scope: "read:analytics",
		query: func(q *apijson.Query) { readSpan(q, time.Time{}) }, answer: data(sampleChannelFigures), serve: (*API).getChannelAnalytics},
	{method: "GET", path: "/api/v1/analytics/stock", name: "getStockAnalytics", section: "4.5.11",
		summary: "Stock by warehouse, its value, and what runs low", scope: "read:analytics",
		answer: data(sampleStockFigures), serve: (*API).getStockAnalytics},
	{method: "GET", path: "/api/v1/analytics/webhooks", name: "getWebhookAnalytics", section: "4.5.11",
		summary: "How deliveries went, by endpoint and by event", scope: "read:analytics",
		query: func(q *apijson.Query) { readSpan(q, time.Time{}) }, answer: data(sampleWebhookFigures), serve: (*API).getWebhookAnalytics},
}

// usualSpan is the default span of figures.
const usualSpan = 30 * 24 * time.Hour

// readSpan reads from and to; the default is the last 30 days.
func readSpan(q *apijson.Query, now time.Time) analytics.Span { return readSpanIn(q, now, time.UTC) }

// readSpanIn is readSpan with bare dates as days of a time zone.
func readSpanIn(q *apijson.Query, now time.Time, zone *time.Location) analytics.Span {
	from, fromGiven := q.TimeIn("from", false, zone)
	to, toGiven := q.TimeIn("to", true, zone)
	if !toGiven {
		to = now
	}
	if !fromGiven {
		from = to.Add(-usualSpan)
	}
	if from.After(to) && q.Text("from") != q.Text("to") { // one day that the zone never had ends before it begins
		q.AddError("from", "must not be later than to")
	}
	return analytics.Span{From: from.UnixMicro(), To: to.UnixMicro()}
}

func readInterval(q *apijson.Query) analytics.Interval {
	if every := apijson.QueryEnum(q, "interval", analytics.Intervals...); every != "" {
		return every
	}
	return analytics.Day
}

// readZone reads the time zone in which intervals begin; the default is UTC.
func readZone(q *apijson.Query) *time.Location {
	zone, ok := regional.Zone(q.Text("timeZone"))
	if !ok {
		q.AddError("timeZone", "must be the name of a time zone such as Europe/Paris")
		return time.UTC
	}
	return zone
}

// figures reads the figures of a span on one snapshot. If the span ends now, their ETag leaves the span out, so that
// the tag stays while the figures stay.
func (a *API) figures(r *request, q *apijson.Query, span analytics.Span,
	run func(tx *db.Tx) (func(*apijson.Writer, analytics.Span), error)) (out answer, err error) {
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	now := q.Text("to") == ""
	err = a.readWide(r, func(tx *db.Tx) error {
		write, err := run(tx)
		if err == nil {
			out = one(http.StatusOK, "", func(w *apijson.Writer) { write(w, span) })
			if now {
				out.content = records.Document(func(w *apijson.Writer) { write(w, analytics.Span{}) })
			}
		}
		return err
	})
	return out, err
}

// getSummaryAnalytics serves GET /api/v1/analytics/summary: 200; 400, 403.
func (a *API) getSummaryAnalytics(r *request) (answer, error) {
	q := r.query()
	span := readSpan(q, a.DB.Now())
	return a.figures(r, q, span, func(tx *db.Tx) (func(*apijson.Writer, analytics.Span), error) {
		s, err := analytics.Summarize(tx, r.caller.Currency, span)
		return func(w *apijson.Writer, shown analytics.Span) { s.Span = shown; writeSummary(w, s) }, err
	})
}

// getSalesAnalytics serves GET /api/v1/analytics/sales: 200; 400, 403.
func (a *API) getSalesAnalytics(r *request) (answer, error) {
	q := r.query()
	zone := readZone(q)
	span, every := readSpanIn(q, a.DB.Now(), zone), readInterval(q)
	return a.figures(r, q, span, func(tx *db.Tx) (func(*apijson.Writer, analytics.Span), error) {
		s, err := analytics.ReadSales(tx, r.caller.Currency, span, every, zone)
		return func(w *apijson.Writer, shown analytics.Span) { s.Span = shown; writeSales(w, s) }, err
	})
}

// getChannelAnalytics serves GET /api/v1/analytics/channels: 200; 400, 403.
func (a *API) getChannelAnalytics(r *request) (answer, error) {
	q := r.query()
	span := readSpan(q, a.DB.Now())
	return a.figures(r, q, span, func(tx *db.Tx) (func(*apijson.Writer, analytics.Span), error) {
		list, err := analytics.Channels(tx, r.caller.Currency, span)
		return func(w *apijson.Writer, shown analytics.Span) { writeChannelFigures(w, shown, r.caller.Currency, list) }, err
	})
}

// getStockAnalytics serves GET /api/v1/analytics/stock: 200; 403.
func (a *API) getStockAnalytics(r *request) (answer, error) {
	return a.figures(r, r.query(), analytics.Span{}, func(tx *db.Tx) (func(*apijson.Writer, analytics.Span), error) {
		s, err := analytics.ReadStock(tx)
		return func(w *apijson.Writer, _ analytics.Span) { writeStockFigures(w, r.caller.Currency, s) }, err
	})
}

// getWebhookAnalytics serves GET /api/v1/analytics/webhooks: 200; 400, 403.
func (a *API) getWebhookAnalytics(r *request) (answer, error) {
	q := r.query()
	span := readSpan(q, a.DB.Now())
	return a.figures(r, q, span, func(tx *db.Tx) (func(*apijson.Writer, analytics.Span), error) {
		figures, err := analytics.ReadWebhooks(tx, span)
		return func(w *apijson.Writer, shown analytics.Span) { figures.Span = shown; writeWebhookFigures(w, figures) }, err
	})
}
