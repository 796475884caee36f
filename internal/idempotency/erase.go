package idempotency

import "entrepot/internal/db"

// Kept is a stored answer with its key.
type Kept struct {
	Key, Space string
	Body       string
}

// About reads the stored answers about some resources.
func About(tx *db.Tx, resources []string) (list []Kept, err error) {
	return list, db.Chunks(resources, func(piece []string) error {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		found, err := db.List(tx, func(r db.Rows) (k Kept, err error) { return k, r.Scan(&k.Key, &k.Space, &k.Body) },
			"SELECT key, space, answer FROM idempotency_keys WHERE tenant_id = $1 AND resource_id IN "+db.In(len(args)-1, 2), args...)
		list = append(list, found...)
		return err
	})
}

// Under reads the stored answers that match accepts, of requests whose method and path begin as given (no % and _ in it).
func Under(tx *db.Tx, beginning string, match func(body string) bool) (list []Kept, err error) {
	return list, tx.Each(func(r db.Rows) error {
		var k Kept
		err := r.Scan(&k.Key, &k.Space, &k.Body)
		if err == nil && match(k.Body) {
			list = append(list, k)
		}
		return err
	}, "SELECT key, space, answer FROM idempotency_keys WHERE tenant_id = $1 AND space LIKE $2", tx.Tenant, beginning+"%")
}

// Rewrite replaces the body of a stored answer, which later replays then return.
func (k Kept) Rewrite(tx db.Writer, body string) {
	tx.Queue("UPDATE idempotency_keys SET answer = $4 WHERE tenant_id = $1 AND key = $2 AND space = $3", tx.TenantID(), k.Key, k.Space, body)
}
