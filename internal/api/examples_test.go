package api

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"entrepot/internal/db/dbtest"
)

// Every example of a request in the document is accepted as it is: only its ids are replaced with those of real records.
func TestExamplesAreTaken(t *testing.T) {
	dbtest.Long(t, "it sends every example")
	var shop *fixture
	eachRoute(t, func(w *fixture, r *route, made row) {
		if shop == nil || shop.API != w.API {
			shop = w
			w.stockExamples()
		}
		if r.body == nil {
			return
		}
		text := r.example()
		if text == nil {
			w.t.Errorf("%s has no example: examples/%s.json", r.method+" "+r.path, r.name)
			return
		}
		a := made.req(w)
		a.body, a.query, a.status = exchange(string(text), string(encode(w.t, a.body))), "", 0
		if problem := w.validator.refuses(r, a.body.(string)); problem != "" {
			w.t.Errorf("%s: the document refuses its own example: %s", r.name, problem)
		}
		got := w.send(r, a, w.credential(r, a))
		if got.status != r.success() {
			w.t.Errorf("%s: the example is answered %d: %s", r.name, got.status, short(got.body))
		}
		answer := got.json(w.t)
		data, _ := answer["data"].(map[string]any)
		if list, _ := data["errors"].([]any); len(list) > 0 {
			w.t.Errorf("%s: items of the example are refused: %s", r.name, short(got.body))
		}
	})
}

// stockExamples creates the records that the examples mention.
func (w *fixture) stockExamples() {
	w.t.Helper()
	w.make("POST", "/api/v1/products",
		member{"sku": "TSHIRT", "name": "T-shirt", "price": 24.95, "variants": []any{member{"sku": "TSHIRT-M", "stock": 100}}})
	w.make("POST", "/api/v1/products", member{"sku": "MUG-BLUE", "name": "Blue mug", "price": 9.9, "stock": member{"quantity": 40}})
	w.make("POST", "/api/v1/warehouses", member{"code": "LYON", "name": "Lyon"})
	var login member
	if err := json.Unmarshal((&route{name: "logIn"}).example(), &login); err != nil {
		w.t.Fatal(err)
	}
	user := maps.Clone(login)
	user["name"], user["role"] = "Olga Owner", "admin"
	w.makeAs("POST", "/api/v1/users", user, w.asOwner())
}

// No example is left behind by an operation that is gone.
func TestEveryExampleHasAnOperation(t *testing.T) {
	names := map[string]bool{}
	for _, r := range routes() {
		names[r.name] = r.body != nil
	}
	files, err := examples.ReadDir("examples")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if name := strings.TrimSuffix(file.Name(), ".json"); !names[name] {
			t.Errorf("examples/%s: no operation of this name takes a body", file.Name())
		}
	}
}
