package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/db"
)

// Encrypt encrypts a secret and binds it to its record and member. Errors: Unavailable on a node whose master key was
// replaced since it started: its secrets could not be decrypted any more.
func (s *Service) Encrypt(tx *db.Tx, text string, place secretbox.Place) (string, error) {
	have, err := accounts.HoldStoreKey(tx)
	if err != nil {
		return "", err
	}
	if have != "" && have != s.Key.ID() {
		return "", apperr.New(apperr.Unavailable, "unavailable",
			"the store's master key was replaced: this node must be started again with the new one").With("retryAfter", 60)
	}
	return s.Key.Encrypt(text, place), nil
}
