package api

import (
	"strings"
	"testing"
	"time"
)

// A series goes on over a day that its zone never had, because the zone crossed the date line; that day alone has no points.
func TestSeriesOverADayThatNeverWas(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		for _, c := range []struct{ query, want string }{
			{"from=2011-12-28&to=2012-01-02&timeZone=Pacific/Apia", "28 29 31 01 02"},
			{"from=2011-12-30&to=2011-12-31&timeZone=Pacific/Apia", "31"},
			{"from=2011-12-29&to=2011-12-30&timeZone=Pacific/Apia", "29"},
			{"from=2011-12-30&to=2011-12-30&timeZone=Pacific/Apia", ""},
			{"from=1993-08-20&to=1993-08-22&timeZone=Pacific/Kwajalein", "20 22"},
			{"from=2026-03-28&to=2026-03-30&timeZone=Europe/Berlin", "28 29 30"},
			{"from=2011-12-19&to=2012-01-08&timeZone=Pacific/Apia&interval=week", "19 26 02"},
			{"from=2011-12-30&to=2012-01-08&timeZone=Pacific/Apia&interval=month", "01 01"},
		} {
			sales := s.must(t, 200, "GET", "/api/v1/analytics/sales?"+c.query, nil)
			name, _, _ := strings.Cut(c.query[strings.Index(c.query, "timeZone=")+9:], "&")
			zone, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			var days []string
			for _, p := range at(sales, "data", "points").([]any) {
				start, err := time.Parse(time.RFC3339, text(p, "start"))
				if err != nil {
					t.Fatal(err)
				}
				days = append(days, start.In(zone).Format("02"))
			}
			if got := strings.Join(days, " "); got != c.want {
				t.Errorf("%s: %s, not %s", c.query, got, c.want)
			}
		}
		s.must(t, 200, "GET", "/api/v1/analytics/sales?from=2011-12-30&to=2011-12-30T12:00:00Z&timeZone=Pacific/Apia&interval=hour", nil)
	})
}

// Figures up to now are the same, 304, for as long as nothing has changed, although their span moves on.
func TestFiguresUpToNowKeepTheirETag(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.now.micros.Store(s.now.Now().Truncate(24 * time.Hour).Add(36 * time.Hour).UnixMicro()) // noon: no other day begins meanwhile
		s.must(t, 201, "POST", "/api/v1/products", member{"sku": "MUG", "name": "Mug", "price": 9})
		order := member{"customerName": "Ada", "items": []any{member{"sku": "MUG", "quantity": 1, "unitPrice": 9}}}
		s.must(t, 201, "POST", "/api/v1/orders", order)
		month := s.now.Now().AddDate(0, 0, -30).Format(time.DateOnly)
		for _, path := range []string{"summary", "sales", "sales?from=" + month, "channels", "webhooks", "stock"} {
			path = "/api/v1/analytics/" + path
			s.now.move(10 * time.Second) // past the stamps of the last order's events: on PostgreSQL they follow the transaction's time too
			read := func(tag string) reply {
				s.now.micros.Add(5000)
				return s.do(call{method: "GET", path: path, header: map[string]string{"X-API-Key": s.key, "If-None-Match": tag}})
			}
			first := read(`""`)
			if again := read(first.header.Get("ETag")); first.status != 200 || again.status != 304 {
				t.Errorf("%s: %d, then %d", path, first.status, again.status)
			}
			if path == "/api/v1/analytics/webhooks" || path == "/api/v1/analytics/stock" {
				continue
			}
			s.must(t, 201, "POST", "/api/v1/orders", order)
			if after := read(first.header.Get("ETag")); after.status != 200 {
				t.Errorf("%s: %d after another order", path, after.status)
			}
		}
	})
}
