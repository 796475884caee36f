package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// channelCheckRoutes test the connection to a channel's platform (interface §4.5.7).
var channelCheckRoutes = []*route{
	{method: "POST", path: "/api/v1/channels/{id}/sync/test", name: "testChannel", section: "4.5", summary: "Test a channel's connection",
		scope: "write:channels", secret: true,
		answer: data(sampleTest), serve: (*API).testChannel},
	{method: "POST", path: "/channels/{id}/sync/test", name: "testChannelUnversioned", section: "4.5", summary: "Test a channel's connection",
		scope: "write:channels", secret: true,
		answer: data(sampleTest), serve: (*API).testChannel},
}

// testChannel serves POST /channels/{id}/sync/test: 200; 400 for a custom channel, 404.
func (a *API) testChannel(r *request) (answer, error) {
	c, err := a.channel(r)
	if err != nil {
		return answer{}, err
	}
	if c.Platform == channels.Custom {
		return answer{}, apperr.New(apperr.Invalid, "validation_failed", "a custom channel has no connection to test: its system calls this one")
	}
	var result commerce.ConnectionTest
	if err := a.outside(r, func() (err error) {
		result, err = a.Commerce.CheckChannel(r.ctx(), a.store(r), c, a.PublicURL)
		return err
	}); err != nil {
		return answer{}, err
	}
	// only the answer is stored, for the Idempotency-Key; paste has a secret
	return a.writeSecret(r, func(*db.Tx) (answer, error) {
		return one(http.StatusOK, string(c.ID), func(w *apijson.Writer) { writeTest(w, result) }), nil
	})
}

func writeTest(w *apijson.Writer, t commerce.ConnectionTest) {
	w.Record("ConnectionTest", "data")
	w.Bool("success", t.Success)
	w.Text("message", t.Message)
	w.Micros("checkedAt", t.CheckedAt)
	apijson.Texts(w, "webhooksRegistered", t.WebhooksRegistered)
	writeTestedShop(w, t.Shop)
	apijson.Texts(w, "missing", t.Missing)
	if t.Paste == nil {
		w.Null("paste")
	} else {
		w.MayBeNull("paste")
		w.Record("WebhookPaste", "paste")
		w.TextOrNull("url", t.Paste.URL)
		w.Text("header", t.Paste.Header)
		w.Text("secret", t.Paste.Secret)
		w.End()
	}
	w.End()
}

// writeTestedShop writes what a test found out about the shop; null if the test did not reach it.
func writeTestedShop(w *apijson.Writer, shop *connector.Shop) {
	if shop == nil {
		w.Null("shop")
		return
	}
	w.MayBeNull("shop")
	w.Record("TestedShop", "shop")
	w.TextOrNull("name", shop.Name)
	w.TextOrNull("url", shop.URL)
	w.TextOrNull("version", shop.Version)
	w.TextOrNull("currency", shop.Currency)
	w.TextOrNull("timezone", shop.Timezone)
	if shop.PricesIncludeTax == nil {
		w.Null("pricesIncludeTax")
	} else {
		w.MayBeNull("pricesIncludeTax")
		w.Bool("pricesIncludeTax", *shop.PricesIncludeTax)
	}
	w.End()
}

func sampleTest(w *apijson.Writer) {
	taxed := true
	writeTest(w, commerce.ConnectionTest{Success: true, Message: "connected to Mug Shop", CheckedAt: records.SampleTime,
		WebhooksRegistered: []string{"order.updated"},
		Shop: &connector.Shop{Name: "Mug Shop", URL: "https://shop.example", Version: "11.0.1", Currency: "EUR", Timezone: "Europe/Paris",
			PricesIncludeTax: &taxed},
		Paste: &commerce.Paste{URL: "https://entrepot.example/api/v1/webhooks/platform/019a1c52-7c1e-7d40-9a55-000000000103/prestashop",
			Header: "X-PrestaShop-Signature", Secret: "…"}})
}
