package commerce

import (
	"errors"
	"fmt"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
)

// ClaimStore checks that the store's secrets are encrypted with this node's master key; on a new store, the first
// node's key becomes the store's. It serves all accounts.
func (s *Service) ClaimStore(tx *db.Tx) error {
	have, err := accounts.StoreKey(tx)
	switch {
	case err != nil:
		return err
	case have == "":
		accounts.ClaimStore(tx, s.Key.ID())
	case have != s.Key.ID():
		if retired, err := accounts.RetiredKey(tx); err != nil || retired == s.Key.ID() {
			return errors.Join(err, fmt.Errorf(
				"the master key %s of this node is being replaced by %s: end that with entrepot key-rotate, then start every node "+
					"with the new key", s.Key.ID(), have))
		}
		return fmt.Errorf("the store's secrets are encrypted with the master key %s, this node has %s: give every node of the store "+
			"the same ENTREPOT_MASTER_KEY, or the same master.key file", have, s.Key.ID())
	}
	retired, err := accounts.RetiredKey(tx)
	if err == nil && retired != "" {
		err = fmt.Errorf("some of the store's secrets are still encrypted with the former master key %s: run entrepot key-rotate again to "+
			"end its replacement", retired)
	}
	return err
}
