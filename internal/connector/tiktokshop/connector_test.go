package tiktokshop_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/tiktokshop"
)

const appKey, appSecret = "6abc", "c0ffee0123456789"

func about(topic string) connector.Outcome { return connector.About(topic, "") }

// body is a notification of the channel's shop.
func body(kind, id, data string) string {
	return fmt.Sprintf(`{"type":%s,"tts_notification_id":%q,"shop_id":"7490000000000000007","timestamp":1791188042,"data":{%s}}`, kind, id,
		data)
}

func suite() connectortest.Suite {
	return connectortest.Suite{
		Connector: tiktokshop.New(),
		Channel: connector.Channel{ID: "ch-1", Platform: "TIKTOK_SHOP", Credentials: connector.Credentials{
			"appKey": appKey, "appSecret": appSecret, "accessToken": "a", "refreshToken": "r", "shopCipher": "ROW_c",
			"shopId": "7490000000000000007",
		}},
		Sign:            func(b []byte) string { return connector.HexHMAC(appSecret, []byte(appKey), b) },
		SignatureHeader: "Authorization",
		SecretField:     "appSecret",
		Refusal:         apperr.Unauthorized,
		Samples: []connectortest.Sample{
			{Body: "order_status_change.json", Want: about("ORDER_STATUS_CHANGE").PullOrder("577000000000000123")},
			{Body: body(`"ORDER_STATUS_CHANGE"`, "n2", `"order_id":"1"`), Want: about("ORDER_STATUS_CHANGE").PullOrder("1")},
			{Body: body(`"1"`, "n3", `"order_id":"1"`), Want: about("ORDER_STATUS_CHANGE").PullOrder("1")},
			{Body: body("2", "n4", `"order_id":"1"`), Want: about("REVERSE_STATUS_UPDATE").PullOrder("1")},
			{Body: body("3", "n5", `"order_id":"1"`), Want: about("RECIPIENT_ADDRESS_UPDATE").PullOrder("1")},
			{Body: body("4", "n6", `"package_list":[]`), Want: about("PACKAGE_UPDATE").PullOrder("")},
			{Body: "product_status_change.json", Want: about("PRODUCT_STATUS_CHANGE").PushStock("577000000000000999")},
			{Body: body("6", "n7", `"message":"gone"`), Want: about("SELLER_DEAUTHORIZATION").Reauthorize()},
			{Body: body(`"SELLER_DEAUTHORIZATION"`, "n8", ""), Want: about("SELLER_DEAUTHORIZATION").Reauthorize()},
			{Body: body("7", "n9", `"expiration_time":1793780042`), Want: about("UPCOMING_AUTHORIZATION_EXPIRATION").Expire()},
			{Body: body("11", "n10", `"order_id":"1"`), Want: about("CANCELLATION_STATUS_CHANGE").PullOrder("1")},
			{Body: body("12", "n11", `"order_id":"1"`), Want: about("RETURN_STATUS_CHANGE").PullOrder("1")},
			{Body: body("14", "n12", ""), Want: about("NEW_MESSAGE")},
			{Body: body("15", "n13", `"product_id":"1"`), Want: about("PRODUCT_INFORMATION_CHANGE")},
			{Body: body("37", "n14", `"product_id":789078671231`), Want: about("PRODUCT_AUDIT_STATUS_CHANGE").PushStock("789078671231")},
			{Body: body("999", "n15", ""), Want: about("999")},
			{
				Body: `{"type":6,"tts_notification_id":"n16","shop_id":"1","data":{}}`,
				Want: about("SELLER_DEAUTHORIZATION").Ignore("it is about another shop"),
			},
			{Body: `{"type":6,"tts_notification_id":7380066284010030890,"data":"x"}`, Want: about("SELLER_DEAUTHORIZATION").Reauthorize()},
			{Body: `{"type":1,"data":{"order_id":"1"}}`, Want: about("ORDER_STATUS_CHANGE").PullOrder("1"), NoKey: true},
		},
	}
}

func TestConnector(t *testing.T) { connectortest.Run(t, suite()) }
func FuzzVerify(f *testing.F)    { connectortest.FuzzVerify(f, suite()) }
func FuzzRead(f *testing.F)      { connectortest.FuzzRead(f, suite()) }

// Without a shopId the channel takes the notifications of every shop its app signs for.
func TestShopUnknown(t *testing.T) {
	s := suite()
	delete(s.Channel.Credentials, "shopId")
	n := s.Notification(t, connectortest.Sample{Body: `{"type":7,"tts_notification_id":"n1","shop_id":"1","data":{}}`})
	if outcome, err := s.Connector.Read(s.Channel, n); err != nil || outcome.State != connector.Expiring {
		t.Errorf("Read = %+v, %v", outcome, err)
	}
}

// The vector is the platform's own.
func TestSignatureVector(t *testing.T) {
	const (
		body = `{"type":1,"tts_notification_id":"7380066284010030890","shop_id":"7495540735365777507","timestamp":1718305585,` +
			`"data":{"is_on_hold_order":true,"order_id":"576653688135258178","order_status":"UNPAID","update_time":1718305585}}`
		sign = "5dec0f11ec2f6783b8deee53c9ffbf8d024302f7c7e7fa55a35d17629031ac05"
	)
	ch := connector.Channel{Credentials: connector.Credentials{"appKey": "abcdef", "appSecret": "123"}}
	n := connector.Notification{Header: http.Header{"Authorization": {sign}}, Body: []byte(body)}
	if err := tiktokshop.New().Verify(context.Background(), ch, n); err != nil {
		t.Error(err)
	}
	ch.Credentials["appKey"] = "abcdeg"
	if err := tiktokshop.New().Verify(context.Background(), ch, n); !apperr.Is(err, apperr.Unauthorized) {
		t.Errorf("another app key: %v", err)
	}
}
