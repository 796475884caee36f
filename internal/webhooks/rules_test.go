package webhooks_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"entrepot/internal/webhooks"
)

func TestStandardSchedule(t *testing.T) {
	var total time.Duration
	attempts := int64(0)
	for {
		attempts++
		wait, again := webhooks.Standard.Next(attempts, false)
		if !again {
			break
		}
		total += wait
	}
	if attempts != 6 || total != 26*time.Hour+36*time.Minute || total != webhooks.Standard.Span() {
		t.Errorf("%d attempts over %s", attempts, total)
	}
	for _, n := range []int64{1, 3, 6, 7, 40} {
		if _, again := webhooks.Standard.Next(n, true); again {
			t.Errorf("attempt %d, requested by hand, is followed by another", n)
		}
	}
	if _, again := (webhooks.Schedule{}).Next(1, false); again {
		t.Error("an empty schedule gives a second attempt")
	}
}

// The vector is the one that receivers are tested with.
func TestSignatures(t *testing.T) {
	var vector struct {
		Secret, Body string
		Headers      map[string]string
	}
	file, err := os.ReadFile("../../examples/webhook-vector.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file, &vector); err != nil {
		t.Fatal(err)
	}
	secret, err := webhooks.ParseSecret(vector.Secret)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := secret.Sign([]byte(vector.Body)), vector.Headers["x-webhook-signature"]; got != want {
		t.Errorf("X-Webhook-Signature %s, want %s", got, want)
	}
	got := secret.SignStandard(vector.Headers["webhook-id"], vector.Headers["webhook-timestamp"], []byte(vector.Body))
	if want := vector.Headers["webhook-signature"]; got != want {
		t.Errorf("webhook-signature %s, want %s", got, want)
	}
}

func TestSecrets(t *testing.T) {
	a, b := webhooks.NewSecret(), webhooks.NewSecret()
	if a == b || !strings.HasPrefix(a, "whsec_") || len(a) != len("whsec_")+44 {
		t.Errorf("secrets %s %s", a, b)
	}
	for _, bad := range []string{"", "whsec_!", "abc", strings.TrimPrefix(a, "whsec_")} {
		if _, err := webhooks.ParseSecret(bad); err == nil {
			t.Errorf("%q is taken for a secret", bad)
		}
	}
}

func TestWants(t *testing.T) {
	all, some := webhooks.Endpoint{Events: []string{"*"}}, webhooks.Endpoint{Events: []string{"order.received", "stock.low"}}
	if !all.Wants("anything.new") || !some.Wants("stock.low") || some.Wants("stock.updated") || some.Wants("*") {
		t.Error("wrong choice of events")
	}
}

func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range webhooks.Kinds() {
		if seen[k.Event] || k.Name == "" || k.Description == "" || !strings.HasPrefix(k.Event, k.Category+".") || k.Since == "" {
			t.Errorf("%+v", k)
		}
		seen[k.Event] = true
	}
	if len(seen) != 22 || len(webhooks.EventNames) != 22 {
		t.Errorf("%d events", len(seen))
	}
}
