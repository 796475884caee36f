package commerce_test

import (
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// The key of a custom channel is worth nothing once the channel is deleted, also while what belongs to the channel is deleted in steps.
func TestADeletedChannelsKeyIsRevoked(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		for _, orders := range []int{0, 3} {
			s := newShop(t, store, 1)
			s.do.AtOnce = 1
			name, channel := "Corner", id.Channel("")
			valid := func() (n int64) {
				t.Helper()
				err := store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
					return tx.Row("SELECT count(*) FROM api_keys WHERE tenant_id = $1 AND channel_id = $2::UUID AND revoked_at IS NULL",
						[]any{tx.Tenant, channel}, &n)
				})
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			err := s.write(t, func(tx *db.Tx) error {
				c, _, _, err := s.do.CreateChannel(tx, s.who, commerce.ChannelDraft{Name: &name, Platform: channels.Custom})
				channel = c.ID
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for range orders {
				d := s.draft("ada@post.example", map[int]int64{0: 1})
				d.Channel = channel
				s.create(t, d)
			}
			if n := valid(); n != 1 {
				t.Fatalf("%d valid keys before", n)
			}
			err = s.write(t, func(tx *db.Tx) error {
				_, err := s.do.DeleteChannel(tx, s.who, channel, commerce.Expected{}, false, nil)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if n := valid(); n != 0 {
				t.Errorf("with %d orders: %d valid keys", orders, n)
			}
		}
	})
}
