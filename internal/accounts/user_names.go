package accounts

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// namedUsers is how many users UserNames reads at most.
const namedUsers = 1000

// UserNames reads the names of the account's users.
func UserNames(tx *db.Tx) (map[id.User]string, error) {
	list, _, err := Users(tx, namedUsers, 0)
	names := make(map[id.User]string, len(list))
	for _, u := range list {
		names[u.ID] = u.Name
	}
	return names, err
}
