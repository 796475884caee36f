package platforms

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
	"entrepot/internal/connector/connectortest/story"

	prestashop "entrepot/internal/connector/prestashop/fakeshop"
	shopifyshop "entrepot/internal/connector/shopify/fakeshop"
	wooshop "entrepot/internal/connector/woocommerce/fakeshop"
)

// shops are those of all platforms, for one story each.
func shops() []story.Shop {
	return []story.Shop{wooCommerce(), prestaShop(), shopify(), ebay(), tikTok(), amazon()}
}

// awkward sets what goes wrong with notifications.
func awkward(o *fakeshop.Outbox) { o.Duplicate, o.Reorder, o.Drop = true, true, 5 }

func wooCommerce() story.Shop {
	shop := wooshop.New("ck_test", "cs_test")
	number := func(id string) int64 { n, _ := strconv.ParseInt(id, 10, 64); return n }
	lines := map[string]int64{} // the first line's quantity
	return story.Shop{Platform: "WOOCOMMERCE", Handler: shop, Topics: 5, Deliver: shop.Deliver,
		Credentials: map[string]any{"consumerKey": "ck_test", "consumerSecret": "cs_test"},
		Clock:       func(now func() time.Time) { shop.Now = now },
		Cannot: map[story.Ability]string{story.Pieces: "its orders know a status, and notes to the buyer",
			story.Tokens: "its keys do not end"},
		Faults: func() {
			shop.Habits = wooshop.Habits{FailAfterWrite: 19, LoseAnswer: 23, Warn: 7, TooMany: 31, Duplicate: true, Reorder: true, Drop: 5,
				BatchMost: 50}
		},
		Images: shop.Images,
		Stands: func() (map[string]story.Shown, []string) {
			items, doubled := shop.Items()
			shown := map[string]story.Shown{}
			for sku, item := range items {
				on := item.Status == "publish" && item.Managed
				for _, parent := range items {
					on = on && (parent.ID != item.Parent || parent.Status == "publish")
				}
				shown[sku] = story.Shown{Quantity: item.Quantity, Price: item.Regular, OnSale: on}
			}
			return shown, doubled
		},
		Buy: func(w story.Wish) string {
			wish := wooshop.Wish{SKUs: map[string]int64{}, Email: w.Email, Shipping: 412}
			for _, l := range w.Lines {
				if items, _ := shop.Items(); items[l.SKU].ID == 0 {
					shop.AddProduct(l.SKU, "Somebody else's", fmt.Sprintf("%d.%02d", l.Cents/100, l.Cents%100), 9)
				}
				wish.SKUs[l.SKU] = l.Quantity
			}
			if w.Unpaid {
				wish.Status = "pending"
			}
			if w.Discount {
				wish.Discount = 10
			}
			if w.Fee {
				wish.Fee = 250
			}
			id := strconv.FormatInt(shop.Place(wish), 10)
			first := slices.MinFunc(w.Lines, func(a, b story.Line) int { return strings.Compare(a.SKU, b.SKU) })
			lines[id] = first.Quantity
			return id
		},
		Order: func(id string) story.Order {
			o := shop.Orders()[number(id)]
			return story.Order{Total: o.Total, Numbers: o.Notes, Shipped: o.Status == "completed", Cancelled: o.Status == "cancelled"}
		},
		Pay:    func(id string) { shop.Move(number(id), "processing") },
		Edit:   func(id string) { shop.Edit(number(id), "Bonn", lines[id]+1) },
		Cancel: func(id string) { shop.Trash(number(id)) },
		Refund: func(id string) { shop.Refund(number(id), 1, "broken") },
		Back:   func(id string) { shop.RefundBack(number(id), 1, "too small") },
		Excess: func(id string) { shop.Credit(number(id), 999_00) },
		Given:  func(id string) int { list, _ := shop.Refunds(number(id)); return len(list) },
		Return: func(id string) { shop.Move(number(id), "refunded") }}
}

// requests reports whether a request is to a path.
func requests(path string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.URL.Path == path }
}

func prestaShop() story.Shop {
	shop := prestashop.New()
	return story.Shop{Platform: "PRESTASHOP", Handler: shop, Deliver: shop.Deliver, Install: shop.Install,
		Credentials: map[string]any{"webserviceKey": prestashop.Key},
		Clock:       func(now func() time.Time) { shop.Now = now },
		Cannot: map[story.Ability]string{story.Pieces: "an order has a list of numbers and a state",
			story.Tokens: "its key does not end"},
		Faults: func() {
			shop.Faults = prestashop.Faults{LoseAnswer: 11, WriteAnd500: 17, Busy: 37, Warnings: true}
			awkward(shop.Notices)
		},
		Images: shop.Images,
		Stands: func() (map[string]story.Shown, []string) {
			items, doubled := shop.Items()
			shown := map[string]story.Shown{}
			for sku, item := range items {
				shown[sku] = story.Shown{Quantity: item.Quantity, Price: cents((item.Price + 5_000) / 10_000), OnSale: item.Active}
			}
			return shown, doubled
		},
		Buy: func(w story.Wish) string {
			wish := prestashop.Wish{Email: w.Email, Unpaid: w.Unpaid}
			for _, l := range w.Lines {
				wish.Lines = append(wish.Lines, prestashop.Bought{SKU: l.SKU, Quantity: int(l.Quantity)})
			}
			if w.Discount {
				wish.Discount = 333
			}
			if w.Fee {
				wish.Wrapping = 199
			}
			return shop.Place(wish)
		},
		Order: func(id string) story.Order {
			state, tracking, _ := shop.Order(id)
			return story.Order{Total: shop.Total(id), Numbers: strings.Split(tracking, ","), Shipped: state == "4", Cancelled: state == "6"}
		},
		Pay:    func(id string) { shop.Move(id, "2") },
		Edit:   shop.Edit,
		Cancel: func(id string) { shop.Move(id, "6") },
		Refund: func(id string) { shop.Refund(id, 1, "3.00") },
		Back:   func(id string) { shop.RefundBack(id, 1, "3.00") },
		Excess: func(id string) { shop.Credit(id, "999.00", "0") },
		Given:  func(id string) int { return len(shop.Slips(id)) },
		Return: func(id string) { shop.Move(id, "7") }}
}

// cents is an amount of so many.
func cents(n int64) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }

// twoPlaces is an amount with both digits behind the point.
func twoPlaces(text string) string {
	whole, rest, _ := strings.Cut(text, ".")
	return whole + "." + (rest + "00")[:2]
}

func shopify() story.Shop { return shopifyStory(shopifyshop.New()) }

func shopifyStory(shop *shopifyshop.Shop) story.Shop {
	return story.Shop{Platform: "SHOPIFY", Handler: shop, Topics: 9, Deliver: shop.Deliver,
		Credentials: map[string]any{"shop": "fake.myshopify.com", "clientId": shopifyshop.ClientID,
			"clientSecret": shopifyshop.ClientSecret, "webhookSecret": shopifyshop.WebhookSecret},
		Clock:  func(now func() time.Time) { shop.Now = now },
		Cannot: map[story.Ability]string{},
		Faults: func() {
			shop.Faults = shopifyshop.Faults{LoseAnswer: 23, Throttle: 9, Broken: 31, DearOrders: 100, Unsaid: 41}
			awkward(shop.Notices)
		},
		Images: shop.Images,
		Stands: func() (map[string]story.Shown, []string) {
			variants, doubled := shop.Variants()
			shown := map[string]story.Shown{}
			for sku, v := range variants {
				shown[sku] = story.Shown{Quantity: v.Available, Price: twoPlaces(v.Price), OnSale: v.Status == "ACTIVE" && v.Published}
			}
			return shown, doubled
		},
		Buy: func(w story.Wish) string {
			wish := shopifyshop.Wish{Email: w.Email, Unpaid: w.Unpaid}
			for _, l := range w.Lines {
				wish.Lines = append(wish.Lines, shopifyshop.Bought{SKU: l.SKU, Quantity: l.Quantity, Cents: l.Cents})
			}
			if w.Discount {
				wish.Discount = 333
			}
			if w.Fee {
				wish.Tip = 250
			}
			return shop.Place(wish)
		},
		Order: func(id string) story.Order {
			numbers, pieces, _, cancelled := shop.Order(id)
			return story.Order{Total: shop.Total(id), Numbers: numbers, Pieces: pieces, Shipped: pieces > 1, Cancelled: cancelled}
		},
		Pay:    func(id string) { shop.Change(id, "paid") },
		Edit:   func(id string) { shop.Change(id, "edited") },
		Cancel: func(id string) { shop.Change(id, "cancelled") },
		Refund: func(id string) { shop.Change(id, "refunded") },
		Back:   func(id string) { shop.Change(id, "back") },
		Return: func(id string) { shop.Change(id, "returned") },
		Expire: shop.Expire, Renews: requests("/admin/oauth/access_token")}
}
