package api

// catalogRows are interface §4.5.1, §4.5.2, §4.5.4 and the feeds of §4.3.
var catalogRows = map[string]row{
	"GET /api/v1/products": {req: func(w *fixture) req {
		w.sku()
		return req{query: "page=1&perPage=50&search=mug&sort=price:desc"}
	}, more: []func(*fixture) req{
		func(w *fixture) req { w.sku(); return req{query: "ids=" + w.kept["product"] + "&perPage=1"} },
		func(w *fixture) req { return req{query: "sku=none&status=DRAFT,ACTIVE"} },
	}},
	"POST /api/v1/products": {req: func(w *fixture) req { return req{body: w.productBody()} }, more: []func(*fixture) req{
		func(w *fixture) req { return req{body: member{"sku": w.name("BARE"), "name": "Bare", "price": 0}} },
		func(w *fixture) req {
			return req{body: member{"sku": w.sku(), "name": "Again", "price": 1}, status: 409}
		},
	}},
	"GET /api/v1/products/{id}": {req: func(w *fixture) req { w.sku(); return req{ids: place("id", w.kept["product"])} },
		more: []func(*fixture) req{
			func(w *fixture) req { return req{ids: place("id", w.newProduct())} },
		}},
	"PATCH /api/v1/products/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newProduct()), body: w.productChange()}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{ids: place("id", w.newProduct()), body: member{"compareAtPrice": nil, "description": nil, "status": "DRAFT"}}
		},
	}},
	"PUT /api/v1/products/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newProduct()), body: w.productChange()}
	}},
	"DELETE /api/v1/products/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.newProduct())} }},

	"GET /api/v1/categories": {req: func(w *fixture) req { w.category(); return req{query: "search=mug&limit=10"} }},
	"POST /api/v1/categories": {held: true, req: func(w *fixture) req {
		return req{body: member{"externalId": w.name("cat"), "name": "Mugs", "slug": w.name("mugs"), "parentId": w.category()}}
	}, more: []func(*fixture) req{
		func(w *fixture) req { return req{body: member{"name": "Bare"}} },
		func(w *fixture) req { return req{body: member{"name": "Waits", "parentExternalId": w.name("unknown")}} },
	}},
	"GET /api/v1/categories/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.category())} }},
	"PATCH /api/v1/categories/{id}": {held: true, req: func(w *fixture) req {
		return req{ids: place("id", w.newCategory()),
			body: member{"externalId": w.name("cat"), "name": "Cups", "slug": w.name("cups"), "parentId": w.category()}}
	}},
	"PUT /api/v1/categories/{id}": {held: true, req: func(w *fixture) req {
		return req{ids: place("id", w.newCategory()), body: member{"name": "Cups", "parentId": w.category()}}
	}, more: []func(*fixture) req{
		func(w *fixture) req { return req{ids: place("id", w.newCategory()), body: member{"parentId": nil}} },
	}},
	"DELETE /api/v1/categories/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.newCategory())} }},

	"POST /api/v1/media": {req: func(w *fixture) req {
		return req{body: w.picture(), header: map[string]string{"Content-Type": "image/gif"}}
	}},

	"GET /api/v1/attributes":  {req: func(w *fixture) req { w.newAttribute(); return req{query: "limit=3"} }},
	"POST /api/v1/attributes": {req: func(w *fixture) req { return req{body: w.attributeBody()} }},
	"GET /api/v1/attributes/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newAttribute())}
	}},
	"PATCH /api/v1/attributes/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newAttribute()), body: w.attributeBody()}
	}},
	"PUT /api/v1/attributes/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newAttribute()), body: member{"label": "Hue"}}
	}},
	"DELETE /api/v1/attributes/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.newAttribute())} }},

	"GET /api/v1/sdk/products/changes": {req: func(w *fixture) req { w.newProduct(); return req{query: "since=2020-01-01&limit=3"} },
		more: []func(*fixture) req{
			func(w *fixture) req {
				w.make("DELETE", "/api/v1/products/"+w.newProduct(), nil)
				return req{query: "includeDeleted=true"}
			},
			func(w *fixture) req { w.sku(); return req{} },
			func(*fixture) req { return req{query: "since=2999-01-01"} },
		}},
	"GET /api/v1/sdk/categories/changes": {req: func(w *fixture) req { w.category(); return req{query: "since=2020-01-01"} },
		more: []func(*fixture) req{
			func(w *fixture) req {
				w.make("DELETE", "/api/v1/categories/"+w.newCategory(), nil)
				return req{query: "includeDeleted=true&limit=1000"}
			},
		}},
	"GET /api/v1/sdk/inventory/changes": {req: func(w *fixture) req {
		w.sku()
		return req{query: "since=2020-01-01"}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			w.make("DELETE", "/api/v1/products/"+w.newProduct(), nil)
			return req{query: "includeDeleted=true"}
		},
	}},
}

// productBody has every member of a product.
func (w *fixture) productBody() member {
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
func (w *fixture) productChange() member {
	body := w.productBody()
	delete(body, "sku")
	return body
}

// sku is a product with much stock, a variant, a category, and a publication on the fixture's channel.
func (w *fixture) sku() string {
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
func (w *fixture) variant() string { return w.sku() + "-L" }

func (w *fixture) newProduct() string {
	return idOf(w.make("POST", "/api/v1/products", member{"sku": w.name("CUP"), "name": "Cup", "price": 3, "stock": member{"quantity": 7}}))
}

func (w *fixture) newCategory() string {
	return idOf(w.make("POST", "/api/v1/categories", member{"externalId": w.name("cat"), "name": "Mugs"}))
}

// category is a category that rows only refer to.
func (w *fixture) category() string { return w.once("category", w.newCategory) }

func (w *fixture) attributeBody() member {
	return member{"code": w.name("colour"), "label": "Colour", "type": "select", "options": []any{"red", "blue"}}
}

func (w *fixture) newAttribute() string {
	return idOf(w.make("POST", "/api/v1/attributes", w.attributeBody()))
}

// inventoryRows are interface §4.5.3 and §4.5.5.
var inventoryRows = map[string]row{
	"GET /api/v1/warehouses":  {req: func(w *fixture) req { w.newWarehouse(); return req{query: "limit=5"} }},
	"POST /api/v1/warehouses": {req: func(w *fixture) req { return req{body: w.warehouseBody()} }},
	"GET /api/v1/warehouses/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newWarehouse())}
	}},
	"PATCH /api/v1/warehouses/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newWarehouse()), body: member{"name": "South", "isDefault": false, "address": member{"city": "Nice"}}}
	}},
	"PUT /api/v1/warehouses/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newWarehouse()), body: member{"name": "North", "address": nil}}
	}},
	"DELETE /api/v1/warehouses/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.newWarehouse())} }},

	"GET /api/v1/inventory":       {req: func(w *fixture) req { w.sku(); return req{query: "search=mug&low=false&limit=250"} }},
	"GET /api/v1/inventory/{sku}": {foreign: 200, req: func(w *fixture) req { return req{ids: place("sku", w.sku())} }},
	"GET /api/v1/inventory/{sku}/ledger": {foreign: 200,
		req: func(w *fixture) req { return req{ids: place("sku", w.sku()), query: "warehouseCode=MAIN"} }},
	"POST /api/v1/inventory/movements":        {req: func(w *fixture) req { return req{body: w.movement()} }},
	"POST /api/v1/inventory/transfers":        {req: func(w *fixture) req { return req{body: w.transfer()} }},
	"PATCH /api/v1/inventory/thresholds":      {req: func(w *fixture) req { return req{body: w.updates("threshold", 5)} }},
	"PATCH /api/v1/sdk/inventory/bulk-update": {req: func(w *fixture) req { return req{body: w.updates("quantity", 999_000)} }},
}

func (w *fixture) warehouseBody() member {
	return member{"code": w.name("NORTH"), "name": "North", "isDefault": false, "address": member{"city": "Lille"}}
}

func (w *fixture) newWarehouse() string {
	return idOf(w.make("POST", "/api/v1/warehouses", w.warehouseBody()))
}

func (w *fixture) movement() member {
	return member{"sku": w.sku(), "warehouseCode": "MAIN", "type": "receive", "quantity": 3, "reason": "delivery"}
}

func (w *fixture) transfer() member {
	code := w.once("second warehouse", func() string {
		return text(w.make("POST", "/api/v1/warehouses", member{"code": "SECOND", "name": "Second"}), "data", "code")
	})
	return member{"sku": w.sku(), "fromWarehouseCode": "MAIN", "toWarehouseCode": code, "quantity": 2, "reason": "balance"}
}

// updates is a bulk body with one item that can be applied and two that cannot.
func (w *fixture) updates(figure string, value int) member {
	return member{"updates": []any{member{"sku": w.sku(), "warehouseCode": "MAIN", figure: value}, member{"sku": "nobody's", figure: 1},
		member{"sku": w.variant(), figure: -1}}}
}

// bulkRows are interface §4.2 and the jobs of §4.3.
var bulkRows = map[string]row{
	"POST /api/v1/sdk/products/bulk-import": {held: true, req: func(w *fixture) req {
		return req{body: member{"products": []any{w.productBody(), member{"sku": w.name("X"), "name": "X"}},
			"options": member{"channelId": w.channel(), "replaceVariants": true, "dryRun": false}}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{query: "wait=true", body: member{"products": []any{w.productBody()}}, status: 200}
		},
		func(w *fixture) req {
			return req{header: map[string]string{"Prefer": "wait"}, body: member{"products": []any{w.productBody(), "no object"}}, status: 200}
		},
		func(w *fixture) req {
			return req{body: member{"products": []any{w.productBody(), member{"sku": w.sku(), "name": "Renamed", "price": 1}},
				"options": member{"dryRun": true}}, status: 200}
		},
	}},
	"POST /api/v1/sdk/categories/bulk-import": {req: func(w *fixture) req {
		return req{body: member{"categories": []any{member{"externalId": w.name("cat"), "name": "Mugs", "slug": w.name("mugs"),
			"parentExternalId": w.name("parent")}, member{"name": "no id"}}}}
	}},
	"PATCH /api/v1/sdk/prices/bulk-update": {req: func(w *fixture) req {
		return req{body: member{"updates": []any{member{"sku": w.sku(), "price": 13, "compareAtPrice": nil},
			member{"sku": "nobody's", "price": 1}, member{"sku": w.variant(), "price": -1}}}}
	}},
	"POST /api/v1/products/bulk": {foreign: 400, req: func(w *fixture) req {
		return req{body: member{"action": "status", "status": "INACTIVE", "productIds": []string{w.newProduct()}}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{body: member{"action": "price", "percent": -10, "filter": member{"sku": w.sku()}, "preview": true}, status: 200}
		},
	}},
	"GET /api/v1/jobs/{jobId}/products": {req: func(w *fixture) req {
		return req{ids: place("jobId", w.newBulkChange()), query: "outcome=done&limit=10"}
	}},
	"POST /api/v1/jobs/{jobId}/actions": {req: func(w *fixture) req {
		return req{ids: place("jobId", w.newBulkChange()), body: member{"action": "pause"}}
	}},
	"GET /api/v1/jobs":            {req: func(w *fixture) req { w.newJob(); return req{} }},
	"GET /api/v1/sdk/sync/status": {req: func(w *fixture) req { w.newJob(); return req{} }},
	"GET /api/v1/sdk/jobs/{jobId}": {scope: "read:products", req: func(w *fixture) req {
		return req{ids: place("jobId", w.newJob())}
	}},
}

func (w *fixture) newJob() string {
	body := member{"products": []any{member{"sku": w.name("JOB"), "name": "Job", "price": 1}, member{"sku": ""}},
		"options": member{"channelId": w.channel()}}
	return text(w.make("POST", "/api/v1/sdk/products/bulk-import", body), "data", "jobId")
}

// picture is a GIF of one pixel.
func (w *fixture) picture() []byte {
	return []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")
}

func (w *fixture) newBulkChange() string {
	body := member{"action": "status", "status": "INACTIVE", "productIds": []string{w.newProduct()}}
	return text(w.make("POST", "/api/v1/products/bulk", body), "data", "jobId")
}
