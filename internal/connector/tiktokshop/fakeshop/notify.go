package fakeshop

import (
	"context"
	"encoding/hex"
	"net/http"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// mostTries is how often a notification is sent until it is answered 200.
const mostTries = 3

// kinds are the numbers of topics.
var kinds = map[string]int{"ORDER_STATUS_CHANGE": 1, "PRODUCT_STATUS_CHANGE": 5, "CANCELLATION_STATUS_CHANGE": 11,
	"RETURN_STATUS_CHANGE": 12}

// notify queues a notification.
func (s *Shop) notify(topic string, data object) {
	s.Notices.Add(topic, object{"type": kinds[topic], "tts_notification_id": s.id(), "shop_id": ShopID, "timestamp": s.Now().Unix(),
		"data": data})
}

// Deliver sends the shop's notifications to the registered addresses, until the context ends.
func (s *Shop) Deliver(ctx context.Context) {
	s.Notices.Deliver(ctx, func(topic string) (address string) {
		s.change(func() { address = s.hooks[topic] })
		return address
	}, func(l fakeshop.Letter, header http.Header) {
		header.Set("Authorization", hex.EncodeToString(fakeshop.MAC(AppSecret, []byte(AppKey), l.Body)))
	})
}
