package platforms

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest/story"
)

// hostileAnswers are what stands in place of a platform, or between it and the service, answers to every request.
func hostileAnswers(elsewhere string) map[string]http.HandlerFunc {
	say := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	page := "<!DOCTYPE html><html><script>alert(1)</script><h1>Log in</h1>\x00\x1b[31m" + strings.Repeat("filler ", 500) + "</html>"
	return map[string]http.HandlerFunc{
		"a page":                 say(200, "text/html", page),
		"a page that refuses":    say(403, "text/html", page),
		"a page that fails":      say(500, "text/html", page),
		"text that is not UTF-8": say(200, "application/json", "{\"code\":0,\"message\":\"\xff\xfe\",\"data\":{\"name\":\"\xc3\x28\"}}"),
		"errors that are not":    say(400, "application/json", "{\"message\":\"\xff\xfe\x07\",\"errors\":[{\"message\":\"\xff\x00\"}]}"),
		"nothing":                say(200, "application/json", ""),
		"null":                   say(200, "application/json", "null"),
		"a list":                 say(200, "application/json", `[[],{},null,1,"x"]`),
		"a text":                 say(200, "application/json", `"x"`),
		"other types":            say(200, "application/json", otherTypes),
		"deep":                   say(200, "application/json", strings.Repeat(`{"data":[`, 50_000)),
		"an entity":              say(200, "text/xml", xmlEntity),
		"half":                   say(200, "application/json", `{"data":{"orders":[{"id":"1"`),
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere+r.URL.Path, http.StatusFound)
		},
		"a redirect that repeats": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		},
		"what it was sent": reflects(400), "what it was sent, refused": reflects(401), "what it was sent, failing": reflects(500),
		"what it was sent, inside success": reflects(200),
	}
}

// otherTypes has the members of all platforms, each with a value of another type than documented.
const otherTypes = `{"code":"x","message":[1],"errors":{"a":1},"data":7,"products":"x","orders":{"a":1},"id":{},"shops":1,"payload":[1],
	"items":3,"listings":"x","responses":true,"name":9,"settings":null}`

// xmlEntity asks a reader of XML for a file and for much memory.
const xmlEntity = `<?xml version="1.0"?><!DOCTYPE p [<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY a "aaaaaaaaaa">` +
	`<!ENTITY b "&a;&a;&a;&a;">]>` +
	`<prestashop><errors><error><code>1</code><message>&f;&b;</message></error></errors></prestashop>`

// reflects answers with all that it was sent, wherever a platform says what is wrong.
func reflects(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent := r.URL.RawQuery + " " + string(body)
		for name, values := range r.Header {
			sent = fmt.Sprint(name, ": ", values, " ") + sent
			if strings.HasPrefix(name, "Auth") || strings.Contains(name, "oken") {
				sent = fmt.Sprint(values[0], " ", strings.TrimPrefix(values[0], "Basic "), " ", sent)
			}
		}
		form, _ := url.ParseQuery(string(body))
		id, password, _ := r.BasicAuth()
		values := slices.Concat(slices.Collect(maps.Values(r.URL.Query())), slices.Collect(maps.Values(form)), [][]string{{id, password}})
		for _, v := range slices.Concat(values...) { // in the ways in which programs write what they got
			in64 := base64.StdEncoding.EncodeToString([]byte(v))
			sent = fmt.Sprint(v, " ", url.PathEscape(v), " ", html.EscapeString(v), " ", in64, " ", sent)
		}
		if strings.Contains(r.Header.Get("Content-Type")+r.URL.RawQuery, "xml") || strings.Contains(r.URL.Path, "/api/") {
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, "<prestashop><errors><error><code>1</code><message><![CDATA[%s]]></message></error></errors></prestashop>", sent)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		wrong := []any{map[string]any{"message": sent, "longMessage": sent, "code": "Bad", "errorId": 7, "details": sent}}
		_ = json.NewEncoder(w).Encode(map[string]any{"code": 7, "message": sent, "errors": wrong, "error": sent, "error_description": sent})
	}
}

// Whatever stands in a platform's place, every call of every connector ends with a failure that says what happened, in words that may be
// shown, or with nothing; a redirect is followed by nobody; and of what was sent no secret comes back.
func TestHostilePlatforms(t *testing.T) {
	var reached atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(other.Close)
	for _, shop := range shops() {
		for what, answer := range hostileAnswers(other.URL) {
			t.Run(shop.Platform+"/"+what, func(t *testing.T) {
				secrets := longSecrets(&shop)
				o := open(t, shop, answer)
				o.hide()
				for name, call := range o.calls() {
					began := time.Now()
					results, more, err := call(t)
					message := outcome(results, more, err)
					for _, r := range results { // whoever shows it puts the SKU before it
						if strings.HasPrefix(r.Error, r.SKU) {
							t.Errorf("%s: %q repeats its SKU", name, r.Error)
						}
					}
					if took := time.Since(began); took > 2*time.Minute { // a starved machine's time for 16 MB; a call that hangs takes longer
						t.Errorf("%s took %s", name, took)
					}
					for _, secret := range append(secrets, base64.StdEncoding.EncodeToString([]byte(strings.Join(secrets, ":")))) {
						if strings.Contains(message, secret) {
							t.Errorf("%s shows the secret %s: %s", name, secret, message)
						}
					}
					if !showable(message) {
						t.Errorf("%s: %q", name, message)
					}
				}
			})
		}
	}
	if n := reached.Load(); n > 0 {
		t.Errorf("%d requests followed a redirect", n)
	}
}

// longSecrets gives a shop's channel secrets that no answer has by chance.
func longSecrets(shop *story.Shop) (secrets []string) {
	known, _ := connectors().ByPlatform(shop.Platform)
	credentials := map[string]any{}
	for name, value := range shop.Credentials {
		credentials[name] = value
	}
	for i, f := range known.Profile().Fields {
		if _, given := credentials[f.Name]; given && f.Form == connector.Secret {
			secret := fmt.Sprintf("hidden|%s+%d/0123456789&abcdef", f.Name, i)
			credentials[f.Name], secrets = secret, append(secrets, secret)
		}
	}
	shop.Credentials = credentials
	return secrets
}

// outcome is all that a call says of itself.
func outcome(results []connector.Result, more string, err error) string {
	text := more
	for _, r := range results {
		text += " " + r.Error
	}
	if f := connector.FailureOf(err); f != nil {
		text += " " + f.Error() + " " + fmt.Sprint(f.Err)
	}
	return text
}

// showable reports whether a text is one that any store keeps and any page shows.
func showable(text string) bool {
	return utf8.ValidString(text) && len(text) < 4000 && strings.IndexFunc(text, unicode.IsControl) < 0
}

// calls are those of a session that a service makes.
func (o *opened) calls() map[string]func(t *testing.T) ([]connector.Result, string, error) {
	ids := connector.IDs{Product: "11", Variant: "12", Other: map[string]string{"offer": "13", "item": "14"}}
	item := connector.Item{SKU: "MUG", IDs: ids}
	ref := connector.OrderRef{ExternalID: "1001", Shipped: []connector.Parcel{{Key: "k", Carrier: "DHL", Number: "JD1"}}}
	return map[string]func(t *testing.T) ([]connector.Result, string, error){
		"Test": func(t *testing.T) ([]connector.Result, string, error) {
			shop, err := o.Test(t.Context())
			return nil, strings.Join(append(shop.Missing, shop.Name, shop.Version), " "), err
		},
		"EnsureWebhooks": func(t *testing.T) ([]connector.Result, string, error) {
			_, err := o.EnsureWebhooks(t.Context(), connector.WebhookTarget{URL: "https://here.example/hook", Secret: "0123456789abcdef"})
			return nil, "", err
		},
		"Upsert": func(t *testing.T) ([]connector.Result, string, error) {
			results, err := o.Upsert(t.Context(), []connector.Product{{ID: "p", SKU: "MUG", Name: "Mug", OnSale: true, Price: 100_000,
				Currency: "EUR", Quantity: 3, Attributes: []connector.Attribute{{Name: "EAN", Value: story.EAN(0)}, {Name: "Brand", Value: "Acme"}},
				Images: []connector.Image{{ID: "i", URL: "https://pictures.example/1.png", Known: "k"}}}})
			return results, "", err
		},
		"Unpublish": func(t *testing.T) ([]connector.Result, string, error) {
			results, err := o.Unpublish(t.Context(), []connector.Item{item}, false)
			return results, "", err
		},
		"SetStock": func(t *testing.T) ([]connector.Result, string, error) {
			results, err := o.SetStock(t.Context(), []connector.StockItem{{Item: item, Quantity: 5}})
			return results, "", err
		},
		"SetPrices": func(t *testing.T) ([]connector.Result, string, error) {
			results, err := o.SetPrices(t.Context(), []connector.PriceItem{{Item: item, Price: 50_000, Currency: "EUR"}})
			return results, "", err
		},
		"ReadStock": func(t *testing.T) ([]connector.Result, string, error) {
			_, err := o.ReadStock(t.Context(), []connector.Item{item})
			return nil, "", err
		},
		"PullOrders": func(t *testing.T) ([]connector.Result, string, error) {
			page, err := o.PullOrders(t.Context(), connector.Cursor{Since: o.Clock().Add(-time.Hour)})
			text := ""
			for _, u := range page.Unreadable {
				text += " " + u.Error
			}
			return nil, text, err
		},
		"PullOrder": func(t *testing.T) ([]connector.Result, string, error) {
			_, err := o.PullOrder(t.Context(), "1001")
			return nil, "", err
		},
		"PushShipment": func(t *testing.T) ([]connector.Result, string, error) {
			return nil, "", o.PushShipment(t.Context(), ref, ref.Shipped[0])
		},
		"PushStatus": func(t *testing.T) ([]connector.Result, string, error) {
			return nil, "", o.PushStatus(t.Context(), ref, "SHIPPED")
		},
		"PushCancel": func(t *testing.T) ([]connector.Result, string, error) {
			return nil, "", o.PushCancel(t.Context(), ref, "no longer wanted")
		},
	}
}

// What a gateway says in place of a marketplace, with whatever status, is neither a pull without orders nor refused credentials: the same
// time is asked about again.
func TestPullsBehindAGateway(t *testing.T) {
	for _, shop := range shops() {
		if shop.Platform != "AMAZON" && shop.Platform != "EBAY" && shop.Platform != "TIKTOK_SHOP" { // the others are asked by pages of HTML, too
			continue
		}
		for name, answer := range map[string]struct {
			status int
			body   string
		}{"a word": {200, `{"message": "The service is unavailable."}`}, "no access": {403, "<!doctype html><h1>Access denied</h1>"},
			"a login": {401, "<html><h1>Log in</h1></html>"}} {
			t.Run(shop.Platform+" "+name, func(t *testing.T) {
				var stands atomic.Bool
				o := open(t, shop, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if stands.Load() && strings.Contains(r.URL.Path, "order") {
						w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
						w.WriteHeader(answer.status)
						_, _ = io.WriteString(w, answer.body)
						return
					}
					shop.Handler.ServeHTTP(w, r)
				}))
				stands.Store(true)
				page, err := o.PullOrders(t.Context(), connector.Cursor{Since: time.Now().Add(-time.Hour)})
				if !connector.Is(err, connector.Temporary) {
					t.Errorf("%+v, %v", page, err)
				}
			})
		}
	}
}
