package importer

import (
	"errors"
	"fmt"
	"testing"
)

// Exported products take the categories of their store along: those without an externalId are known by their former ids.
func TestCategoriesAreMoved(t *testing.T) {
	fake, c := service(t)
	categories := `{"id":"c-2","externalId":null,"name":"Mugs","slug":"mugs","parentId":"c-1","parentExternalId":"kitchen"}` + "\n" +
		`{"id":"c-1","externalId":"kitchen","name":"Kitchen","slug":"kitchen-2","parentId":null,"parentExternalId":"house"}` + "\n"
	product := `{"id":"i1","sku":"A","name":"a","slug":"a","status":"DRAFT","price":1,"currency":"EUR","categoryIds":["c-2","c-1","c-9"],` +
		`"media":[],"variants":[],"attributes":{},"stock":[],"createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.678Z"}`
	o := Options{Kind: Products, File: write(t, product), Categories: write(t, categories), To: c}
	fake.categories["house"] = map[string]any{"slug": "mugs"} // the mugs get another one
	if s := run(t, o); s.Categories != 2 || s.Created != 1 {
		t.Errorf("%+v", s)
	}
	kitchen, mugs := fake.categories["kitchen"], fake.categories["c-2"]
	if fmt.Sprint(kitchen["name"], kitchen["slug"], kitchen["parentExternalId"]) != "Kitchenkitchen-2house" ||
		fmt.Sprint(mugs["name"], mugs["parentExternalId"]) != "Mugskitchen" || mugs["slug"] != nil {
		t.Errorf("%v %v", kitchen, mugs)
	}
	if got := fmt.Sprint(fake.products["A"].CategoryIDs); got != "[c-2 kitchen c-9]" {
		t.Errorf("the product is in %s", got)
	}
	for name, o := range map[string]Options{
		"not of export": {Kind: Products, File: write(t, "sku,name,price\nA,a,1\n"), Categories: write(t, categories), To: c},
		"no categories": {Kind: Products, File: write(t, product), Categories: write(t, product+"x"), To: c},
		"of orders":     {Kind: Orders, File: write(t, product), Categories: write(t, categories), To: c},
		"no file":       {Kind: Products, File: write(t, product), Categories: "nowhere", To: c},
	} {
		_, err := Run(t.Context(), o)
		if _, call := errors.AsType[*CallError](err); !call {
			t.Errorf("%s: %v", name, err)
		}
	}
}
