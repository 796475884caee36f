package main

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"entrepot/internal/channels"
	"entrepot/internal/connector/connectortest/fakeshop"

	amazonshop "entrepot/internal/connector/amazon/fakeshop"
	ebayshop "entrepot/internal/connector/ebay/fakeshop"
	prestashop "entrepot/internal/connector/prestashop/fakeshop"
	shopifyshop "entrepot/internal/connector/shopify/fakeshop"
	tiktokshop "entrepot/internal/connector/tiktokshop/fakeshop"
	wooshop "entrepot/internal/connector/woocommerce/fakeshop"
)

// simulated is a platform's shop in memory.
type simulated struct {
	slug, name string
	platform   string // of its channels
	http.Handler
	takes   func(address string) map[string]string // returns the credentials for a channel of it
	onSale  func() []string
	order   func(w wish) (ids []string)
	deliver func(context.Context)                   // sends its notifications until the context ends; nil: it sends none
	install func(address, secret string)            // sets the target of its notifications; nil: they are registered
	habits  func(every everyFlag, f *pflag.FlagSet) // flags for faults
}

// wish is what a buyer orders.
type wish struct {
	SKUs   map[string]int64 `json:"skus"`
	Status string           `json:"status"` // "pending": not paid yet
	Email  string           `json:"email"`
}

func (w wish) paid() bool { return w.Status != "pending" }

// everyFlag adds a flag for a fault that occurs at every n-th request.
type everyFlag func(into *int, name, about string)

// notices adds the flags for faults of notifications.
func notices(o *fakeshop.Outbox, every everyFlag, f *pflag.FlagSet) {
	every(&o.Drop, "drop", "loses a notification")
	f.BoolVar(&o.Reorder, "reorder", false, "sends the newest notification first")
	f.BoolVar(&o.Duplicate, "duplicate", false, "sends every notification twice")
}

// simulatedShops are all simulated shops, each empty.
func simulatedShops() []*simulated {
	return []*simulated{simulatedWoo(), simulatedPresta(), simulatedShopify(), simulatedEbay(), simulatedTikTok(),
		simulatedAmazon()}
}

func simulatedWoo() *simulated {
	shop := wooshop.New("ck_simulated", "cs_simulated")
	h := &shop.Habits
	return &simulated{slug: "woocommerce", name: "WooCommerce shop", platform: channels.WooCommerce, Handler: shop, deliver: shop.Deliver,
		takes: func(address string) map[string]string {
			return map[string]string{"url": address, "consumerKey": shop.Key, "consumerSecret": shop.Secret}
		},
		onSale: func() (skus []string) {
			items, _ := shop.Items()
			for sku, item := range items {
				if item.Kind != "variable" && item.Status == "publish" && item.Quantity > 0 {
					skus = append(skus, sku)
				}
			}
			return skus
		},
		order: func(w wish) []string {
			id := shop.Place(wooshop.Wish{SKUs: w.SKUs, Status: w.Status, Email: w.Email, Shipping: 412})
			return []string{strconv.FormatInt(id, 10)}
		},
		habits: func(every everyFlag, f *pflag.FlagSet) {
			every(&h.FailAfterWrite, "fail-after-write", "writes and answers 500")
			every(&h.LoseAnswer, "lose-answer", "writes and closes the connection")
			every(&h.Warn, "warn", "puts a plugin's warning before the JSON")
			every(&h.TooMany, "too-many", "answers 429 with Retry-After")
			every(&h.Hang, "hang", "never answers")
			every(&h.Drop, "drop", "loses a notification")
			f.BoolVar(&h.Signed, "signed", false, "takes nothing but OAuth signatures, as shops on plain http do")
			f.BoolVar(&h.StripHeader, "strip-header", false, "does not see the Authorization header, as some hosts")
			f.BoolVar(&h.Reorder, "reorder", false, "sends the newest notification first")
			f.BoolVar(&h.Duplicate, "duplicate", false, "sends every notification twice")
			f.BoolVar(&h.Fulfillments, "fulfillments", false, "keeps parcels")
			f.DurationVar(&h.Slow, "slow", 0, "how long each answer takes")
		}}
}

func simulatedPresta() *simulated {
	shop := prestashop.New()
	return &simulated{slug: "prestashop", name: "PrestaShop", platform: channels.PrestaShop, Handler: shop, deliver: shop.Deliver,
		install: shop.Install, onSale: shop.OnSale,
		takes: func(address string) map[string]string {
			return map[string]string{"url": address, "webserviceKey": prestashop.Key}
		},
		order: func(w wish) []string {
			var lines []prestashop.Bought
			for _, sku := range slices.Sorted(maps.Keys(w.SKUs)) {
				lines = append(lines, prestashop.Bought{SKU: sku, Quantity: int(w.SKUs[sku])})
			}
			return []string{shop.Buy(w.Email, w.paid(), lines...)}
		},
		habits: func(every everyFlag, f *pflag.FlagSet) {
			every(&shop.Faults.LoseAnswer, "lose-answer", "writes and closes the connection")
			every(&shop.Faults.WriteAnd500, "fail-after-write", "writes and answers 500")
			every(&shop.Faults.Busy, "too-many", "answers 503 with Retry-After")
			f.BoolVar(&shop.Faults.Warnings, "warn", false, "puts PHP's warnings before and behind each document")
			notices(shop.Notices, every, f)
		}}
}

func simulatedShopify() *simulated {
	shop := shopifyshop.New()
	return &simulated{slug: "shopify", name: "Shopify shop", platform: channels.Shopify, Handler: shop, deliver: shop.Deliver,
		takes: func(address string) map[string]string {
			return map[string]string{"baseUrl": address, "shop": "simulated.myshopify.com", "accessToken": shopifyshop.Token,
				"webhookSecret": shopifyshop.WebhookSecret}
		},
		onSale: func() []string { return slices.Collect(maps.Keys(shop.OnSale())) },
		order: func(w wish) []string {
			prices := shop.OnSale()
			var lines []shopifyshop.Bought
			for _, sku := range slices.Sorted(maps.Keys(w.SKUs)) {
				lines = append(lines, shopifyshop.Bought{SKU: sku, Quantity: w.SKUs[sku], Cents: prices[sku]})
			}
			return []string{shop.Buy(w.Email, w.paid(), lines...)}
		},
		habits: func(every everyFlag, f *pflag.FlagSet) {
			every(&shop.Faults.LoseAnswer, "lose-answer", "writes and closes the connection")
			every(&shop.Faults.Throttle, "too-many", "has no points left")
			every(&shop.Faults.Broken, "broken", "answers 502 and does nothing")
			f.BoolVar(&shop.Faults.Blind, "blind", false, "does not find what was just made")
			notices(shop.Notices, every, f)
		}}
}

func simulatedEbay() *simulated {
	account := ebayshop.New()
	return &simulated{slug: "ebay", name: "eBay account", platform: channels.EBay, Handler: account, deliver: account.Deliver,
		takes: func(address string) map[string]string {
			return map[string]string{"baseUrl": address, "clientId": ebayshop.ClientID, "clientSecret": ebayshop.ClientSecret,
				"refreshToken": ebayshop.RefreshToken, "marketplaceId": "EBAY_DE", "verificationToken": strings.Repeat("simulated-", 4)}
		},
		onSale: func() []string { return slices.Collect(maps.Keys(account.OnSale())) },
		order: func(w wish) []string {
			prices, order := account.OnSale(), ebayshop.Wish{Unpaid: !w.paid()}
			for _, sku := range slices.Sorted(maps.Keys(w.SKUs)) {
				order.Lines = append(order.Lines, ebayshop.Bought{SKU: sku, Quantity: w.SKUs[sku], Cents: prices[sku]})
			}
			return []string{account.Place(order)}
		},
		habits: func(every everyFlag, f *pflag.FlagSet) {
			every(&account.Faults.LoseAnswer, "lose-answer", "writes and closes the connection")
			every(&account.Faults.Broken, "broken", "answers 500 and does nothing")
			f.BoolVar(&account.Faults.Challenge, "challenge", false, "has a new destination answer the challenge, as eBay does")
			notices(account.Notices, every, f)
		}}
}

func simulatedTikTok() *simulated {
	shop := tiktokshop.New()
	return &simulated{slug: "tiktok-shop", name: "TikTok Shop", platform: channels.TikTokShop, Handler: shop, deliver: shop.Deliver,
		takes: func(address string) map[string]string {
			return map[string]string{"baseUrl": address, "appKey": tiktokshop.AppKey, "appSecret": tiktokshop.AppSecret,
				"accessToken": tiktokshop.AccessToken, "refreshToken": tiktokshop.RefreshToken, "shopCipher": tiktokshop.Cipher,
				"shopId": tiktokshop.ShopID}
		},
		onSale: func() []string { return slices.Collect(maps.Keys(shop.OnSale())) },
		order: func(w wish) []string {
			return []string{shop.Buy(tiktokshop.Wish{SKUs: w.SKUs, Cents: 1990, Shipping: 490, Unpaid: !w.paid()})}
		},
		habits: func(every everyFlag, f *pflag.FlagSet) {
			every(&shop.Faults.LoseAnswer, "lose-answer", "writes and closes the connection")
			every(&shop.Faults.Broken, "fail-after-write", "writes and answers 500")
			every(&shop.Faults.Throttle, "too-many", "answers 429")
			every(&shop.Notices.Drop, "drop", "loses a notification")
			f.BoolVar(&shop.Notices.Reorder, "reorder", false, "sends the newest notification first")
			every(&shop.Faults.HTML, "html", "answers with a page")
			every(&shop.Faults.Hang, "hang", "never answers")
			f.DurationVar(&shop.Faults.Slow, "slow", 0, "how long each answer takes")
			f.DurationVar(&shop.Audit, "audit", 0, "how long a product is audited before it is on sale")
			f.StringVar(&shop.Refuses, "refuses", "", "a word in titles that the audit refuses")
		}}
}

func simulatedAmazon() *simulated {
	account := amazonshop.New()
	return &simulated{slug: "amazon", name: "Amazon account", platform: channels.Amazon, Handler: account,
		takes: func(address string) map[string]string {
			return map[string]string{"baseUrl": address, "sellerId": amazonshop.SellerID, "marketplaceId": amazonshop.MarketplaceID,
				"clientId": amazonshop.ClientID, "clientSecret": amazonshop.ClientSecret, "refreshToken": amazonshop.RefreshToken}
		},
		onSale: func() []string { return slices.Collect(maps.Keys(account.OnSale())) },
		order: func(w wish) []string {
			prices, order := account.OnSale(), amazonshop.Wish{Shipping: 490, Pending: !w.paid()}
			for _, sku := range slices.Sorted(maps.Keys(w.SKUs)) {
				n := w.SKUs[sku]
				order.Lines = append(order.Lines, amazonshop.Bought{SKU: sku, Quantity: n, Cents: n * prices[sku]})
			}
			return []string{account.Place(order)}
		},
		habits: func(every everyFlag, f *pflag.FlagSet) {
			every(&account.LoseAnswer, "lose-answer", "writes and closes the connection")
			every(&account.FailAfterWrite, "fail-after-write", "writes and answers 500")
			every(&account.Broken, "broken", "answers 500 and does nothing")
			every(&account.TooMany, "too-many", "answers 429")
			every(&account.Page, "html", "answers 503 with a page")
			f.BoolVar(&account.Duplicate, "duplicate", false, "gives orders twice")
			f.BoolVar(&account.Reorder, "reorder", false, "gives the newest orders first")
			f.BoolVar(&account.NoPersons, "no-persons", false, "gives no names and addresses")
			f.DurationVar(&account.Slow, "slow", 0, "how long each answer takes")
			f.DurationVar(&account.Settle, "settle", account.Settle, "how long until a new listing is live")
			f.DurationVar(&account.Working, "working", account.Working, "how long until a feed is done")
		}}
}
