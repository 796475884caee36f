package commerce

import (
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// Bounds of the time in which a replaced secret is used for signing together with the new one.
const (
	UsualGrace = 24 * time.Hour
	MaxGrace   = 7 * 24 * time.Hour
)

// RotateEndpoint gives an endpoint a new signing secret, the second result. During the time of grace webhook-signature
// has both signatures; X-Webhook-Signature uses the new secret at once. Errors: NotFound;
// Forbidden if the caller may not read what the endpoint's events are about.
func (s *Service) RotateEndpoint(tx *db.Tx, who accounts.Caller, endpoint id.Endpoint, grace time.Duration) (*webhooks.Endpoint, string,
	error) {
	e, err := webhooks.Lock(tx, endpoint)
	if err != nil {
		return nil, "", err
	}
	if err := mayRead(who, e.Events); err != nil {
		return nil, "", err
	}
	secret := webhooks.NewSecret()
	e.OldSecret, e.OldSecretUntil = "", 0
	if grace > 0 {
		e.OldSecret, e.OldSecretUntil = e.Secret, tx.Now().Add(grace).UnixMicro()
	}
	if e.Secret, err = s.Encrypt(tx, secret, webhooks.Place(tx.Tenant, e.ID)); err != nil {
		return nil, "", err
	}
	e.Save(tx)
	audit.Record(tx, who.Actor(), "endpoint.secret_rotated", "endpoint", string(e.ID), nil)
	return e, secret, nil
}
