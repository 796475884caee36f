package api

import "entrepot/internal/connector"

// channelRows are interface §4.5.7.
var channelRows = map[string]row{
	"GET /api/v1/channels": {req: func(w *fixture) req { w.shop(); w.channel(); return req{query: "limit=50"} }},
	"POST /api/v1/channels": {req: func(w *fixture) req { return req{body: shopBody()} }, more: []func(*fixture) req{
		func(*fixture) req { return req{body: member{"name": "ERP", "platform": "CUSTOM"}} },
	}},
	"GET /api/v1/channels/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.channel())} }},
	"PATCH /api/v1/channels/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", w.newShop()),
			body: member{"name": "Shop", "status": "inactive", "credentials": shopBody()["credentials"], "settings": member{"oversell": "reject"}}}
	}},
	"PUT /api/v1/channels/{id}": {req: func(w *fixture) req { return req{ids: place("id", w.newShop()), body: member{"name": "Shop"}} }},
	"DELETE /api/v1/channels/{id}": {req: func(w *fixture) req {
		return req{ids: place("id", channelOf(w.make("POST", "/api/v1/channels", member{"name": "ERP", "platform": "CUSTOM"})))}
	}, more: []func(*fixture) req{
		func(w *fixture) req { return req{ids: place("id", w.newShop())} },
		func(w *fixture) req { return req{ids: place("id", w.newShop()), query: "force=true"} },
	}},
	"GET /api/v1/channels/{id}/publications": {req: func(w *fixture) req {
		w.sku()
		return req{ids: place("id", w.channel()),
			query: "limit=250"}
	}},
	"POST /api/v1/channels/{id}/publications": {held: true, mixed: 200, req: func(w *fixture) req {
		return req{ids: place("id", w.channel()), body: member{"productIds": []any{w.newProduct()}, "skus": []any{w.sku(), "nobody's"}}}
	}, more: []func(*fixture) req{
		func(w *fixture) req { return req{ids: place("id", w.newShop()), body: member{"skus": []any{w.sku()}}} },
	}},
	"DELETE /api/v1/channels/{id}/publications/{productId}": {req: func(w *fixture) req {
		product := w.newProduct()
		w.make("POST", "/api/v1/channels/"+w.channel()+"/publications", member{"productIds": []any{product}})
		return req{ids: map[string]string{"id": w.channel(), "productId": product}}
	}},
	"POST /api/v1/channels/{id}/settings/preview": {req: func(w *fixture) req {
		return req{ids: place("id", w.newShop()), body: member{"settings": member{"stockBuffer": 2, "unpublish": "delete"}}}
	}},
	"POST /api/v1/channels/{id}/sync": {req: func(w *fixture) req {
		return req{ids: place("id", w.newShop()), body: member{"type": "product_push"}}
	}, more: []func(*fixture) req{
		func(w *fixture) req {
			return req{ids: place("id", w.channel()), body: member{"type": "order_pull"}, status: 400}
		},
	}},
	"POST /api/v1/channels/{id}/sync/test": {req: func(w *fixture) req { return req{ids: place("id", w.shop())} }},
	"POST /channels/{id}/sync/test":        {req: func(w *fixture) req { return req{ids: place("id", w.shop())} }},
}

const shopSecret = "pickles42"

// shopBody is a channel of a platform.
func shopBody() member {
	return member{"name": "Shop", "platform": "WOOCOMMERCE", "settings": member{"oversell": "allow", "note": "x"}, "credentials": member{
		"url": "https://shop.example", "consumerKey": "ck_1", "consumerSecret": "cs_1", "webhookSecret": shopSecret}}
}

// idOf2 is the path to a new channel's id.
func channelOf(answer map[string]any) string { return text(answer, "data", "channel", "id") }

func (w *fixture) newShop() string { return channelOf(w.make("POST", "/api/v1/channels", shopBody())) }

// shop is a platform's channel, channel a custom one; rows do not change them.
func (w *fixture) shop() string { return w.once("shop", w.newShop) }

func (w *fixture) channel() string {
	return w.once("channel", func() string {
		return channelOf(w.make("POST", "/api/v1/channels", member{"name": "ERP", "platform": "CUSTOM"}))
	})
}

// platformRows are interface §6.3 and the routes that need no credential.
var platformRows = map[string]row{
	"POST /api/v1/webhooks/platform/{channelId}/{platform}": {req: notification, more: []func(*fixture) req{
		func(w *fixture) req {
			a := notification(w)
			w.send(w.table.byKey["POST /api/v1/webhooks/platform/{channelId}/{platform}"], a, nil)
			return a
		},
		func(w *fixture) req { return signed(w, "customer.updated", `{"id":8}`) },
		ping,
		func(w *fixture) req {
			a := notification(w)
			a.header["X-WC-Webhook-Signature"] = "AAAA"
			a.status = 400
			return a
		},
		func(w *fixture) req {
			a := notification(w)
			delete(a.header, "X-WC-Webhook-Signature")
			a.status = 400
			return a
		},
		func(w *fixture) req { a := notification(w); a.ids["platform"] = "shopify"; a.status = 404; return a },
		func(w *fixture) req { a := notification(w); a.ids["platform"] = "nowhere"; a.status = 404; return a },
		func(w *fixture) req { a := notification(w); a.ids["channelId"] = w.channel(); a.status = 404; return a },
		func(w *fixture) req { a := notification(w); a.ids["channelId"] = "0"; a.status = 404; return a },
		func(w *fixture) req {
			a := notification(w)
			a.ids["channelId"], a.status = w.newShop(), 400
			w.make("PATCH", "/api/v1/channels/"+a.ids["channelId"], member{"status": "inactive"})
			return a
		},
	}},
	"POST /api/v1/webhooks/platform/{channelId}/{platform}/challenge": {req: notification, more: []func(*fixture) req{ping}},
	"GET /api/v1/webhooks/platform/{channelId}/{platform}":            {req: handshake},
	"GET /api/v1/webhooks/platform/{channelId}/{platform}/challenge": {req: handshake, more: []func(*fixture) req{
		func(w *fixture) req { a := handshake(w); a.query, a.status = "", 400; return a },
		func(w *fixture) req { a := handshake(w); a.ids["channelId"], a.status = w.shop(), 404; return a },
		func(w *fixture) req {
			a := handshake(w)
			a.ids["channelId"], a.ids["platform"], a.status = w.shop(), "woocommerce", 404
			return a
		},
	}},
	"GET /api/v1/openapi.json": {req: func(*fixture) req { return req{} }},
}

func notification(w *fixture) req { return signed(w, "order.updated", `{"id":`+w.name("1")[2:]+`}`) }

// signed is a notification as the shop's platform signs it.
func signed(w *fixture, topic, body string) req {
	return req{ids: map[string]string{"channelId": w.shop(), "platform": "woocommerce"}, body: body,
		header: map[string]string{"X-WC-Webhook-Topic": topic,
			"X-WC-Webhook-Delivery-ID": w.name("d"), "X-WC-Webhook-ID": "3",
			"X-WC-Webhook-Signature": connector.Base64HMAC(shopSecret, []byte(body))}}
}

// ping is the unsigned probe of the same platform.
func ping(w *fixture) req {
	return req{ids: map[string]string{"channelId": w.shop(), "platform": "woo"}, body: "webhook_id=7", status: 200,
		header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}
}

// handshake is the auction marketplace's.
func handshake(w *fixture) req {
	channel := w.once("auction", func() string {
		return channelOf(w.make("POST", "/api/v1/channels",
			member{"name": "Auctions", "platform": "EBAY", "credentials": member{"clientId": "a", "clientSecret": "b",
				"refreshToken": "c", "marketplaceId": "EBAY_FR", "verificationToken": "a-token-of-at-least-32-characters-x"}}))
	})
	return req{ids: map[string]string{"channelId": channel, "platform": "ebay"}, query: "challenge_code=a8628072"}
}
