package ebay_test

import (
	"net/http"
	"net/url"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
)

func about(topic string) connector.Outcome { return connector.About(topic, "") }

func suite(t testing.TB) connectortest.Suite {
	f := newFake(t)
	ch := f.channel()
	ch.Settings = map[string]string{"sellerUserId": "seller-A"}
	return connectortest.Suite{
		Connector:       f.connector(),
		Channel:         ch,
		Sign:            f.sign,
		SignatureHeader: "X-Ebay-Signature",
		Refusal:         apperr.Invalid,
		Samples: []connectortest.Sample{
			{Body: "order_confirmation.json", Want: about("ORDER_CONFIRMATION").PullOrder("12-34567-89012")},
			{
				Body: "account_deletion.json",
				Want: about("MARKETPLACE_ACCOUNT_DELETION").EraseCustomer(connector.Person{ID: "aBcDeFgH123", Username: "some_buyer"}),
			}, {
				Body: `{"metadata":{"topic":"MARKETPLACE_ACCOUNT_DELETION"},"notification":{"notificationId":"n-3","data":{}}}`,
				Want: about("MARKETPLACE_ACCOUNT_DELETION").Ignore("it names nobody to erase"),
			}, {
				Body: `{"metadata":{"topic":"ITEM_MARKED_SHIPPED"},"notification":{"notificationId":"n-4","data":{"orderId":"12-1"}}}`,
				Want: about("ITEM_MARKED_SHIPPED").PullOrder("12-1"),
			}, {
				Body: `{"metadata":{"topic":"ORDER_CANCELLATION_ACTIVITY"},"notification":{"notificationId":"n-5","data":{}}}`,
				Want: about("ORDER_CANCELLATION_ACTIVITY").PullOrder(""),
			}, {
				Body: `{"metadata":{"topic":"ORDER_CONFIRMATION"},"notification":{"notificationId":"n-6","data":{"user":{"userId":"seller-B"},` +
					`"order":{"orderId":"12-2"}}}}`,
				Want: about("ORDER_CONFIRMATION").Ignore("it is about another seller"),
			}, {
				Body: `{"metadata":{"topic":"AUTHORIZATION_REVOCATION"},"notification":{"notificationId":"n-7","data":{"userId":"seller-A",` +
					`"username":"corner"}}}`,
				Want: about("AUTHORIZATION_REVOCATION").Reauthorize(),
			}, {
				Body: `{"metadata":{"topic":"AUTHORIZATION_REVOCATION"},"notification":{"notificationId":"n-8","data":{"userId":"seller-B"}}}`,
				Want: about("AUTHORIZATION_REVOCATION").Ignore("it is about another seller"),
			}, {
				Body: `{"metadata":{"topic":"AUTHORIZATION_REVOCATION"},"notification":{"notificationId":"n-9","data":{"user":{"userId":"seller-B"}}}}`,
				Want: about("AUTHORIZATION_REVOCATION").Ignore("it is about another seller"),
			}, {
				Body: `{"metadata":{"topic":"FEEDBACK_RECEIVED"},"notification":{"notificationId":"n-10","data":{}}}`,
				Want: about("FEEDBACK_RECEIVED"),
			}, {
				Body: `{"metadata":{"topic":"ORDER_CONFIRMATION"},"notification":{}}`, NoKey: true,
				Want: about("ORDER_CONFIRMATION").PullOrder(""),
			},
		},
	}
}

func TestConnector(t *testing.T) { connectortest.Run(t, suite(t)) }
func FuzzVerify(f *testing.F)    { connectortest.FuzzVerify(f, suite(f)) }
func FuzzRead(f *testing.F)      { connectortest.FuzzRead(f, suite(f)) }

// As long as the connection test has not found out who the seller is, a revocation counts.
func TestSellerUnknown(t *testing.T) {
	s := suite(t)
	s.Channel.Settings = nil
	n := connector.Notification{Header: http.Header{},
		Body: []byte(`{"metadata":{"topic":"AUTHORIZATION_REVOCATION"},"notification":{"data":{"userId":"seller-B"}}}`)}
	if outcome, err := s.Connector.Read(s.Channel, n); err != nil || outcome.State != connector.NeedsReauth {
		t.Errorf("Read = %+v, %v", outcome, err)
	}
}

func TestChallenge(t *testing.T) {
	const (
		code   = "a8628072-3d33-45ee-9004-bee86830a22d"
		token  = "verification_token_0123456789abcdef"
		stored = "https://api.example.test/api/v1/webhooks/platform/ch_1/ebay/challenge"
		vector = `{"challengeResponse":"616c551d9b07fadc134ea28116a95ca1634c7b5f351eccfebb3a8cb929803b73"}` // computed independently
		plain  = `{"challengeResponse":"70263c984a880f93de3ce0993d5e357bd4d9c69ad2cd27ebe49989f42ef97567"}`
	)
	query := url.Values{"challenge_code": {code}}
	for _, c := range []struct {
		name, token, endpoint, public string
		query                         url.Values
		want                          string
	}{
		{"stored address", token, stored, "https://elsewhere.test", query, vector},
		{"address of the service", token, "", "https://api.example.test", query, plain},
		{"with a slash", token, "", "https://api.example.test/", query, plain},
		{"no code", token, stored, "", url.Values{}, ""},
		{"empty code", token, stored, "", url.Values{"challenge_code": {""}}, ""},
		{"no token", "", stored, "", query, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ch := connector.Channel{ID: "ch_1", Credentials: connector.Credentials{"verificationToken": c.token, "endpointUrl": c.endpoint}}
			got, err := connector.Challenger(newFake(t).connector()).Challenge(ch, c.public, c.query)
			if string(got) != c.want || (err != nil) != (c.want == "") || err != nil && !apperr.Is(err, apperr.Invalid) {
				t.Errorf("Challenge = %s, %v, want %s", got, err, c.want)
			}
		})
	}
}
