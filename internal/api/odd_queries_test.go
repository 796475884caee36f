package api

import (
	"net/url"
	"testing"

	"entrepot/internal/base/apijson"
	"entrepot/internal/db/dbtest"
)

// oddValues are values of parameters that no caller should send, and some send.
var oddValues = []string{"", ",", ",,,", " ", " , ", "\x00", "a,\x00", "\xff", "%", "_", "'", `"`, "\\", "-1", "0",
	"9223372036854775808", "1e9", "NaN", "null",
	"[]", "{}", "019a1c41-0000-7000-8000-000000000000", "019a1c41-0000-7000-8000-000000000000,", "00000000-0000-0000-0000-000000000000,,x",
	"9999-12-31T23:59:59Z", "0000-01-01", "-0001-01-01T00:00:00Z", "\u202e", "é", "a:b:c", ":", "price:", "price:sideways"}

// No parameter of a GET fails inside, whatever is in it: alone, beside a good value, and twice.
func TestOddQueryValues(t *testing.T) {
	dbtest.Long(t, "every route takes hundreds of inputs")
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w, asked := newFixture(t, engine), 0
			w.order()
			for _, r := range routes() {
				row, ok := rows[r.method+" "+r.path]
				if r.method != "GET" || r.query == nil || !ok || row.req == nil {
					continue
				}
				a := row.req(w)
				schema := apijson.DescribeQuery(r.query)
				for _, name := range schema.Names() {
					good := url.QueryEscape(name) + "=" + url.QueryEscape(w.valueOf(r, name, schema.Properties[name]))
					for _, odd := range oddValues {
						one := url.QueryEscape(name) + "=" + url.QueryEscape(odd)
						for _, query := range []string{one, good + "&" + one, one + "&" + one, a.query + "&" + one} {
							a := a
							a.query = query
							asked++
							if got := w.send(r, a, w.credential(r, a)); got.status >= 500 {
								t.Errorf("GET %s?%s: %d %s", r.path, query, got.status, short(got.body))
							}
						}
					}
				}
			}
			t.Logf("%d queries", asked)
		})
	}
}
