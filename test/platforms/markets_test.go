package platforms

import (
	"strings"
	"time"

	"entrepot/internal/connector/connectortest/story"

	amazonshop "entrepot/internal/connector/amazon/fakeshop"
	ebayshop "entrepot/internal/connector/ebay/fakeshop"
	tiktokshop "entrepot/internal/connector/tiktokshop/fakeshop"
)

func ebay() story.Shop { return ebayStory(ebayshop.New()) }

func ebayStory(account *ebayshop.Account) story.Shop {
	account.Faults.Challenge = true
	return story.Shop{Platform: "EBAY", Handler: account, Topics: 3, Deliver: account.Deliver,
		Credentials: map[string]any{"clientId": ebayshop.ClientID, "clientSecret": ebayshop.ClientSecret,
			"refreshToken": ebayshop.RefreshToken, "marketplaceId": "EBAY_DE", "verificationToken": strings.Repeat("v", 32)},
		Clock: func(now func() time.Time) { account.Now = now },
		Cannot: map[story.Ability]string{story.Fees: "an order has goods, delivery and tax",
			story.Edits: "an order stays as it was placed"},
		Faults: func() {
			account.Faults.LoseAnswer, account.Faults.Broken, account.Faults.Partial = 13, 29, 53
			awkward(account.Notices)
		},
		Images: func(sku string) ([]string, int) { return account.Images(sku), 0 },
		Stands: func() (map[string]story.Shown, []string) {
			shown := map[string]story.Shown{}
			for sku, o := range account.Offers() {
				shown[sku] = story.Shown{Quantity: o.Quantity, Price: o.Price, OnSale: o.Listing != ""}
			}
			return shown, nil // it has one offer for a SKU
		},
		Buy: func(w story.Wish) string {
			wish := ebayshop.Wish{Unpaid: w.Unpaid}
			for _, l := range w.Lines {
				wish.Lines = append(wish.Lines, ebayshop.Bought{SKU: l.SKU, Quantity: l.Quantity, Cents: l.Cents})
			}
			if w.Discount {
				wish.Discount = 333
			}
			return account.Place(wish)
		},
		Order: func(id string) story.Order {
			parcels, pieces, cancelled := account.Order(id)
			return story.Order{Total: account.Total(id), Numbers: account.Numbers(id), Pieces: pieces, Shipped: parcels > 0 && pieces > 1,
				Cancelled: cancelled}
		},
		Pay:    func(id string) { account.Change(id, "paid") },
		Cancel: func(id string) { account.Change(id, "cancelled") },
		Refund: func(id string) { account.Refund(id, 300) },
		Excess: func(id string) { account.Refund(id, 999_00) },
		Return: func(id string) { account.Change(id, "returned") },
		Expire: account.Expire, Renews: requests("/identity/v1/oauth2/token")}
}

func tikTok() story.Shop {
	shop := tiktokshop.New()
	return story.Shop{Platform: "TIKTOK_SHOP", Handler: shop, Topics: 8, Deliver: shop.Deliver,
		Credentials: map[string]any{"appKey": tiktokshop.AppKey, "appSecret": tiktokshop.AppSecret, "accessToken": tiktokshop.AccessToken,
			"refreshToken": tiktokshop.RefreshToken, "shopCipher": tiktokshop.Cipher},
		Clock: func(now func() time.Time) { shop.Now = now },
		Cannot: map[story.Ability]string{story.Fees: "an order has goods, delivery and tax",
			story.Edits:      "an order stays as it was placed",
			story.RefundsAll: "all money of what was not shipped comes back by a cancellation"},
		Faults: func() {
			shop.Audit = 3 * time.Minute
			shop.Faults = tiktokshop.Faults{LoseAnswer: 13, Throttle: 17, HTML: 29, Broken: 41}
			shop.Notices.Drop, shop.Notices.Reorder = 5, true
		},
		Images: shop.Images,
		Stands: func() (map[string]story.Shown, []string) {
			items, doubled := shop.Items()
			shown := map[string]story.Shown{}
			for sku, item := range items {
				shown[sku] = story.Shown{Quantity: item.Quantity, Price: item.Price, OnSale: item.Status == "ACTIVATE"}
			}
			return shown, doubled
		},
		Buy: func(w story.Wish) string {
			wish := tiktokshop.Wish{SKUs: map[string]int64{}, Prices: map[string]int64{}, Shipping: 490, Unpaid: w.Unpaid}
			for _, l := range w.Lines {
				wish.SKUs[l.SKU], wish.Prices[l.SKU] = l.Quantity, l.Cents
			}
			if w.Discount {
				wish.Discount = 333
			}
			return shop.Buy(wish)
		},
		Order: func(id string) story.Order {
			_, pieces, status := shop.Order(id)
			return story.Order{Total: shop.Total(id), Numbers: shop.Numbers(id), Pieces: int64(pieces),
				Shipped: status == "AWAITING_COLLECTION", Cancelled: status == "CANCELLED"}
		},
		Pay:    func(id string) { shop.Move(id, "AWAITING_SHIPMENT") },
		Cancel: func(id string) { shop.Move(id, "CANCELLED") },
		Refund: func(id string) { shop.CancelPart(id, 300) },
		Back:   func(id string) { shop.Return(id, 1, 300) },
		Expire: shop.Expire, Renews: requests("/api/v2/token/refresh")}
}

func amazon() story.Shop {
	account := amazonshop.New()
	return story.Shop{Platform: "AMAZON", Handler: account, Identifiers: true,
		Credentials: map[string]any{"sellerId": amazonshop.SellerID, "marketplaceId": amazonshop.MarketplaceID,
			"clientId": amazonshop.ClientID, "clientSecret": amazonshop.ClientSecret, "refreshToken": amazonshop.RefreshToken},
		Clock: func(now func() time.Time) { account.Now = now },
		Cannot: map[story.Ability]string{story.Notifies: "it sends to queues alone, which a relay reads",
			story.Edits: "an order stays as it was placed", story.Refunds: "refunds are not in its orders",
			story.RefundsAll: "refunds are not in its orders"},
		Faults: func() {
			account.Faults = amazonshop.Faults{LoseAnswer: 17, FailAfterWrite: 19, TooMany: 23, Duplicate: true,
				Reorder: true, Rotate: true}
		},
		Images: func(sku string) ([]string, int) { return account.Images(sku), 0 },
		Stands: func() (map[string]story.Shown, []string) {
			shown := map[string]story.Shown{}
			for sku, o := range account.Offers() {
				shown[sku] = story.Shown{Quantity: o.Quantity, Price: o.Price, OnSale: o.Live}
			}
			return shown, nil // it has one listing for a SKU
		},
		Buy: func(w story.Wish) string {
			wish := amazonshop.Wish{Shipping: 490, Pending: w.Unpaid}
			for _, l := range w.Lines {
				wish.Lines = append(wish.Lines, amazonshop.Bought{SKU: l.SKU, Quantity: l.Quantity, Cents: l.Cents * l.Quantity})
			}
			if w.Discount {
				wish.Discount = 333
			}
			if w.Fee {
				wish.GiftWrap = 199
			}
			return account.Place(wish)
		},
		Order: func(id string) story.Order {
			_, pieces, status := account.Order(id)
			return story.Order{Total: account.Total(id), Numbers: account.Numbers(id), Pieces: pieces, Shipped: status == "SHIPPED",
				Cancelled: status == "CANCELLED"}
		},
		Pay:    account.Pay,
		Cancel: account.Cancel,
		Expire: account.Expire, Renews: requests("/auth/o2/token")}
}
