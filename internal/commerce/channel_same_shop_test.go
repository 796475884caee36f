package commerce_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// twin is a second channel of the shop that the fixture's channel has; both were tested and are of one seller.
func (s *synced) twin() channels.Channel {
	s.t.Helper()
	other := s.channel
	other.ID, other.Name = id.New[id.Channel](), "Twin"
	s.must(s.write(s.t, func(tx *db.Tx) error {
		other.Insert(tx)
		channelsync.Begin(tx, other.ID, tx.Now())
		return nil
	}))
	s.must(s.write(s.t, func(tx *db.Tx) error {
		_, err := tx.Exec("UPDATE channel_syncs SET shop = $2 WHERE tenant_id = $1", tx.Tenant, `{"Account":"seller"}`)
		return err
	}))
	return other
}

// Two channels of one shop both pull its orders: each order is stored once, and followed by the channel that has it.
func TestTwoChannelsOfOneShop(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.twin()
		s.place("a", "b")
		*s.clock = s.clock.Add(time.Hour)
		s.work()
		if n := s.count(ordersHere); n != 2 {
			t.Errorf("%d orders", n)
		}
		for i := range s.platform.orders {
			s.platform.orders[i].Status, s.platform.orders[i].Theirs, s.platform.orders[i].UpdatedAt = orders.Shipped, "shipped", *s.clock
		}
		*s.clock = s.clock.Add(time.Hour)
		s.work()
		if n := s.count(ordersHere + " AND status = 'SHIPPED'"); n != 2 {
			t.Errorf("%d orders are shipped", n)
		}
		s.platform.account = "seller"
		out, err := s.do.CheckChannel(t.Context(), s.store, s.channel, "")
		s.must(err)
		if !out.Success || !strings.Contains(out.Message, "the channel Twin has the same shop") {
			t.Errorf("the test says %q", out.Message)
		}
	})
}

// Channels of one shop that store the same order at one moment, on different nodes, store it once.
func TestTwoChannelsOfOneShopAtOneMoment(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		other := s.twin()
		for i := range 20 {
			in := connector.Order{ExternalID: fmt.Sprint("race ", i), Number: "1", Status: orders.Processing, Theirs: "paid", Currency: "EUR",
				Name: "Ada", Total: 10000, CreatedAt: *s.clock, UpdatedAt: *s.clock,
				Lines: []connector.OrderLine{{ExternalID: "1", SKU: "SKU-0", Name: "Mug", Quantity: 1, Amount: 10000}}}
			var both sync.WaitGroup
			for _, c := range [][2]channels.Channel{{s.channel, other}, {other, s.channel}} {
				both.Go(func() {
					if _, err := s.do.ReceiveOrder(t.Context(), s.store, c[0], in, nil, c[1].ID); err != nil {
						t.Error(err)
					}
				})
			}
			both.Wait()
		}
		if n := s.count(ordersHere); n != 20 {
			t.Errorf("%d orders", n)
		}
	})
}
