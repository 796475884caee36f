package api

// catalogRows are interface §4.5.1, §4.5.2, §4.5.4 and the feeds of §4.3.
var catalogRows = map[string]row{
	"GET /api/v1/products": {ask: func(w *world) ask {
		w.sku()
		return ask{query: "page=1&perPage=50&search=mug&sort=price:desc"}
	}, more: []func(*world) ask{
		func(w *world) ask { w.sku(); return ask{query: "ids=" + w.kept["product"] + "&perPage=1"} },
		func(w *world) ask { return ask{query: "sku=none&status=DRAFT,ACTIVE"} },
	}},
	"POST /api/v1/products": {ask: func(w *world) ask { return ask{body: w.productBody()} }, more: []func(*world) ask{
		func(w *world) ask { return ask{body: member{"sku": w.name("BARE"), "name": "Bare", "price": 0}} },
		func(w *world) ask { return ask{body: member{"sku": w.sku(), "name": "Again", "price": 1}, status: 409} },
	}},
	"GET /api/v1/products/{id}": {ask: func(w *world) ask { w.sku(); return ask{ids: place("id", w.kept["product"])} },
		more: []func(*world) ask{
			func(w *world) ask { return ask{ids: place("id", w.newProduct())} },
		}},
	"PATCH /api/v1/products/{id}": {ask: func(w *world) ask {
		return ask{ids: place("id", w.newProduct()), body: w.productChange()}
	}, more: []func(*world) ask{
		func(w *world) ask {
			return ask{ids: place("id", w.newProduct()), body: member{"compareAtPrice": nil, "description": nil, "status": "DRAFT"}}
		},
	}},
	"PUT /api/v1/products/{id}": {ask: func(w *world) ask {
		return ask{ids: place("id", w.newProduct()), body: w.productChange()}
	}},
	"DELETE /api/v1/products/{id}": {ask: func(w *world) ask { return ask{ids: place("id", w.newProduct())} }},

	"GET /api/v1/categories": {ask: func(w *world) ask { w.category(); return ask{query: "search=mug&limit=10"} }},
	"POST /api/v1/categories": {held: true, ask: func(w *world) ask {
		return ask{body: member{"externalId": w.name("cat"), "name": "Mugs", "slug": w.name("mugs"), "parentId": w.category()}}
	}, more: []func(*world) ask{
		func(w *world) ask { return ask{body: member{"name": "Bare"}} },
		func(w *world) ask { return ask{body: member{"name": "Waits", "parentExternalId": w.name("unknown")}} },
	}},
	"GET /api/v1/categories/{id}": {ask: func(w *world) ask { return ask{ids: place("id", w.category())} }},
	"PATCH /api/v1/categories/{id}": {held: true, ask: func(w *world) ask {
		return ask{ids: place("id", w.newCategory()),
			body: member{"externalId": w.name("cat"), "name": "Cups", "slug": w.name("cups"), "parentId": w.category()}}
	}},
	"PUT /api/v1/categories/{id}": {held: true, ask: func(w *world) ask {
		return ask{ids: place("id", w.newCategory()), body: member{"name": "Cups", "parentId": w.category()}}
	}, more: []func(*world) ask{
		func(w *world) ask { return ask{ids: place("id", w.newCategory()), body: member{"parentId": nil}} },
	}},
	"DELETE /api/v1/categories/{id}": {ask: func(w *world) ask { return ask{ids: place("id", w.newCategory())} }},

	"GET /api/v1/attributes":  {ask: func(w *world) ask { w.newAttribute(); return ask{query: "limit=3"} }},
	"POST /api/v1/attributes": {ask: func(w *world) ask { return ask{body: w.attributeBody()} }},
	"GET /api/v1/attributes/{id}": {ask: func(w *world) ask {
		return ask{ids: place("id", w.newAttribute())}
	}},
	"PATCH /api/v1/attributes/{id}": {ask: func(w *world) ask {
		return ask{ids: place("id", w.newAttribute()), body: w.attributeBody()}
	}},
	"PUT /api/v1/attributes/{id}": {ask: func(w *world) ask {
		return ask{ids: place("id", w.newAttribute()), body: member{"label": "Hue"}}
	}},
	"DELETE /api/v1/attributes/{id}": {ask: func(w *world) ask { return ask{ids: place("id", w.newAttribute())} }},

	"GET /api/v1/sdk/products/changes": {ask: func(w *world) ask { w.newProduct(); return ask{query: "since=2020-01-01&limit=3"} },
		more: []func(*world) ask{
			func(w *world) ask {
				w.make("DELETE", "/api/v1/products/"+w.newProduct(), nil)
				return ask{query: "includeDeleted=true"}
			},
			func(w *world) ask { w.sku(); return ask{} },
			func(*world) ask { return ask{query: "since=2999-01-01"} },
		}},
	"GET /api/v1/sdk/categories/changes": {ask: func(w *world) ask { w.category(); return ask{query: "since=2020-01-01"} },
		more: []func(*world) ask{
			func(w *world) ask {
				w.make("DELETE", "/api/v1/categories/"+w.newCategory(), nil)
				return ask{query: "includeDeleted=true&limit=1000"}
			},
		}},
	"GET /api/v1/sdk/inventory/changes": {ask: func(w *world) ask { w.sku(); return ask{query: "since=2020-01-01"} }, more: []func(*world) ask{
		func(w *world) ask {
			w.make("DELETE", "/api/v1/products/"+w.newProduct(), nil)
			return ask{query: "includeDeleted=true"}
		},
	}},
}

// productBody has every member of a product.
func (w *world) productBody() member {
	sku := w.name("MUG")
	return member{"sku": sku, "name": "Blue mug", "price": 12.5, "description": "Stoneware", "slug": w.name("mug"), "compareAtPrice": "15.00",
		"status":      "ACTIVE",
		"categoryIds": []any{"shared-category"},
		"images":      []any{member{"url": "https://images.example/1.jpg", "position": 1}, member{"url": "https://images.example/2.jpg"}},
		"attributes":  member{"colour": "blue"}, "stock": member{"warehouseCode": "MAIN", "quantity": 40}, "variants": []any{
			member{"sku": sku + "-L", "name": "Large", "price": 14, "compareAtPrice": 16, "stock": 3, "attributes": member{"size": "L"}},
			member{"sku": sku + "-S"}}}
}

// productChange is productBody without the SKU, which a product keeps.
func (w *world) productChange() member {
	body := w.productBody()
	delete(body, "sku")
	return body
}

// sku is a product with much stock, a variant, a category, and a publication on the world's channel.
func (w *world) sku() string {
	return w.once("sku", func() string {
		body := w.productBody()
		body["sku"], body["stock"] = "SHARED", member{"quantity": 1_000_000}
		body["variants"].([]any)[0].(member)["sku"] = "SHARED-L"
		body["categoryIds"] = []any{w.category()}
		w.kept["product"] = idOf(w.make("POST", "/api/v1/products", body))
		w.make("POST", "/api/v1/channels/"+w.channel()+"/publications", member{"productIds": []any{w.kept["product"]}})
		return body["sku"].(string)
	})
}

// variant is the SKU of that product's variant.
func (w *world) variant() string { return w.sku() + "-L" }

func (w *world) newProduct() string {
	return idOf(w.make("POST", "/api/v1/products", member{"sku": w.name("CUP"), "name": "Cup", "price": 3, "stock": member{"quantity": 7}}))
}

func (w *world) newCategory() string {
	return idOf(w.make("POST", "/api/v1/categories", member{"externalId": w.name("cat"), "name": "Mugs"}))
}

// category is a category that rows only refer to.
func (w *world) category() string { return w.once("category", w.newCategory) }

func (w *world) attributeBody() member {
	return member{"code": w.name("colour"), "label": "Colour", "type": "select", "options": []any{"red", "blue"}}
}

func (w *world) newAttribute() string {
	return idOf(w.make("POST", "/api/v1/attributes", w.attributeBody()))
}

// inventoryRows are interface §4.5.3 and §4.5.5.
var inventoryRows = map[string]row{
	"GET /api/v1/warehouses":  {ask: func(w *world) ask { w.newWarehouse(); return ask{query: "limit=5"} }},
	"POST /api/v1/warehouses": {ask: func(w *world) ask { return ask{body: w.warehouseBody()} }},
	"GET /api/v1/warehouses/{id}": {ask: func(w *world) ask {
		return ask{ids: place("id", w.newWarehouse())}
	}},
	"PATCH /api/v1/warehouses/{id}": {ask: func(w *world) ask {
		return ask{ids: place("id", w.newWarehouse()), body: member{"name": "South", "isDefault": false, "address": member{"city": "Nice"}}}
	}},
	"PUT /api/v1/warehouses/{id}": {ask: func(w *world) ask {
		return ask{ids: place("id", w.newWarehouse()), body: member{"name": "North", "address": nil}}
	}},
	"DELETE /api/v1/warehouses/{id}": {ask: func(w *world) ask { return ask{ids: place("id", w.newWarehouse())} }},

	"GET /api/v1/inventory":       {ask: func(w *world) ask { w.sku(); return ask{query: "search=mug&low=false&limit=250"} }},
	"GET /api/v1/inventory/{sku}": {foreign: 200, ask: func(w *world) ask { return ask{ids: place("sku", w.sku())} }},
	"GET /api/v1/inventory/{sku}/ledger": {foreign: 200,
		ask: func(w *world) ask { return ask{ids: place("sku", w.sku()), query: "warehouseCode=MAIN"} }},
	"POST /api/v1/inventory/movements":        {ask: func(w *world) ask { return ask{body: w.movement()} }},
	"POST /api/v1/inventory/transfers":        {ask: func(w *world) ask { return ask{body: w.transfer()} }},
	"PATCH /api/v1/inventory/thresholds":      {ask: func(w *world) ask { return ask{body: w.updates("threshold", 5)} }},
	"PATCH /api/v1/sdk/inventory/bulk-update": {ask: func(w *world) ask { return ask{body: w.updates("quantity", 999_000)} }},
}

func (w *world) warehouseBody() member {
	return member{"code": w.name("NORTH"), "name": "North", "isDefault": false, "address": member{"city": "Lille"}}
}

func (w *world) newWarehouse() string {
	return idOf(w.make("POST", "/api/v1/warehouses", w.warehouseBody()))
}

func (w *world) movement() member {
	return member{"sku": w.sku(), "warehouseCode": "MAIN", "type": "receive", "quantity": 3, "reason": "delivery"}
}

func (w *world) transfer() member {
	code := w.once("second warehouse", func() string {
		return text(w.make("POST", "/api/v1/warehouses", member{"code": "SECOND", "name": "Second"}), "data", "code")
	})
	return member{"sku": w.sku(), "fromWarehouseCode": "MAIN", "toWarehouseCode": code, "quantity": 2, "reason": "balance"}
}

// updates is a bulk body with one item that can be applied and two that cannot.
func (w *world) updates(figure string, value int) member {
	return member{"updates": []any{member{"sku": w.sku(), "warehouseCode": "MAIN", figure: value}, member{"sku": "nobody's", figure: 1},
		member{"sku": w.variant(), figure: -1}}}
}

// bulkRows are interface §4.2 and the jobs of §4.3.
var bulkRows = map[string]row{
	"POST /api/v1/sdk/products/bulk-import": {held: true, ask: func(w *world) ask {
		return ask{body: member{"products": []any{w.productBody(), member{"sku": w.name("X"), "name": "X"}},
			"options": member{"channelId": w.channel(), "replaceVariants": true, "dryRun": false}}}
	}, more: []func(*world) ask{
		func(w *world) ask {
			return ask{query: "wait=true", body: member{"products": []any{w.productBody()}}, status: 200}
		},
		func(w *world) ask {
			return ask{header: map[string]string{"Prefer": "wait"}, body: member{"products": []any{w.productBody(), "no object"}}, status: 200}
		},
		func(w *world) ask {
			return ask{body: member{"products": []any{w.productBody(), member{"sku": w.sku(), "name": "Renamed", "price": 1}},
				"options": member{"dryRun": true}}, status: 200}
		},
	}},
	"POST /api/v1/sdk/categories/bulk-import": {ask: func(w *world) ask {
		return ask{body: member{"categories": []any{member{"externalId": w.name("cat"), "name": "Mugs", "slug": w.name("mugs"),
			"parentExternalId": w.name("parent")}, member{"name": "no id"}}}}
	}},
	"PATCH /api/v1/sdk/prices/bulk-update": {ask: func(w *world) ask {
		return ask{body: member{"updates": []any{member{"sku": w.sku(), "price": 13, "compareAtPrice": nil},
			member{"sku": "nobody's", "price": 1}, member{"sku": w.variant(), "price": -1}}}}
	}},
	"GET /api/v1/jobs":            {ask: func(w *world) ask { w.newJob(); return ask{} }},
	"GET /api/v1/sdk/sync/status": {ask: func(w *world) ask { w.newJob(); return ask{} }},
	"GET /api/v1/sdk/jobs/{jobId}": {scope: "read:products", ask: func(w *world) ask {
		return ask{ids: place("jobId", w.newJob())}
	}},
}

func (w *world) newJob() string {
	body := member{"products": []any{member{"sku": w.name("JOB"), "name": "Job", "price": 1}, member{"sku": ""}},
		"options": member{"channelId": w.channel()}}
	return text(w.make("POST", "/api/v1/sdk/products/bulk-import", body), "data", "jobId")
}
