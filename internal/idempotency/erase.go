package idempotency

import (
	"fmt"
	"maps"
	"slices"

	"entrepot/internal/db"
)

// Ref names a stored answer.
type Ref struct{ Key, Space string }

// StoredAnswer is a stored answer with its key.
type StoredAnswer struct {
	Ref
	Body string
}

// Search finds the stored answers about the resources that about accepts, and those that match accepts, of requests
// whose method and path begin as given (no % and _ in it). since is the time since which they were saved, 0 for all:
// then it reads every answer of the account.
func Search(tx *db.Tx, since int64, about func(resource string) bool, beginning string, match func(body string) bool) (
	list []Ref, err error) {
	args := []any{tx.Tenant, beginning + "%"}
	where := "tenant_id = $1"
	if since != 0 {
		args = append(args, since+Retention.Microseconds())
		where = savedSince(3)
	}
	return list, tx.Each(func(r db.Rows) error {
		var ref Ref
		var resource, body string
		err := r.Scan(&ref.Key, &ref.Space, &resource, &body)
		if err == nil && (about(resource) || body != "" && match(body)) {
			list = append(list, ref)
		}
		return err
	}, "SELECT key, space, resource_id, CASE WHEN space LIKE $2 THEN answer ELSE '' END FROM idempotency_keys WHERE "+where, args...)
}

// About finds the stored answers about some resources, by resource. since is as for Search.
func About(tx *db.Tx, since int64, resources func(resource string) bool) (map[string][]Ref, error) {
	found := map[string][]Ref{}
	where, args := "tenant_id = $1", []any{tx.Tenant}
	if since != 0 {
		where, args = savedSince(2), append(args, since+Retention.Microseconds())
	}
	return found, tx.Each(func(r db.Rows) error {
		var ref Ref
		var resource string
		err := r.Scan(&ref.Key, &ref.Space, &resource)
		if resources(resource) {
			found[resource] = append(found[resource], ref)
		}
		return err
	}, "SELECT key, space, resource_id FROM idempotency_keys WHERE "+where, args...)
}

// savedSince is the condition for answers whose expiry is at least an argument.
func savedSince(argument int) string {
	// + makes the planner use the index of expires_at
	return fmt.Sprintf("+tenant_id = $1 AND expires_at >= $%d", argument)
}

// Load reads stored answers; those that are gone are left out.
func Load(tx *db.Tx, refs []Ref) (list []StoredAnswer, err error) {
	wanted := make(map[Ref]bool, len(refs))
	keys := make([]string, len(refs))
	for i, ref := range refs {
		wanted[ref], keys[i] = true, ref.Key
	}
	return list, db.Chunks(keys, func(piece []string) error {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		return tx.Each(func(r db.Rows) error {
			var k StoredAnswer
			err := r.Scan(&k.Key, &k.Space, &k.Body)
			if wanted[k.Ref] {
				list = append(list, k)
				delete(wanted, k.Ref)
			}
			return err
		}, "SELECT key, space, answer FROM idempotency_keys WHERE tenant_id = $1 AND key IN "+db.In(len(args)-1, 2), args...)
	})
}

// Rewrite replaces the bodies of stored answers by those given, which later replays then return.
func Rewrite(tx db.Writer, list []StoredAnswer) {
	db.Chunks(list, func(piece []StoredAnswer) error {
		args := append(make([]any, 0, 1+4*len(piece)), tx.TenantID())
		for _, k := range piece {
			args = append(args, k.Key, k.Space, k.Body, db.Checksum(k.Body))
		}
		tx.Queue(rewriteText.For(len(piece), func(n int) string {
			return "WITH v(key, space, answer, checksum) AS (VALUES " + db.Values(n, 4, 2, "::TEXT", "::TEXT", "::TEXT", "::BIGINT") + `)
				UPDATE idempotency_keys SET answer = v.answer, checksum = v.checksum FROM v
				WHERE idempotency_keys.tenant_id = $1 AND idempotency_keys.key = v.key AND idempotency_keys.space = v.space`
		}), args...)
		return nil
	})
}

var rewriteText db.Text

// Delete queues the deletion of stored answers.
func Delete(tx db.Writer, refs []Ref) {
	bySpace := map[string][]string{}
	for _, ref := range refs {
		bySpace[ref.Space] = append(bySpace[ref.Space], ref.Key)
	}
	for _, space := range slices.Sorted(maps.Keys(bySpace)) {
		db.Chunks(bySpace[space], func(piece []string) error {
			args := append([]any{tx.TenantID(), space}, db.Padded(piece)...)
			tx.Queue("DELETE FROM idempotency_keys WHERE tenant_id = $1 AND space = $2 AND key IN "+db.In(len(args)-2, 3), args...)
			return nil
		})
	}
}
