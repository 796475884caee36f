package harness

import (
	"net/http"
	"strconv"
	"testing"
	"time"
)

// The published vector of Standard Webhooks is accepted, and no other id, time, body or secret with it.
func TestStandardSignatureVector(t *testing.T) {
	vector := func() (string, Delivery) {
		return "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Delivery{
			Header: http.Header{
				"Webhook-Id": {"msg_p5jXN8AQM9LWM0D4loKWxJek"}, "Webhook-Timestamp": {"1614265330"},
				"Webhook-Signature": {"v1,bm9wZQ== v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
			},
			Body: []byte(`{"test": 2432232314}`),
		}
	}
	if !standardSignature(vector()) {
		t.Fatal("the published vector is refused")
	}
	for name, spoil := range map[string]func(secret *string, d *Delivery){
		"id":     func(_ *string, d *Delivery) { d.Header.Set("webhook-id", "msg_other") },
		"time":   func(_ *string, d *Delivery) { d.Header.Set("webhook-timestamp", "1614265331") },
		"body":   func(_ *string, d *Delivery) { d.Body = []byte(`{"test":2432232314}`) },
		"secret": func(secret *string, _ *Delivery) { *secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx" },
	} {
		secret, delivery := vector()
		spoil(&secret, &delivery)
		if standardSignature(secret, delivery) {
			t.Errorf("with another %s it is accepted", name)
		}
	}
}

// A delivery right in everything has no error; the hex signature was computed with openssl.
func TestCheckAcceptsARightDelivery(t *testing.T) {
	inbox := &Inbox{}
	inbox.Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	body := []byte(`{"id":"01890a5d-ac96-774b-bcce-b302099a8057","event":"order.received","timestamp":"2026-01-02T03:04:05.678Z","data":{}}`)
	now := time.Unix(1614265330, 0)
	delivery := Delivery{At: now, Body: body, Header: http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"entrepot/1.0.0"}, "X-Webhook-Attempt": {"1"}, "X-Webhook-Timestamp": {"x"},
		"X-Webhook-Id": {"01890a5d-ac96-774b-bcce-b302099a8057"}, "Webhook-Id": {"01890a5d-ac96-774b-bcce-b302099a8057"},
		"X-Webhook-Event":     {"order.received"},
		"Webhook-Timestamp":   {strconv.FormatInt(now.Unix(), 10)},
		"X-Webhook-Signature": {"b2b0de8a6d9e3fc0faacb1fbe37a54c4664ae1fdf7d0567f119da3e1137718a3"},
		"Webhook-Signature":   {"v1,iZn29KtuiQEWe3zbM3Q83DPOODEv6OEusYGHWbh2BPY="},
	}}
	if faults := inbox.Check(delivery); len(faults) > 0 {
		t.Errorf("a right delivery has faults: %v", faults)
	}
	delivery.Header.Set("X-Webhook-Signature", "00")
	if faults := inbox.Check(delivery); len(faults) != 1 {
		t.Errorf("a wrong signature gives %v", faults)
	}
}
