package commerce

import (
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// DeliveryView is a delivery with everything that can be shown of it.
type DeliveryView struct {
	*webhooks.Delivery
	Endpoint *webhooks.Endpoint
	Tries    []webhooks.Attempt
	Happened int64  // the event's timestamp, 0 after its retention
	Readable bool   // the caller may read what the event is about
	Payload  string // the envelope that an attempt would send now; "" if it is not readable, or after its retention

	secret *webhooks.Secret
}

// ReadDelivery reads a delivery (interface §2.7.10). Errors: NotFound.
func (s *Service) ReadDelivery(tx *db.Tx, who accounts.Caller, delivery id.Delivery) (v DeliveryView, err error) {
	if v.Delivery, err = webhooks.DeliveryByID(tx, delivery); err != nil {
		return v, err
	}
	if v.Endpoint, err = webhooks.ByID(tx, v.Delivery.Endpoint); err != nil {
		return v, err
	}
	if v.Tries, err = v.Delivery.Tries(tx); err != nil {
		return v, err
	}
	v.Readable = who.May(webhooks.ReadScope(v.Name))
	event, err := webhooks.EventAt(tx, v.EventStamp)
	if apperr.Is(err, apperr.NotFound) {
		return v, nil
	}
	if v.Happened = event.CreatedAt; err != nil || !v.Readable {
		return v, err
	}
	v.Payload = event.Payload
	if text, err := s.Key.Decrypt(v.Endpoint.Secret, webhooks.Place(tx.Tenant, v.Endpoint.ID)); err == nil {
		if secret, err := webhooks.ParseSecret(text); err == nil {
			v.secret = &secret
		}
	}
	return v, nil
}

// Headers are the headers of one of the delivery's attempts, for people to read: signatures are of the present
// payload, made with the present secret, and cut. They are nil if the payload is not readable. version is the
// service's.
func (v *DeliveryView) Headers(attempt webhooks.Attempt, version string) []webhooks.Header {
	if v.Payload == "" {
		return nil
	}
	sent := webhooks.Sent{Event: v.Event, Name: v.Name, At: time.UnixMicro(attempt.At), Number: attempt.Number, Version: version}
	if v.secret == nil {
		return sent.Headers()
	}
	return sent.Shown(*v.secret, v.Payload)
}
