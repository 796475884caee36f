package dashboard

import (
	"net/url"
	"strings"
	"testing"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// A replay of more than 1,000 deliveries is sent when their number is typed, as it is shown too; until all are queued, the page of the
// endpoint says how many follow.
func TestAReplayOfMany(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		page, _ := b.endpoint(t, "http://127.0.0.1:9/hooks")
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			for range 1100 {
				webhooks.Record(tx, records.NewEvent(webhooks.CustomerCreated, string(id.New[id.Customer]()), func(*apijson.Writer) {}))
			}
			return nil
		})
		replay := strings.Replace(page, "/webhooks/", "/webhooks/replay/", 1) + "?from=2020-01-01T00:00"
		has(t, b.get(replay), "1,100 deliveries", "Type 1100 to confirm")
		send := func(typed string) reply {
			return b.post(page+"/replay", url.Values{"from": {"2020-01-01T00:00"}, "event": {"customer.created"}, "typed": {typed}})
		}
		if out := send("1000"); out.status != 422 || !strings.Contains(out.words(), "Type 1100 to confirm must be 1100") ||
			strings.Contains(out.words(), "1001") || !strings.Contains(out.body, `value="1000"`) {
			t.Errorf("a wrong number: %d %s", out.status, out.words())
		}
		has(t, b.follow(send("1,100")), "1,100 deliveries are queued again", "Replay 588 deliveries follow", "Waiting 512 deliveries")
		for more := true; more; {
			s.do(s.account.Tenant, func(tx *db.Tx) (err error) {
				var which string
				if err = tx.Row("SELECT id FROM replays WHERE tenant_id = $1", []any{tx.Tenant}, &which); err == nil {
					more, err = webhooks.Resume(tx, which)
				}
				return err
			})
		}
		if out := b.get(page).words(); strings.Contains(out, "follow ") || !strings.Contains(out, "Waiting 1,100 deliveries") {
			t.Errorf("when all are queued: %s", out)
		}
	})
}
