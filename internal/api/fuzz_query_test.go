package api

import (
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/webhooks"
)

// valueOf is a value that a parameter takes.
func (w *fixture) valueOf(r *route, name string, s *apijson.Schema) string {
	if make := queryIDs[name]; make != nil {
		return w.once("query "+name, func() string { return make(w) })
	}
	if len(s.Enum) > 0 {
		return s.Enum[0].(string)
	}
	if s.Type == "integer" {
		return "2"
	}
	if s.Type == "boolean" {
		return "true"
	}
	if words, ok := strings.CutPrefix(s.Description, "one or more of "); ok {
		words, _, _ = strings.Cut(words, ", separated")
		return strings.ReplaceAll(words, ", ", ",")
	}
	switch name {
	case "from", "since", "createdAtGte", "createdAt[gte]", "dateFrom", "updatedAtGte", "updatedAt[gte]":
		return w.now.Now().Add(-10 * 24 * time.Hour).In(time.FixedZone("", 3600)).Format(time.RFC3339Nano)
	case "to", "createdAtLte", "createdAt[lte]", "dateTo", "updatedAtLte", "updatedAt[lte]":
		return w.now.Now().Add(10 * 24 * time.Hour).Format(time.DateOnly)
	case "sort":
		return map[bool]string{true: "total:asc", false: "price:asc"}[strings.HasSuffix(r.path, "/orders")]
	case "sortBy":
		return "orderNumber"
	case "order", "sortOrder":
		return "desc"
	case "cursor":
		if strings.HasSuffix(r.path, "/jobs") {
			return w.once("job cursor", func() string { return string(w.newJob()) })
		}
		if strings.HasSuffix(r.path, "/returns") {
			return string(id.New[id.Return]())
		}
		if strings.HasSuffix(r.path, "/deliveries") {
			return (&webhooks.DeliveryCursor{Endpoint: id.New[id.Endpoint](), Position: 1}).String()
		}
		switch which := string(id.New[id.Product]()); path.Base(r.path) {
		case "products":
			return apijson.CursorText("products", descending, which)
		case "categories":
			return apijson.CursorText("categories", "a", which)
		case "customers":
			return apijson.CursorText("customers", which)
		case "inventory":
			return apijson.CursorText("inventory", "a", "MAIN")
		}
		return w.once("cursor", func() string {
			w.newOrder("PENDING")
			return text(w.make("GET", "/api/v1/orders?limit=1", nil), "meta", "nextCursor")
		})
	case "after":
		return w.once("event", func() string { return text(w.make("GET", "/api/v1/developer/events?limit=1", nil), "data", 0, "id") })
	case "assignedTo":
		return "none," + string(id.New[id.User]())
	case "country":
		return "FR"
	case "timeZone":
		return "Asia/Kolkata"
	case "minTotal", "maxTotal":
		return "10.50"
	case "customerEmail", "email":
		return "ada@example.com"
	}
	return "a"
}

// Every parameter of every list, alone and beside every other, is a page: no statement of either engine stumbles over a
// combination of filters.
func TestEveryPairOfParameters(t *testing.T) {
	dbtest.Long(t, "every route takes hundreds of inputs")
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w, asked := newFixture(t, engine), 0
			w.order()
			for _, r := range lists() {
				a := rows[r.method+" "+r.path].req(w)
				schema := apijson.DescribeQuery(r.query)
				var each []string
				for _, name := range schema.Names() {
					each = append(each, url.QueryEscape(name)+"="+url.QueryEscape(w.valueOf(r, name, schema.Properties[name])))
				}
				for i := range each {
					for j := 0; j <= i; j++ {
						a.query = each[i]
						if j < i {
							a.query += "&" + each[j]
						}
						got := w.send(r, a, w.credential(r, a))
						asked++
						if got.status != 200 {
							t.Errorf("GET %s?%s: %d %s", r.path, a.query, got.status, short(got.body))
						}
						checkPage(t, r, a.query, got)
					}
				}
			}
			t.Logf("%d queries", asked)
		})
	}
}
