package parallel

import (
	"fmt"
	"net/http"
	"path"

	"entrepot/test/blackbox/harness"
)

var catalogOperations = []operation{
	{name: "POST /products", weight: 20, run: createProduct},
	{name: "PATCH /products/{id}", weight: 16, run: change("product", func(c *client) object {
		body := object{"name": c.name("Changed"), "price": c.random.IntN(90), "attributes": object{"n": c.sent}}
		if c.chance(30) {
			body["variants"] = []any{object{"sku": c.name("VAR"), "stock": c.random.IntN(30)}}
		}
		if category := c.shop.known.any("category", c.random); !c.alone && category != "" {
			body["categoryIds"] = []string{path.Base(category), fmt.Sprintf("EXT-%d", c.random.IntN(40))}
		}
		return body
	}), match: true},
	{name: "DELETE /products/{id}", weight: 8, run: remove("product")},
	{name: "POST /sdk/products/bulk-import", weight: 8, run: importProducts},
	{name: "PATCH /sdk/prices/bulk-update", weight: 8, run: updatePrices},
	{name: "POST /products/bulk", weight: 3, run: changeProducts},
	{name: "POST /jobs/{jobId}/actions", weight: 2, run: func(c *client) *request {
		job := c.pick("bulk change")
		if job == "" {
			return nil
		}
		return &request{method: http.MethodPost, path: job + "/actions", body: object{"action": c.one("pause", "resume", "stop", "undo")}}
	}, may: []int{409}},
	{name: "POST /exports", weight: 2, run: func(c *client) *request {
		return &request{method: http.MethodPost, path: "/api/v1/exports", done: learns(c, "export", "/api/v1/exports/"),
			body: object{"kind": c.one("orders", "products", "inventory", "customers"), "format": c.one("csv", "xlsx", "jsonl")}}
	}, may: []int{409}}, // as many as the account may have
	{name: "DELETE /exports/{id}", weight: 4, run: remove("export")},
	{name: "POST /categories", weight: 16, run: createCategory},
	{name: "PATCH /categories/{id}", weight: 16, run: changeCategory, may: []int{400}, match: true}, // 400: below itself
	{name: "DELETE /categories/{id}", weight: 6, run: remove("category")},
	{name: "POST /sdk/categories/bulk-import", weight: 6, run: importCategories},
	{name: "POST /attributes", weight: 3, run: func(c *client) *request {
		return &request{method: http.MethodPost, path: "/api/v1/attributes", sure: true,
			body: object{"code": c.name("attr"), "label": "Label", "type": "select", "options": []string{"a", "b"}},
			done: learns(c, "attribute", "/api/v1/attributes/")}
	}},
	{name: "PATCH /attributes/{id}", weight: 3, run: change("attribute", func(c *client) object {
		return object{"label": c.name("Label"), "options": []string{"a", "b", c.name("o")}}
	}), match: true},
	{name: "DELETE /attributes/{id}", weight: 1, run: remove("attribute")},
	{name: "POST /channels/{id}/publications", weight: 4, run: publish},
	{name: "DELETE /channels/{id}/publications/{productId}", weight: 2, run: remove("publication")},
}

// changeProducts changes the status or the price of some products.
func changeProducts(c *client) *request {
	product := c.pick("product")
	if product == "" {
		return nil
	}
	body := object{"action": "price", "percent": c.random.IntN(20) - 10, "productIds": []string{path.Base(product)}}
	if c.chance(50) {
		body = object{"action": "status", "status": c.one("ACTIVE", "DRAFT"), "productIds": []string{path.Base(product)}}
	}
	return &request{method: http.MethodPost, path: "/api/v1/products/bulk", body: body, done: func(a harness.Answer) {
		c.learn("bulk change", "/api/v1/jobs/"+a.Text("data", "jobId"))
	}}
}

// learns keeps the id of what was made.
func learns(c *client, kind, folder string) func(harness.Answer) {
	return func(a harness.Answer) { c.learn(kind, folder+a.Text("data", "id")) }
}

func createProduct(c *client) *request {
	sku := c.name("NEW")
	if !c.alone && c.chance(40) {
		sku = comingSKU(c.random.IntN(comingSKUs))
	}
	body := object{"sku": sku, "name": "Product " + sku, "price": "19.90", "stock": object{"quantity": 50},
		"images": []any{object{"url": "https://images.example/" + sku + ".jpg"}}}
	if c.chance(40) {
		body["variants"] = []any{object{"sku": sku + "-S", "stock": 5}, object{"sku": sku + "-L", "stock": 5}}
	}
	if !c.alone && c.chance(30) {
		body["categoryIds"] = []string{fmt.Sprintf("EXT-%d", c.random.IntN(40))}
	}
	return &request{method: http.MethodPost, path: "/api/v1/products", body: body, sure: c.alone, done: func(a harness.Answer) {
		c.learn("product", "/api/v1/products/"+a.Text("data", "id"))
		if c.alone {
			c.learnt = append(c.learnt, [2]string{"sku", sku})
		}
	}}
}

func importProducts(c *client) *request {
	var products []any
	for range 5 + c.random.IntN(30) {
		sku := c.name("IMP")
		if !c.alone && c.chance(70) {
			sku = c.someSKU()
		}
		product := object{"sku": sku, "name": "Imported " + c.name("I"), "price": c.random.IntN(500),
			"stock": object{"warehouseCode": c.warehouse(), "quantity": 1000 + c.random.IntN(1000)}}
		if c.chance(30) {
			product["categoryIds"] = []string{fmt.Sprintf("EXT-%d", c.random.IntN(40))}
		}
		products = append(products, product)
	}
	body := object{"products": products}
	if c.chance(50) {
		body["options"] = object{"channelId": c.shop.channel}
	}
	target := "/api/v1/sdk/products/bulk-import"
	if c.chance(50) {
		target += "?wait=true"
	}
	return &request{method: http.MethodPost, path: target, body: body, sure: true}
}

func updatePrices(c *client) *request {
	var updates []any
	for range 5 + c.random.IntN(40) {
		updates = append(updates, object{"sku": c.someSKU(), "price": c.random.IntN(500), "compareAtPrice": 500 + c.random.IntN(9)})
	}
	return &request{method: http.MethodPatch, path: "/api/v1/sdk/prices/bulk-update", body: object{"updates": updates}, sure: true}
}

func createCategory(c *client) *request {
	body := object{"name": c.name("Category"), "externalId": c.name("CAT")}
	var may []int
	if !c.alone {
		if parent := c.shop.known.any("category", c.random); parent != "" && c.chance(50) {
			body["parentId"] = path.Base(parent)
		}
		if c.chance(30) {
			body["externalId"] = fmt.Sprintf("EXT-%d", c.random.IntN(40))
			if body["parentId"] != nil {
				may = []int{http.StatusBadRequest} // below itself: the parent is below one that waits for this externalId
			}
		}
	}
	return &request{method: http.MethodPost, path: "/api/v1/categories", body: body, sure: c.alone, may: may,
		done: learns(c, "category", "/api/v1/categories/")}
}

// changeCategory renames a category or moves it below another, which others may move at the same time.
func changeCategory(c *client) *request {
	category := c.pick("category")
	if category == "" {
		return nil
	}
	body := object{"name": c.name("Renamed")}
	if parent := c.shop.known.any("category", c.random); !c.alone && c.chance(50) && parent != "" {
		body["parentId"] = path.Base(parent)
	}
	return &request{method: http.MethodPatch, path: category, body: body}
}

func importCategories(c *client) *request {
	var list []any
	for range 3 + c.random.IntN(12) {
		one := object{"externalId": fmt.Sprintf("EXT-%d", c.random.IntN(40)), "name": c.name("Imported")}
		if c.alone {
			one["externalId"] = c.name("ICAT")
		} else if c.chance(50) {
			one["parentExternalId"] = fmt.Sprintf("EXT-%d", c.random.IntN(40))
		}
		list = append(list, one)
	}
	return &request{method: http.MethodPost, path: "/api/v1/sdk/categories/bulk-import", body: object{"categories": list}, sure: true}
}

func publish(c *client) *request {
	channel := c.pick("channel")
	product := c.pick("product")
	if channel == "" || product == "" {
		return nil
	}
	return &request{method: http.MethodPost, path: channel + "/publications", body: object{"productIds": []string{path.Base(product)}},
		done: func(harness.Answer) { c.learn("publication", channel+"/publications/"+path.Base(product)) }}
}
