package fakeshop

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// A request that Shopify's schema does not allow is refused as Shopify refuses it, with status 200 and errors, and does nothing.
func TestSchemaRefuses(t *testing.T) {
	shop := New()
	ask := func(query string, variables object) (errors []struct {
		Message    string
		Extensions struct{ Code string }
	}) {
		t.Helper()
		body, _ := json.Marshal(object{"query": query, "variables": variables})
		r := httptest.NewRequest("POST", "/admin/api/2026-10/graphql.json", strings.NewReader(string(body)))
		r.Header.Set("X-Shopify-Access-Token", Token)
		w := httptest.NewRecorder()
		shop.ServeHTTP(w, r)
		var answer struct{ Errors json.RawMessage }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		_ = json.Unmarshal(answer.Errors, &errors)
		return errors
	}
	set := func(body, declared string) string {
		return "mutation SetProduct(" + declared + ") { productSet(" + body + ") { product { id } userErrors { message } } }"
	}
	for _, c := range []struct {
		query     string
		variables object
		code      string
		words     string
	}{
		{"query Shop { shop { name } }", nil, "", ""},
		{"query Shop { shop { nome } }", nil, "undefinedField", "nome"},
		{"query Shop { shop }", nil, "selectionMismatch", ""},
		{"query Orders { orders(first: 1, sort: ID) { nodes { id } } }", nil, "argumentNotAccepted", "sort"},
		{"query Order { order { id } }", nil, "missingRequiredArguments", "id"},
		{"query Order($id: String!) { order(id: $id) { id } }", object{"id": "1"}, "variableMismatch", "ID!"},
		{"query Order { order(id: $id) { id } }", nil, "variableNotDefined", "id"},
		{"mutation Cancel { orderCancel(orderId: 1, reason: OTHER) { job { id } } }", nil, "missingRequiredArguments", "restock"},
		{"mutation Cancel { orderCancel(orderId: 1, restock: true, reason: WHIM) { job { id } } }", nil, "argumentLiteralsIncompatible", "WHIM"},
		{set("input: $input", "$input: ProductSetInput!"), object{"input": object{"titel": "Mug"}}, "INVALID_VARIABLE", "unknown field"},
		{set("input: $input", "$input: ProductSetInput!"), object{"input": object{"status": "GONE"}}, "INVALID_VARIABLE", "GONE"},
		{set("input: $input", "$input: ProductSetInput!"), object{"input": object{"variants": []object{{"sku": "MUG"}}}}, "INVALID_VARIABLE", ""},
		{set("input: $input", "$input: ProductSetInput!"), nil, "INVALID_VARIABLE", ""},
		{"mutation SetStock($input: InventorySetQuantitiesInput!) { inventorySetQuantities(input: $input) { userErrors { message } } }",
			object{"input": object{"name": "available", "reason": "correction",
				"quantities": []object{{"inventoryItemId": "1", "locationId": "1", "quantity": "many"}}}}, "INVALID_VARIABLE", ""},
	} {
		errors := ask(c.query, c.variables)
		if c.code == "" {
			if len(errors) > 0 {
				t.Errorf("%s: %v", c.query, errors)
			}
			continue
		}
		if len(errors) == 0 || errors[0].Extensions.Code != c.code || !strings.Contains(errors[0].Message, c.words) {
			t.Errorf("%s %v: %v, not %s", c.query, c.variables, errors, c.code)
		}
	}
	if len(shop.products) > 0 {
		t.Errorf("%d products were made", len(shop.products))
	}
}
