package connectortest

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"entrepot/internal/connector"
)

// SmallPages puts something before a shop that gives no page of a list with more than most entries, as the parameter
// of the query says: the page is larger than the client takes (whole), or it gives up waiting.
func SmallPages(shop http.Handler, path, parameter string, most int, whole bool) http.Handler {
	page := bytes.Repeat([]byte(" "), 17<<20)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get(parameter))
		switch {
		case n <= most || !strings.HasSuffix(r.URL.Path, path):
			shop.ServeHTTP(w, r)
		case whole:
			_, _ = w.Write(page)
		default:
			w.WriteHeader(http.StatusGatewayTimeout)
		}
	})
}

// PullRest reads the pages of orders from the next one of a page that was read, each again after failures that pass,
// at most three, and returns the platform's ids of the orders.
func PullRest(t testing.TB, session connector.Session, page connector.OrderPage) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for failures := 0; page.Next != ""; {
		next, err := session.PullOrders(t.Context(), connector.Cursor{Page: page.Next})
		if connector.Is(err, connector.Temporary) && failures < 3 {
			failures++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range next.Orders {
			found[o.ExternalID] = true
		}
		page = next
	}
	return found
}
