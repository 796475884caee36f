package fakeshop

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"time"
)

// outcome is a notification that waits to be sent.
type outcome struct {
	topic string
	body  []byte
	tries int
}

// mostTries is how often a notification is sent until it is answered 200: the platform counts nothing else as success.
const mostTries = 3

// kinds are the numbers of topics.
var kinds = map[string]int{"ORDER_STATUS_CHANGE": 1, "PRODUCT_STATUS_CHANGE": 5, "CANCELLATION_STATUS_CHANGE": 11,
	"RETURN_STATUS_CHANGE": 12}

// notify queues a notification; every n-th is lost when Faults.Drop says so.
func (s *Shop) notify(topic string, data object) {
	s.notified++
	if drop := s.Faults.Drop; drop > 0 && s.notified%drop == 0 {
		return
	}
	body, err := json.Marshal(object{"type": kinds[topic], "tts_notification_id": s.id(), "shop_id": ShopID, "timestamp": s.Now().Unix(),
		"data": data})
	if err != nil {
		return
	}
	s.queue = append(s.queue, outcome{topic: topic, body: body})
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Deliver sends the shop's notifications to the registered addresses, until the context ends. One that is not answered
// 200 is sent again; with Faults.Reorder the newest is sent first.
func (s *Shop) Deliver(ctx context.Context) {
	client := &http.Client{Timeout: 3 * time.Second}
	for ctx.Err() == nil {
		var next outcome
		var address string
		s.change(func() {
			if len(s.queue) == 0 {
				return
			}
			at := 0
			if s.Faults.Reorder {
				at = len(s.queue) - 1
			}
			next = s.queue[at]
			s.queue = slices.Delete(s.queue, at, at+1)
			address = s.hooks[next.topic]
		})
		switch {
		case next.body == nil:
			select {
			case <-ctx.Done():
			case <-s.wake:
			}
		case address != "" && !send(ctx, client, address, next.body):
			if next.tries++; next.tries < mostTries {
				s.change(func() { s.queue = append(s.queue, next) })
			}
		}
	}
}

// send reports whether a notification was answered 200.
func send(ctx context.Context, client *http.Client, address string, body []byte) bool {
	mac := hmac.New(sha256.New, []byte(AppSecret))
	_, _ = io.WriteString(mac, AppKey)
	_, _ = mac.Write(body)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return true
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", hex.EncodeToString(mac.Sum(nil)))
	answer, err := client.Do(r)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}
