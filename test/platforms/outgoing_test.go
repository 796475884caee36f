package platforms

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/netguard"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest/story"
)

// What stands between the service and a platform, or in its name's place, is told from a refused key: a connection test says that nothing
// answered and why, for each platform, and the service's address rules apply before anything is sent.
func TestConnectionsThatFail(t *testing.T) {
	tls := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request came") }))
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	t.Cleanup(tls.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	unknown := func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no such host") }
	private := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
	}
	for _, shop := range shops() {
		for what, c := range map[string]struct {
			address, says string
			guard         netguard.Guard
			kind          connector.Kind
		}{
			"a certificate of nobody":     {tls.URL, "certificate", netguard.Guard{Dev: true}, connector.Temporary},
			"nobody listens":              {gone.URL, "refused", netguard.Guard{Dev: true}, connector.Temporary},
			"a name that does not exist":  {"https://shop.example", "resolving shop.example", netguard.Guard{Lookup: unknown}, connector.Temporary},
			"a name of a private address": {"https://shop.example", "must not be called", netguard.Guard{Lookup: private}, connector.Refused},
		} {
			t.Run(shop.Platform+"/"+what, func(t *testing.T) {
				o := openAt(shop, c.address, &c.guard)
				_, err := o.Test(t.Context())
				if f := connector.FailureOf(err); f == nil || f.Kind != c.kind || !strings.Contains(f.Message, c.says) {
					t.Errorf("%+v, want %s: … %s …", f, c.kind, c.says)
				}
			})
		}
	}
}

// elsewhere is a server that is not the platform's; it keeps what it was sent beside a body.
type elsewhere struct {
	*httptest.Server
	heads []string
}

func newElsewhere(t *testing.T, answer http.HandlerFunc) *elsewhere {
	e := &elsewhere{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.heads = append(e.heads, fmt.Sprint(r.Method, r.URL, r.Header))
		answer(w, r)
	}))
	t.Cleanup(e.Close)
	return e
}

// Addresses that are not the channel's own are those of pictures, and of documents that Amazon names. Such a server gets no
// credentials; one with a private address is not called, and a redirect is not followed: the failure says so.
func TestAddressesThatAreNotTheChannels(t *testing.T) {
	const inside = "http://10.0.0.1/latest"
	redirects := newElsewhere(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inside, http.StatusTemporaryRedirect)
	})
	fine := newElsewhere(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("\x89PNG\r\n\x1a\n0123456789")) })
	cases := map[string]string{inside: "must not be called", redirects.URL: "redirects to http://10.0.0.1", fine.URL: ""}
	for address, says := range cases {
		for _, shop := range shops() {
			switch shop.Platform {
			case "PRESTASHOP", "TIKTOK_SHOP":
			default: // the others fetch pictures themselves
				continue
			}
			t.Run(shop.Platform+"/"+says, func(t *testing.T) {
				o := open(t, shop, shop.Handler)
				mug := o.mug(t)
				mug.Images = []connector.Image{{ID: "i1", URL: address + "/front.png"}}
				results, err := o.Upsert(t.Context(), []connector.Product{mug})
				if text := outcome(results, "", err); !strings.Contains(text, says) || says == "" && strings.TrimSpace(text) != "" {
					t.Errorf("%q, want %q", text, says)
				}
			})
		}
		t.Run("AMAZON/"+says, func(t *testing.T) {
			shop := amazon()
			handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answer := httptest.NewRecorder()
				shop.Handler.ServeHTTP(answer, r)
				var body map[string]any
				if strings.Contains(r.URL.Path, "/documents") && json.Unmarshal(answer.Body.Bytes(), &body) == nil && body["url"] != nil {
					body["url"] = address + "/document"
					answer.Body.Reset()
					_ = json.NewEncoder(answer.Body).Encode(body)
				}
				w.Header().Set("Date", answer.Header().Get("Date"))
				w.WriteHeader(answer.Code)
				_, _ = w.Write(bytes.TrimSpace(answer.Body.Bytes()))
			})
			o := open(t, shop, handler)
			var items []connector.StockItem
			for i := range 60 { // more than are changed one by one
				sku := fmt.Sprint("MUG-", i)
				items = append(items, connector.StockItem{Item: connector.Item{SKU: sku, IDs: connector.IDs{Product: sku}}, Quantity: 5})
			}
			results, err := o.SetStock(t.Context(), items)
			if text := outcome(results, "", err); !strings.Contains(text, says) {
				t.Errorf("%q, want %q", text, says)
			}
		})
	}
	for _, e := range []*elsewhere{redirects, fine} {
		if len(e.heads) < 3 {
			t.Errorf("%d requests: %v", len(e.heads), e.heads)
		}
		for _, shop := range shops() {
			for name, secret := range shop.Credentials {
				carries := func(head string) bool {
					return strings.Contains(head, fmt.Sprint(secret)) || strings.Contains(head, "Authorization")
				}
				if at := slices.IndexFunc(e.heads, carries); len(fmt.Sprint(secret)) > 3 && at >= 0 {
					t.Errorf("%s of %s went elsewhere: %s", name, shop.Platform, e.heads[at])
				}
			}
		}
	}
}

// Credentials stand in the header Authorization as each platform wants them.
func TestBasicAuthorization(t *testing.T) {
	for platform, c := range map[string]struct {
		given map[string]any
		want  string
	}{
		"WOOCOMMERCE": {map[string]any{"consumerKey": "ck_test", "consumerSecret": "cs_test"}, "Y2tfdGVzdDpjc190ZXN0"},
		"PRESTASHOP": {map[string]any{"webserviceKey": "ABCDEFGHIJKLMNOPQRSTUVWXYZ123456"},
			"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY6"},
		"EBAY": {map[string]any{"clientId": "MyApp-PRD-1", "clientSecret": "PRD-secret", "refreshToken": "v^1", "marketplaceId": "EBAY_DE"},
			"TXlBcHAtUFJELTE6UFJELXNlY3JldA=="},
	} {
		refuses := newElsewhere(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"code":"woocommerce_rest_cannot_view","message":"no","data":{"status":401}}`)
		})
		o := openAt(story.Shop{Platform: platform, Credentials: c.given}, refuses.URL, nil)
		_, err := o.Test(t.Context())
		if !slices.ContainsFunc(refuses.heads, func(head string) bool { return strings.Contains(head, "Authorization:[Basic "+c.want+"]") }) {
			t.Errorf("%s: %v: %v", platform, refuses.heads, err)
		}
	}
}
