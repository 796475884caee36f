package prestashop_test

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/prestashop/fakeshop"
)

// element is any element of XML.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []element  `xml:",any"`
}

// jsonOf is an element as the shop's JSON has it: lists are arrays, and so are texts in several languages.
func jsonOf(e element) any {
	if len(e.Children) == 0 {
		return e.Text
	}
	first := e.Children[0].XMLName.Local
	if first == "language" && len(e.Children[0].Attrs) > 0 && len(e.Children[0].Children) == 0 {
		var list []any
		for _, c := range e.Children {
			list = append(list, map[string]any{"id": c.Attrs[0].Value, "value": c.Text})
		}
		return list
	}
	if name := e.XMLName.Local; strings.HasSuffix(name, "s") && name != "associations" || name == "order_slip" && first == name {
		list := []any{}
		for _, c := range e.Children {
			list = append(list, jsonOf(c))
		}
		return list
	}
	fields := map[string]any{}
	for _, c := range e.Children {
		fields[c.XMLName.Local] = jsonOf(c)
	}
	return fields
}

// A shop whose lists come as JSON, as behind a proxy that asks for it, is read as one that answers XML.
func TestListsAsJSON(t *testing.T) {
	s := newShop(t)
	s.open(connectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := httptest.NewRecorder()
		s.ServeHTTP(out, r)
		for name, values := range out.Header() {
			w.Header()[name] = values
		}
		var doc element
		if r.Method != http.MethodGet || strings.HasSuffix(r.URL.Path, "/api/") || xml.Unmarshal(out.Body.Bytes(), &doc) != nil {
			w.WriteHeader(out.Code)
			_, _ = w.Write(out.Body.Bytes())
			return
		}
		body := []byte("[]")
		if len(doc.Children) > 0 && (len(doc.Children[0].Children) > 0 || !strings.HasSuffix(doc.Children[0].XMLName.Local, "s")) {
			name := doc.Children[0].XMLName.Local
			if name == "order_slip" { // the only list with another name than its resource
				name = "order_slips"
			}
			body, _ = json.Marshal(map[string]any{name: jsonOf(doc.Children[0])})
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(out.Code)
		_, _ = w.Write(body)
	})))
	if found := connectortest.Must(s.session.Test(t.Context()))(t); len(found.Missing) > 0 || found.Currency != "EUR" {
		t.Errorf("%+v", found)
	}
	shirt := s.shirt()
	for range 2 {
		for _, r := range connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{shirt}))(t) {
			if r.State != connector.Live {
				t.Errorf("%+v", r)
			}
			shirt.Known, shirt.Settled = r.IDs, true
		}
	}
	id := s.Buy("ada@example.com", true, fakeshop.Bought{SKU: "SHIRT-M", Quantity: 2})
	page := connectortest.Must(s.session.PullOrders(t.Context(), connector.Cursor{Since: s.Clock().Add(-time.Hour)}))(t)
	if len(page.Orders) != 1 || page.Orders[0].ExternalID != id || page.Orders[0].Lines[0].SKU != "SHIRT-M" ||
		page.Orders[0].Currency != "EUR" || page.Orders[0].Email != "ada@example.com" {
		t.Errorf("%+v", page)
	}
}

// What another program answers in JSON is no empty list: the orders would be left out.
func TestJSONOfSomethingElse(t *testing.T) {
	s := newShop(t)
	for _, body := range []string{`{"status":"maintenance"}`, `{}`, `[1]`, `"ok"`, `{"orders":[]} {`} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		t.Cleanup(server.Close)
		s.open(server.URL)
		if page, err := s.session.PullOrders(t.Context(), connector.Cursor{Since: s.Clock().Add(-time.Hour)}); err == nil {
			t.Errorf("%s: %+v", body, page)
		}
	}
}
