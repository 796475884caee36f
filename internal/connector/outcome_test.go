package connector_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"

	"github.com/google/go-cmp/cmp"
)

func TestOutcome(t *testing.T) {
	about := connector.About("t", "k")
	person := connector.Person{ID: "1", Username: "u", Email: "a@example.test"}
	for name, c := range map[string]struct{ got, want connector.Outcome }{
		"about": {about, connector.Outcome{DeliveryKey: "k", Topic: "t", Action: "ignored", Reason: "this event is not handled"}},
		"pull": {about.PullOrder("7"),
			connector.Outcome{DeliveryKey: "k", Topic: "t", Action: "pull_orders_queued", Job: "order_pull", ExternalID: "7"}},
		"push": {about.PushStock("8"),
			connector.Outcome{DeliveryKey: "k", Topic: "t", Action: "stock_propagation_queued", Job: "stock_push", ExternalID: "8"}},
		"reauthorize": {about.Reauthorize(), connector.Outcome{DeliveryKey: "k", Topic: "t", Action: "needs_reauth", State: "needs_reauth"}},
		"expire":      {about.Expire(), connector.Outcome{DeliveryKey: "k", Topic: "t", Action: "expiring", State: "expiring"}},
		"erase": {about.EraseCustomer(person),
			connector.Outcome{DeliveryKey: "k", Topic: "t", Action: "customer_erasure_queued", Erase: &person}},
		"erase nobody": {about.EraseCustomer(connector.Person{ID: "\x00"}),
			connector.Outcome{DeliveryKey: "k", Topic: "t", Action: "ignored", Reason: "it names nobody to erase"}},
		"ignore":        {about.Ignore("so"), connector.Outcome{DeliveryKey: "k", Topic: "t", Action: "ignored", Reason: "so"}},
		"last one wins": {about.PullOrder("7").Expire().Ignore("so"), about.Ignore("so")},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (- want, + got):\n%s", name, diff)
		}
	}
}

// No store may be handed what it cannot keep: PostgreSQL takes no zero byte.
func TestNoticeIsClean(t *testing.T) {
	for value, kept := range map[string]bool{
		"order.updated":          true,
		"Größe 5 €":              true,
		strings.Repeat("a", 255): true,
		strings.Repeat("a", 256): false,
		"a\x00b":                 false,
		"a\nb":                   false,
		"a\u0085b":               false,
		"a\xffb":                 false,
	} {
		want := ""
		if kept {
			want = value
		}
		if n := connector.About(value, "").PullOrder(value); n.Topic != want || n.ExternalID != want {
			t.Errorf("%q became the topic %q and the id %q", value, n.Topic, n.ExternalID)
		}
	}
}

func TestKey(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{{"a"}, {"a", ""}, {"ab"}, {"a", "b"}, {"b", "a"}, {"ab", "c"}, {"a", "bc"}, {"a", "b", "c"}, {"abc"}} {
		key := connector.Key(parts[0], parts[1:]...)
		if len(key) != 64 || seen[key] != nil || connector.Key(parts[0], parts[1:]...) != key {
			t.Errorf("Key(%q) = %s, as for %q", parts, key, seen[key])
		}
		seen[key] = parts
	}
	if key := connector.Key("", "topic", "body"); key != "" {
		t.Errorf("without an id Key = %s", key)
	}
}

func TestDecode(t *testing.T) {
	type body struct {
		ID   connector.ID `json:"id"`
		Data struct{ Name connector.ID }
	}
	for _, c := range []struct {
		text     string
		id, name connector.ID
		good     bool
	}{
		{`{}`, "", "", true},
		{" \t\r\n{}\n", "", "", true},
		{`{"id":"7","data":{"name":"n"},"other":[{}]}`, "7", "n", true},
		{`{"ID":7,"DATA":{"NAME":"n"}}`, "7", "n", true},
		{`{"id":9007199254740993}`, "9007199254740993", "", true},
		{`{"id":-5}`, "-5", "", true},
		{`{"id":null,"data":null}`, "", "", true},
		{`{"id":1.5}`, "", "", true},
		{`{"id":1e3}`, "", "", true},
		{`{"id":true}`, "", "", true},
		{`{"id":{"id":1}}`, "", "", true},
		{`{"id":["1"]}`, "", "", true},
		{`{"id":"\u00e9"}`, "é", "", true},
		{`{"data":[1,2],"id":"7"}`, "7", "", true}, // of another type, so left empty
		{`{"data":"x","id":"7"}`, "7", "", true},
		{``, "", "", false},
		{`null`, "", "", false},
		{`[{"id":7}]`, "", "", false},
		{`"{}"`, "", "", false},
		{`{"id":7`, "", "", false},
		{`{"id":7}}`, "", "", false},
		{`{"id":07}`, "", "", false},
		{`{'id':7}`, "", "", false},
		{"\ufeff{}", "", "", false},
		{strings.Repeat(`{"a":`, 20000), "", "", false},
	} {
		var got body
		err := connector.Decode([]byte(c.text), &got)
		if c.good != (err == nil) || err != nil && !apperr.Is(err, apperr.Invalid) {
			t.Errorf("Decode(%.40s) = %v", c.text, err)
		}
		if c.good && (got.ID != c.id || got.Data.Name != c.name) {
			t.Errorf("Decode(%.40s) gave %q and %q", c.text, got.ID, got.Data.Name)
		}
	}
}

func TestIDForgetsItsLastValue(t *testing.T) {
	id := connector.ID("before")
	if err := json.Unmarshal([]byte(`{}`), &id); err != nil || id != "" {
		t.Errorf("%q, %v", id, err)
	}
}

func TestFirst(t *testing.T) {
	if got := connector.First("", "b", "c"); got != "b" {
		t.Errorf("First = %q", got)
	}
	if got := connector.First(); got != "" {
		t.Errorf("First of none = %q", got)
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		given  string
		wanted []string
		want   bool
	}{
		{"a", []string{"a"}, true},
		{"a", []string{"b", "a"}, true},
		{"a", []string{"a", "b"}, true},
		{"a", []string{"b", ""}, false},
		{"", []string{""}, false}, // no secret, no signature
		{"", []string{"a"}, false},
		{"a", nil, false},
		{"A", []string{"a"}, false},
	} {
		if got := connector.Matches(c.given, c.wanted...); got != c.want {
			t.Errorf("Matches(%q, %q) = %v", c.given, c.wanted, got)
		}
	}
}

func TestHMAC(t *testing.T) {
	// RFC 4231, test case 2
	const hex = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
	if got := connector.HexHMAC("Jefe", []byte("what do ya want "), []byte("for nothing?")); got != hex {
		t.Errorf("HexHMAC = %s", got)
	}
	if got := connector.Base64HMAC("Jefe", []byte("what do ya want for nothing?")); got != "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=" {
		t.Errorf("Base64HMAC = %s", got)
	}
	if h, b := connector.HexHMAC("", []byte("x")), connector.Base64HMAC("", []byte("x")); h != "" || b != "" {
		t.Errorf("an empty secret signs: %q, %q", h, b)
	}
}

func TestOnly(t *testing.T) {
	h := http.Header{"X-One": {"1"}, "X-Two": {"1", "2"}}
	for name, want := range map[string]string{"x-one": "1", "X-Two": "", "X-None": ""} {
		if got := connector.Only(h, name); got != want {
			t.Errorf("Only(%s) = %q", name, got)
		}
	}
}
