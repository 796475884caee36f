package platforms

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/connector"
	amazonshop "entrepot/internal/connector/amazon/fakeshop"
	"entrepot/internal/connector/ebay/fakeshop"
	tiktokshop "entrepot/internal/connector/tiktokshop/fakeshop"
)

// attach creates a channel with the platform's fake and tests its connection.
func (s *service) attach(platform string, shop http.Handler, credentials map[string]any) (channel string) {
	s.Helper()
	server := httptest.NewServer(shop)
	s.Cleanup(server.Close)
	credentials["baseUrl"] = server.URL
	made := s.call("POST", "/api/v1/channels", map[string]any{"name": platform, "platform": platform, "credentials": credentials,
		"settings": map[string]any{"pullEvery": 3600}}, 201)
	channel = made.Text("data", "channel", "id")
	if tested := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200); tested.At("data", "success") != true {
		s.Fatal(tested)
	}
	return channel
}

func (s *service) stateOf(channel string) string {
	s.Helper()
	return s.call("GET", "/api/v1/channels/"+channel, nil, 200).Text("data", "status")
}

// TikTok signs for all shops of an app with one secret: what it says of another shop does not stop the channel, though its credentials do
// not name the shop. The connection test has found whose it is; other credentials may be those of another shop.
func TestAnotherShopOfTheApp(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		channel := s.attach("TIKTOK_SHOP", tiktokshop.New(), map[string]any{"appKey": tiktokshop.AppKey, "appSecret": tiktokshop.AppSecret,
			"accessToken": tiktokshop.AccessToken, "refreshToken": tiktokshop.RefreshToken, "shopCipher": tiktokshop.Cipher})
		notified := 0
		deauthorized := func(shop string) (int, string) {
			notified++
			body := fmt.Appendf(nil, `{"type":6,"tts_notification_id":"n-%d","shop_id":%q,"timestamp":1791188042,"data":{"message":"gone"}}`,
				notified, shop)
			address := s.base + "/api/v1/webhooks/platform/" + channel + "/tiktok-shop"
			r, err := http.NewRequestWithContext(t.Context(), "POST", address, bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", connector.HexHMAC(tiktokshop.AppSecret, []byte(tiktokshop.AppKey), body))
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			return answer.StatusCode, s.stateOf(channel)
		}
		if code, state := deauthorized("7490000000000000009"); code != 201 || state != "active" {
			t.Errorf("another shop: %d, the channel is %s", code, state)
		}
		s.call("PATCH", "/api/v1/channels/"+channel, map[string]any{"credentials": map[string]any{"shopCipher": tiktokshop.Cipher}}, 200)
		if code, state := deauthorized("7490000000000000009"); code != 201 || state != "needs_reauth" {
			t.Errorf("a shop, before the new credentials were tested: %d, the channel is %s", code, state)
		}
		s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200)
		if code, state := deauthorized(tiktokshop.ShopID); code != 201 || state != "needs_reauth" {
			t.Errorf("its own shop: %d, the channel is %s", code, state)
		}
	})
}

// eBay notifies an application of every seller who withdraws the consent: of another one's, the channel goes on.
func TestAnotherSellerOfTheApp(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		account := fakeshop.New()
		account.Faults.Challenge = true
		channel := s.attach("EBAY", account, ebayCredentials())
		go account.Deliver(t.Context())
		account.Withdraw("u2", "other-seller")
		order, _ := account.Buy("MUG", 1, 790) // what is sent after it has come, so it has, too
		s.await("the order behind the notification", func() string {
			found := s.call("GET", "/api/v1/orders?search="+order, nil, 200).List("data")
			return unless(len(found) == 1, found)
		})
		if state := s.stateOf(channel); state != "active" {
			t.Errorf("another seller withdrew: the channel is %s", state)
		}
		account.Withdraw(fakeshop.SellerUserID, "fake-seller")
		s.await("its own seller withdrew", func() string {
			state := s.stateOf(channel)
			return unless(state == "needs_reauth", state)
		})
	})
}

func ebayCredentials() map[string]any {
	return map[string]any{"clientId": fakeshop.ClientID, "clientSecret": fakeshop.ClientSecret, "refreshToken": fakeshop.RefreshToken,
		"marketplaceId": "EBAY_DE", "verificationToken": strings.Repeat("v", 32)}
}

// eBay names a person who left by the user name alone: the orders of that buyer have nobody's name any more, with an e-mail address or
// without, and what changes in them later brings nothing back. Other buyers stay.
func TestBuyerWhoLeft(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		account := fakeshop.New()
		account.Faults.Challenge = true
		channel := s.attach("EBAY", account, ebayCredentials())
		go account.Deliver(t.Context())
		mugs := []fakeshop.Bought{{SKU: "MUG", Quantity: 2, Cents: 790}}
		named, masked := account.Place(fakeshop.Wish{Lines: mugs}), account.Place(fakeshop.Wish{Lines: mugs, Masked: true})
		other := account.Place(fakeshop.Wish{Lines: mugs, Buyer: "bob", Masked: true})
		second := fakeshop.New() // of the same application, to which eBay writes once
		elsewhere := s.attach("EBAY", second, ebayCredentials())
		for range 7 { // other ids than those of the first account
			second.Place(fakeshop.Wish{Lines: mugs, Buyer: "carl"})
		}
		there := second.Place(fakeshop.Wish{Lines: mugs, Masked: true})
		s.call("POST", "/api/v1/channels/"+elsewhere+"/sync", map[string]any{"type": "order_pull", "externalIds": []string{there}}, 202)
		ids := map[string]string{}
		for _, order := range []string{named, masked, other, there} {
			of := channel
			if order == there {
				of = elsewhere
			}
			s.await("the orders", func() string { // orders of both accounts have the same ids
				found := s.call("GET", "/api/v1/orders?channelId="+of+"&search="+order, nil, 200).List("data")
				if len(found) == 1 {
					ids[order] = document(found[0].(map[string]any)).Text("id")
				}
				return unless(len(found) == 1, found)
			})
		}
		account.Leave("ma8vp1jySJC", "ada")
		read := func(order string) string {
			return fmt.Sprint(s.call("GET", "/api/v1/orders/"+ids[order], nil, 200))
		}
		gone := func(order string) func() string {
			return func() string {
				text := read(order)
				return unless(!strings.Contains(text, "Lovelace") && !strings.Contains(text, "Weg 1") && !strings.Contains(text, "buyer:ada"), text)
			}
		}
		s.await("the order with an e-mail address", gone(named))
		s.await("the order without one", gone(masked))
		s.await("the order of the account's other channel", gone(there))
		if text := read(other); !strings.Contains(text, "Lovelace") {
			t.Errorf("another buyer is gone, too: %s", text)
		}
		account.Refund(masked, 300)
		s.call("POST", "/api/v1/channels/"+channel+"/sync", map[string]any{"type": "order_pull", "externalIds": []string{masked, named}}, 202)
		s.await("the refund", func() string {
			text := read(masked)
			return unless(strings.Contains(text, "refundedAmount:3"), text)
		})
		for _, order := range []string{named, masked} {
			if text := gone(order)(); text != "" {
				t.Errorf("it came back: %s", text)
			}
		}
		account.Leave("ma8vp1jySJC", "ada")
		account.Leave("somebody", "nobody here")
		order, _ := account.Buy("MUG", 1, 790)
		s.await("an order behind them", func() string {
			found := s.call("GET", "/api/v1/orders?search="+order, nil, 200).List("data")
			return unless(len(found) == 1, found)
		})
	})
}

// What left here in part is not taken for more when eBay shows it: eBay gives a parcel an id of its own, numbers without blanks, and none
// to a parcel without a number. What left there beside it is taken over.
func TestPartsThatLeftHere(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		account := fakeshop.New()
		channel := s.attach("EBAY", account, ebayCredentials())
		pull := func(order string) {
			s.call("POST", "/api/v1/channels/"+channel+"/sync", map[string]any{"type": "order_pull", "externalIds": []string{order}}, 202)
		}
		for name, parcel := range map[string]map[string]any{
			"a number with blanks": {"carrier": "DHL", "trackingNumber": "JJD 0003-99"}, "no number": {},
		} {
			order, line := account.Buy("MUG", 3, 790)
			pull(order)
			var id, item string
			s.await(name+": the order", func() string {
				found := s.call("GET", "/api/v1/orders?search="+order, nil, 200).List("data")
				if len(found) != 1 {
					return fmt.Sprint(found)
				}
				id = document(found[0].(map[string]any)).Text("id")
				item = s.call("GET", "/api/v1/orders/"+id, nil, 200).Text("data", "items", 0, "id")
				return ""
			})
			parcel["items"] = []map[string]any{{"orderItemId": item, "quantity": 1}}
			s.call("POST", "/api/v1/orders/"+id+"/shipments", parcel, 201)
			s.await(name+": the parcel at eBay", func() string {
				_, pieces, _ := account.Order(order)
				return unless(pieces == 1, pieces)
			})
			account.Refund(order, 10) // it changes there
			pull(order)
			shipped := func(want int, status string) func() string {
				return func() string {
					o := s.call("GET", "/api/v1/orders/"+id, nil, 200)
					return unless(o.Text("data", "shippedUnitCount") == fmt.Sprint(want) && o.Text("data", "status") == status &&
						o.Text("data", "refundedAmount") != "0", o.At("data", "shipments"), o.At("data", "status"))
				}
			}
			s.await(name+": what left", shipped(1, "PARTIALLY_SHIPPED"))
			account.Send(order, line, 1)
			pull(order)
			s.await(name+": what left there", shipped(2, "PARTIALLY_SHIPPED"))
			if _, pieces, _ := account.Order(order); pieces != 2 {
				t.Errorf("%s: eBay has %d pieces", name, pieces)
			}
			s.call("POST", "/api/v1/orders/"+id+"/shipments", map[string]any{"carrier": "UPS", "trackingNumber": "LAST1" + order[3:],
				"items": []map[string]any{{"orderItemId": item, "quantity": 1}}}, 201)
			s.await(name+": the last parcel at eBay, with its number", func() string {
				_, pieces, _ := account.Order(order)
				numbers := account.Numbers(order)
				return unless(pieces == 3 && slices.Contains(numbers, "LAST1"+order[3:]), pieces, numbers)
			})
		}
	})
}

// The address that a merchant entered at eBay in place of the service's own is the one that is registered: eBay's challenge is answered for
// it.
func TestAnotherNotificationAddress(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		account := fakeshop.New()
		account.Faults.Challenge = true
		channel := s.attach("EBAY", account, ebayCredentials())
		address := s.base + "/api/v1/webhooks/platform/" + channel + "/ebay/challenge"
		s.call("PATCH", "/api/v1/channels/"+channel, map[string]any{"credentials": map[string]any{"endpointUrl": address,
			"verificationToken": ebayCredentials()["verificationToken"]}}, 200)
		tested := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200)
		if n := len(tested.List("data", "webhooksRegistered")); n != 3 {
			t.Errorf("%d topics: %v", n, tested)
		}
		for _, line := range account.Notified() {
			if !strings.HasSuffix(line, address) {
				t.Error(line)
			}
		}
	})
}

// What the marketplace takes out of an order after a part of it was shipped does not leave the stock with the rest.
func TestLineCancelledAfterAPartLeft(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		account := amazonshop.New()
		channel := s.attach("AMAZON", account, map[string]any{"sellerId": amazonshop.SellerID, "marketplaceId": amazonshop.MarketplaceID,
			"clientId": amazonshop.ClientID, "clientSecret": amazonshop.ClientSecret, "refreshToken": amazonshop.RefreshToken})
		s.call("POST", "/api/v1/sdk/products/bulk-import?wait=true", map[string]any{"products": []map[string]any{
			{"sku": "MUG", "name": "Mug", "price": 7.9, "stock": map[string]any{"quantity": 5}},
			{"sku": "PEN", "name": "Pen", "price": 1.9, "stock": map[string]any{"quantity": 5}}}}, 200)
		order := account.Place(amazonshop.Wish{Lines: []amazonshop.Bought{{SKU: "MUG", Quantity: 1, Cents: 790},
			{SKU: "PEN", Quantity: 2, Cents: 380}}})
		pull := func() {
			s.call("POST", "/api/v1/channels/"+channel+"/sync", map[string]any{"type": "order_pull", "externalIds": []string{order}}, 202)
		}
		pull()
		var id string
		s.await("the order", func() string {
			found := s.call("GET", "/api/v1/orders?search="+order, nil, 200).List("data")
			if len(found) == 1 {
				id = document(found[0].(map[string]any)).Text("id")
			}
			return unless(len(found) == 1, found)
		})
		item := s.call("GET", "/api/v1/orders/"+id, nil, 200).Text("data", "items", 0, "id")
		s.call("POST", "/api/v1/orders/"+id+"/shipments", map[string]any{"carrier": "DHL", "trackingNumber": "JD1",
			"items": []map[string]any{{"orderItemId": item, "quantity": 1}}}, 201)
		s.await("the parcel at Amazon", func() string {
			_, pieces, _ := account.Order(order)
			return unless(pieces == 1, pieces)
		})
		account.CancelLine(order, 1)
		pull()
		s.await("the order is shipped", func() string {
			o := s.call("GET", "/api/v1/orders/"+id, nil, 200)
			return unless(o.Text("data", "status") == "SHIPPED", o)
		})
		if o := s.call("GET", "/api/v1/orders/"+id, nil, 200); o.Text("data", "shippedUnitCount") != "1" {
			t.Errorf("%v shipped: %v", o.At("data", "shippedUnitCount"), o.At("data", "shipments"))
		}
		pen := s.call("GET", "/api/v1/products?sku=PEN", nil, 200)
		if pen.Text("data", 0, "stock", 0, "onHand") != "5" || pen.Text("data", 0, "stock", 0, "reserved") != "0" {
			t.Errorf("%v", pen.At("data", 0, "stock"))
		}
	})
}
