package ebay

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// session is one seller account, ready to be called.
type session struct {
	connector.Unsupported
	link      connector.Link
	connector *Connector
	base      string
	market    market
	account   *account
	tree      string // of the marketplace's categories
	token     string
}

// Open makes a session for one channel.
func (c *Connector) Open(l connector.Link) connector.Session {
	id := strings.ToUpper(l.Channel.Value("marketplaceId"))
	m, known := markets[id]
	if !known {
		m = market{language: "en-US", currency: "USD", site: "www.ebay.com"}
	}
	m.id = id
	return &session{link: l, connector: c, base: base(l.Channel), market: m, token: l.Channel.Value(connector.TokenField)}
}

// market is what goes with a marketplace.
type market struct{ id, language, currency, site string }

var markets = map[string]market{
	"EBAY_US": {language: "en-US", currency: "USD", site: "www.ebay.com"},
	"EBAY_CA": {language: "en-CA", currency: "CAD", site: "www.ebay.ca"},
	"EBAY_GB": {language: "en-GB", currency: "GBP", site: "www.ebay.co.uk"},
	"EBAY_IE": {language: "en-IE", currency: "EUR", site: "www.ebay.ie"},
	"EBAY_AU": {language: "en-AU", currency: "AUD", site: "www.ebay.com.au"},
	"EBAY_DE": {language: "de-DE", currency: "EUR", site: "www.ebay.de"},
	"EBAY_AT": {language: "de-AT", currency: "EUR", site: "www.ebay.at"}, "EBAY_CH": {language: "de-CH", currency: "CHF", site: "www.ebay.ch"},
	"EBAY_FR": {language: "fr-FR", currency: "EUR", site: "www.ebay.fr"},
	"EBAY_BE": {language: "fr-BE", currency: "EUR", site: "www.befr.ebay.be"},
	"EBAY_IT": {language: "it-IT", currency: "EUR", site: "www.ebay.it"}, "EBAY_ES": {language: "es-ES", currency: "EUR", site: "www.ebay.es"},
	"EBAY_NL": {language: "nl-NL", currency: "EUR", site: "www.ebay.nl"}, "EBAY_PL": {language: "pl-PL", currency: "PLN", site: "www.ebay.pl"},
}

// inventory is where products are, selling where orders are.
const (
	inventory = "/sell/inventory/v1"
	selling   = "/sell/fulfillment/v1"
	accounts  = "/sell/account/v1"
)

type fields map[string]any

// get sends a read; it may be repeated when its answer is lost.
func (s *session) get(ctx context.Context, path string, query url.Values, into any) (*connector.Response, error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return s.call(ctx, http.MethodGet, path, nil, into)
}

// call sends a request with the seller's token and decodes the JSON of its answer; a refused token is renewed once.
func (s *session) call(ctx context.Context, method, path string, body, into any) (*connector.Response, error) {
	answer, err := s.attempt(ctx, method, path, body, into)
	if connector.Is(err, connector.Unauthorized) || s.token == "" {
		if err := s.renew(ctx); err != nil {
			return nil, err
		}
		answer, err = s.attempt(ctx, method, path, body, into)
	}
	return answer, err
}

func (s *session) attempt(ctx context.Context, method, path string, body, into any) (*connector.Response, error) {
	if s.token == "" {
		return nil, connector.Failf(connector.Unauthorized, "there is no access token yet")
	}
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	address := s.base + path
	if strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://") {
		address = path
	}
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content))
	if err != nil {
		return nil, connector.Failf(connector.Rejected, "eBay's address cannot be called")
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	if strings.Contains(path, "/post-order/") {
		r.Header.Set("Authorization", "IAF "+s.token)
	}
	r.Header.Set("X-EBAY-C-MARKETPLACE-ID", s.market.id)
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Content-Language", s.market.language)
	}
	answer, err := s.link.Client.Do(r)
	if err != nil {
		return nil, err
	}
	return answer, s.read(answer, into)
}

// problem is an error in eBay's form.
type problem struct {
	ErrorID     int64
	Message     string
	LongMessage string
	Parameters  []struct{ Name, Value string }
}

func (p problem) text() string {
	if p.LongMessage != "" {
		return connector.Line(p.LongMessage)
	}
	return connector.Line(p.Message)
}

// read converts an answer to a value or a failure.
func (s *session) read(answer *connector.Response, into any) error {
	if answer.Status < 400 {
		if into == nil || len(bytes.TrimSpace(answer.Body)) == 0 {
			return nil
		}
		return connector.DecodeAnswer(answer, into)
	}
	var body struct{ Errors []problem }
	code, text := "", ""
	if connector.DecodeAnswer(answer, &body) == nil && len(body.Errors) > 0 {
		code, text = strconv.FormatInt(body.Errors[0].ErrorID, 10), body.Errors[0].text()
	}
	return connector.HTTPFailure(answer, s.link.Now(), code, text)
}

// renew gets a new access token, which is valid for two hours; the refresh token stays.
func (s *session) renew(ctx context.Context) error {
	fresh, err := s.link.RenewToken(ctx, s.token, connector.Renewal{
		Request: func(ctx context.Context, c connector.Credentials) (*http.Request, error) {
			form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {c["refreshToken"]}}
			r, err := connector.TokenForm(ctx, s.base+"/identity/v1/oauth2/token", form)
			if err == nil {
				r.SetBasicAuth(c["clientId"], c["clientSecret"])
			}
			return r, err
		},
		Refused: "eBay refuses the refresh token or the keyset",
	})
	if err == nil {
		s.token = fresh[connector.TokenField]
	}
	return err
}

// account is the part of the seller's account that a listing needs.
type account struct{ fulfillment, payment, returns, location string }

// settings of a channel that choose among what the account has.
const (
	settingFulfillment = "fulfillmentPolicyId"
	settingPayment     = "paymentPolicyId"
	settingReturns     = "returnPolicyId"
	settingLocation    = "merchantLocationKey"
)

// policies reads the account's policies and locations, and returns what is missing.
func (s *session) policies(ctx context.Context) (*account, []string, error) {
	a, missing := &account{}, []string{}
	for _, p := range []struct {
		resource, setting, id string
		into                  *string
	}{
		{"fulfillment_policy", settingFulfillment, "fulfillmentPolicyId", &a.fulfillment},
		{"payment_policy", settingPayment, "paymentPolicyId", &a.payment},
		{"return_policy", settingReturns, "returnPolicyId", &a.returns},
	} {
		if *p.into = s.link.Channel.Value(p.setting); *p.into != "" {
			continue
		}
		var out map[string]json.RawMessage
		if _, err := s.get(ctx, accounts+"/"+p.resource, url.Values{"marketplace_id": {s.market.id}}, &out); err != nil {
			return nil, nil, err
		}
		for _, raw := range out {
			var list []map[string]any
			if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
				continue
			}
			*p.into, _ = list[0][p.id].(string)
		}
		if *p.into == "" {
			missing = append(missing, "the account has no "+strings.ReplaceAll(p.resource, "_", " ")+" for "+s.market.id)
		}
	}
	if a.location = s.link.Channel.Value(settingLocation); a.location == "" {
		var out struct {
			Locations []struct{ MerchantLocationKey, MerchantLocationStatus string }
		}
		if _, err := s.get(ctx, inventory+"/location", nil, &out); err != nil {
			return nil, nil, err
		}
		for _, l := range out.Locations {
			if a.location == "" && l.MerchantLocationStatus != "DISABLED" {
				a.location = l.MerchantLocationKey
			}
		}
		if a.location == "" {
			missing = append(missing, "the account has no inventory location")
		}
	}
	return a, missing, nil
}

func (s *session) facts(ctx context.Context) (*account, error) {
	if s.account == nil {
		a, missing, err := s.policies(ctx)
		if err != nil {
			return nil, err
		}
		if len(missing) > 0 {
			return nil, connector.Failf(connector.Rejected, "%s", strings.Join(missing, "; "))
		}
		s.account = a
	}
	return s.account, nil
}

// Test reads the account: whose it is, and whether it has what a listing needs.
func (s *session) Test(ctx context.Context) (connector.Shop, error) {
	var user struct{ UserID, Username, RegistrationMarketplaceID string }
	if _, err := s.get(ctx, identity(s.base)+"/commerce/identity/v1/user/", nil, &user); err != nil {
		return connector.Shop{}, err
	}
	a, missing, err := s.policies(ctx)
	if connector.Is(err, connector.Forbidden) {
		missing, err = []string{"the consent lacks a scope: " + connector.FailureOf(err).Message}, nil
	}
	if err != nil {
		return connector.Shop{}, err
	}
	s.account = a
	gross := s.market.id != "EBAY_US" && s.market.id != "EBAY_CA"
	return connector.Shop{Name: user.Username, URL: "https://" + s.market.site + "/usr/" + url.PathEscape(user.Username),
		Currency:         s.market.currency,
		PricesIncludeTax: &gross, Missing: missing}, nil
}

// identity is the host for user accounts, which differs from that of all other calls.
func identity(base string) string { return strings.Replace(base, "://api.", "://apiz.", 1) }

// topics are the events to subscribe to, if the application may.
var topics = []string{"MARKETPLACE_ACCOUNT_DELETION", "AUTHORIZATION_REVOCATION", "ORDER_CONFIRMATION", "ITEM_MARKED_SHIPPED"}

const notifying = "/commerce/notification/v1"

// EnsureWebhooks makes eBay send notifications to the address: a destination, which eBay verifies by a challenge, and
// a subscription for each topic that the application may have.
func (s *session) EnsureWebhooks(ctx context.Context, target connector.WebhookTarget) ([]connector.Webhook, error) {
	destination, err := s.destination(ctx, target.URL)
	if err != nil {
		return nil, err
	}
	var there struct {
		Subscriptions []struct{ SubscriptionID, TopicID, DestinationID, Status string }
	}
	if _, err := s.get(ctx, notifying+"/subscription", url.Values{"limit": {"100"}}, &there); err != nil {
		return nil, err
	}
	var on []connector.Webhook
	for _, topic := range topics {
		at := ""
		for _, sub := range there.Subscriptions {
			if sub.TopicID != topic || sub.DestinationID != destination {
				continue
			}
			if at = sub.SubscriptionID; sub.Status != "ENABLED" {
				if _, err := s.call(connector.Repeatable(ctx), http.MethodPost, notifying+"/subscription/"+at+"/enable", fields{}, nil); err != nil {
					return on, err
				}
			}
		}
		if at == "" {
			body := fields{"topicId": topic, "status": "ENABLED", "destinationId": destination,
				"payload": fields{"format": "JSON", "schemaVersion": "1.0", "deliveryProtocol": "HTTPS"}}
			_, err := s.call(ctx, http.MethodPost, notifying+"/subscription", body, nil)
			if f := connector.FailureOf(err); f != nil && (f.Kind == connector.Rejected || f.Kind == connector.Forbidden) {
				continue // not every application may have every topic
			}
			if err != nil {
				return on, err
			}
		}
		on = append(on, connector.Webhook{Topic: topic, Status: "active"})
	}
	return on, nil
}

// destination finds or creates the destination of an address, and enables it again.
func (s *session) destination(ctx context.Context, address string) (string, error) {
	var there struct {
		Destinations []struct {
			DestinationID, Name, Status string
			DeliveryConfig              struct{ Endpoint string }
		}
	}
	if _, err := s.get(ctx, notifying+"/destination", url.Values{"limit": {"100"}}, &there); err != nil {
		return "", err
	}
	body := fields{"name": "entrepot", "status": "ENABLED",
		"deliveryConfig": fields{"endpoint": address, "verificationToken": s.link.Channel.Credentials["verificationToken"]}}
	for _, d := range there.Destinations {
		if d.DeliveryConfig.Endpoint != address {
			continue
		}
		if d.Status != "ENABLED" {
			if _, err := s.call(connector.Repeatable(ctx), http.MethodPut, notifying+"/destination/"+d.DestinationID, body, nil); err != nil {
				return "", err
			}
		}
		return d.DestinationID, nil
	}
	answer, err := s.call(ctx, http.MethodPost, notifying+"/destination", body, nil)
	if err != nil {
		return "", err
	}
	location := answer.Header.Get("Location")
	return location[strings.LastIndexByte(location, '/')+1:], nil
}

// RemoveWebhooks takes away the subscriptions of the address, and its destination.
func (s *session) RemoveWebhooks(ctx context.Context, target connector.WebhookTarget) error {
	destination, err := s.destination(ctx, target.URL)
	if err != nil {
		return err
	}
	var there struct {
		Subscriptions []struct{ SubscriptionID, DestinationID string }
	}
	if _, err := s.get(ctx, notifying+"/subscription", url.Values{"limit": {"100"}}, &there); err != nil {
		return err
	}
	for _, sub := range there.Subscriptions {
		if sub.DestinationID == destination {
			if _, err := s.call(connector.Repeatable(ctx), http.MethodDelete, notifying+"/subscription/"+sub.SubscriptionID, nil, nil); err != nil {
				return err
			}
		}
	}
	_, err = s.call(connector.Repeatable(ctx), http.MethodDelete, notifying+"/destination/"+destination, nil, nil)
	return err
}

// Capabilities says what eBay can do.
func (*Connector) Capabilities() connector.Capabilities {
	return connector.Capabilities{Products: true, Stock: true, Prices: true, Orders: true, Webhooks: true, PartialShipments: true,
		Tracking: true,
		Statuses: []connector.Status{"SHIPPED", "CANCELLED"},
		Batch:    connector.Batch{Products: 10, Stock: 25, Prices: 25, Orders: byID},
		Limits:   []connector.Limit{{AtOnce: 4}},
		Time:     connector.Timing{Overlap: 10 * time.Minute, Tail: tail},
	}
}
