package webhooks

import (
	"entrepot/internal/db"
)

// The statements of this file serve every tenant: a node holds queues of all accounts. A node's row is locked before
// queues.

// Beat records that a node is alive, and reports whether the other nodes still consider it so. A node that they have
// declared dead holds no queues any more, and must continue under another name.
func Beat(tx *db.Tx, node string) (alive bool, err error) {
	n, err := tx.Exec("UPDATE nodes SET beat = beat + 1 WHERE id = $1", node)
	return n > 0, err
}

// Beats reads the beats of the other nodes that hold queues.
func Beats(tx *db.Tx, node string) (map[string]int64, error) {
	beats := map[string]int64{}
	return beats, tx.Each(func(r db.Rows) error {
		var other string
		var beat int64
		err := r.Scan(&other, &beat)
		beats[other] = beat
		return err
	}, "SELECT id, beat FROM nodes WHERE id <> $1", node)
}

// EndNode releases the queues of a node whose beat has not changed from the one seen, and deletes the node's row. It
// reports whether the beat was unchanged.
func EndNode(tx *db.Tx, node string, beat int64) (ended bool, err error) {
	n, err := tx.Exec("DELETE FROM nodes WHERE id = $1 AND beat = $2", node, beat)
	if err != nil || n == 0 {
		return false, err
	}
	return true, free(tx, node)
}

// LeaveNode releases the queues that a node still holds, and deletes its row.
func LeaveNode(tx *db.Tx, node string) error {
	if _, err := tx.Exec("DELETE FROM nodes WHERE id = $1", node); err != nil {
		return err
	}
	return free(tx, node)
}

func free(tx *db.Tx, node string) error {
	err := tx.Each(func(r db.Rows) error { return r.Scan(new(int64)) },
		"SELECT pending FROM queues WHERE holder = $1 AND holder <> '' ORDER BY tenant_id, endpoint_id FOR UPDATE", node)
	if err != nil {
		return err
	}
	tx.Queue("UPDATE queues SET holder = '' WHERE holder = $1 AND holder <> ''", node)
	tx.Wake(Due)
	return nil
}

// Abandon releases every queue, and returns how many were held. It is for a start after a crash, when no other node
// can serve the store.
func Abandon(tx *db.Tx) (int64, error) {
	tx.Queue("DELETE FROM nodes")
	return tx.Exec("UPDATE queues SET holder = '' WHERE holder <> ''")
}

// Held returns the queues that a node holds.
func Held(tx *db.Tx, node string) ([]Queue, error) {
	return db.List(tx, scanQueue, "SELECT tenant_id, endpoint_id FROM queues WHERE holder = $1 AND holder <> ''", node)
}
