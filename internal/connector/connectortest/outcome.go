package connectortest

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"entrepot/internal/connector"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// same compares outcomes without their delivery keys, and checks that the first is valid.
func same(t *testing.T, got, want connector.Outcome) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(connector.Outcome{}, "DeliveryKey")); diff != "" {
		t.Errorf("outcome (- want, + got):\n%s", diff)
	}
	sound(t, got)
}

// sound checks what holds for every outcome: one effect, the one that its action names, and strings that any store
// can hold.
func sound(t testing.TB, n connector.Outcome) {
	t.Helper()
	effects := map[connector.Action]bool{
		connector.OrderPullQueued:       n.Job == connector.OrderPull,
		connector.StockPushQueued:       n.Job == connector.StockPush,
		connector.BecameNeedsReauth:     n.State == connector.NeedsReauth,
		connector.BecameExpiring:        n.State == connector.Expiring,
		connector.CustomerErasureQueued: n.Erase != nil && *n.Erase != connector.Person{},
		connector.Ignored:               n.Reason != "",
	}
	count := 0
	for _, has := range effects {
		if has {
			count++
		}
	}
	if !effects[n.Action] || count != 1 || (n.ExternalID != "" && n.Job == "") {
		t.Errorf("the outcome has not the one effect its action names: %+v", n)
	}
	if len(n.DeliveryKey) != 0 && len(n.DeliveryKey) != 64 {
		t.Errorf("the delivery key %q is not 64 digits", n.DeliveryKey)
	}
	text := []string{n.DeliveryKey, n.Topic, string(n.Action), n.ExternalID, n.Reason}
	if n.Erase != nil {
		text = append(text, n.Erase.ID, n.Erase.Username, n.Erase.Email)
	}
	for _, s := range text {
		if len(s) > 255 || !utf8.ValidString(s) {
			t.Errorf("%q is too long or not UTF-8", s)
		}
		for _, r := range s {
			if unicode.IsControl(r) {
				t.Errorf("%q has a control character", s)
			}
		}
	}
}
