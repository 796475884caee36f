package prestashop_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/prestashop/fakeshop"
)

// A shop that is too slow for a page of fifty orders gives smaller ones, down to ten, and larger ones day by day when it is fast again.
func TestSlowShopsGiveSmallerPages(t *testing.T) {
	s := newShop(t)
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	for i := range 60 {
		s.Buy(fmt.Sprintf("ada%d@example.com", i), true, fakeshop.Bought{SKU: "MUG", Quantity: 1})
		s.Pass(time.Second)
	}
	s.Pass(time.Minute)
	most, asked := 12, 0
	s.open(connectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, count, _ := strings.Cut(r.URL.Query().Get("limit"), ",")
		if n, _ := strconv.Atoi(count); strings.HasSuffix(r.URL.Path, "/orders") && n > 1 { // one order is asked for to learn the shop's time
			if asked = n; n > most {
				w.WriteHeader(524) // as Cloudflare says it
				return
			}
		}
		s.ServeHTTP(w, r)
	})))
	tries := 0
	for ; ; tries++ {
		_, err := s.session.PullOrders(t.Context(), connector.Cursor{})
		if err == nil {
			break
		}
		if !connector.Is(err, connector.Temporary) || tries > 5 {
			t.Fatal(err)
		}
	}
	list, _ := s.pull(t, time.Time{})
	seen := map[string]bool{}
	for _, o := range list {
		seen[o.ExternalID] = true
	}
	if tries != 2 || len(seen) != 60 {
		t.Errorf("%d orders after %d tries", len(seen), tries)
	}
	most = 1
	for range 4 {
		if _, err := s.session.PullOrders(t.Context(), connector.Cursor{}); !connector.Is(err, connector.Temporary) {
			t.Errorf("%v", err)
		}
	}
	if asked != 10 {
		t.Errorf("pages of %d", asked)
	}
	most = 50 // it is fast again
	for _, day := range []struct{ days, asked int }{{0, 10}, {1, 20}, {1, 40}, {1, 50}} {
		s.Pass(time.Duration(day.days) * 24 * time.Hour)
		if connectortest.Must(s.session.PullOrders(t.Context(), connector.Cursor{}))(t); asked != day.asked {
			t.Errorf("pages of %d, not %d", asked, day.asked)
		}
	}
}

// Lines are asked for with what is read of them only: a page of orders of some hundred lines each would be too large with all.
func TestLinesAreReadInPart(t *testing.T) {
	s := newShop(t)
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	s.Buy("ada@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 2})
	var fields string
	s.open(connectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/order_details") {
			fields = r.URL.Query().Get("display")
		}
		s.ServeHTTP(w, r)
	})))
	list, _ := s.pull(t, time.Time{})
	if len(list) != 1 || len(list[0].Lines) != 1 || list[0].Lines[0].SKU != "MUG" || list[0].Lines[0].Quantity != 2 ||
		list[0].Excess() != 0 || strings.Count(fields, ",") > 10 || !strings.HasPrefix(fields, "[id,") {
		t.Errorf("%+v, by %q", list, fields)
	}
}
