package worker

import (
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/webhooks"
)

// Rows past their retention are deleted; deliveries that wait for a paused endpoint stay, with their events.
func TestMaintenance(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		e, _ := s.endpoint(rc.URL + "/hook")
		gone, _ := s.endpoint(rc.URL + "/gone")
		running := s.start() // its own tasks find nothing past its time
		w := &Worker{Config: running.Config, stopping: running.stopping}
		w.Keep = time.Millisecond
		const n = maintainStep + 20
		s.emit(n, each)
		dbtest.Until(t, "delivered", func() bool { return s.counts0(e).Delivered == n && s.counts0(gone).Delivered == n })
		s.write(func(tx *db.Tx) error {
			e.Status = webhooks.Paused
			e.Save(tx)
			gone.Delete(tx)
			return nil
		})
		s.emit(3, each)
		dbtest.Until(t, "three wait", func() bool { return s.counts0(e).Pending == 3 })
		var newest int64 // of the stamps that are to go: they may run ahead of the clock
		s.read(func(tx *db.Tx) (err error) {
			newest, err = webhooks.Newest(tx)
			return err
		})
		s.write(func(tx *db.Tx) error {
			tx.Queue("UPDATE endpoints SET deleted_at = deleted_at - $2::BIGINT WHERE tenant_id = $1 AND deleted_at IS NOT NULL",
				tx.Tenant, 2*time.Minute.Microseconds())
			return nil
		})
		dbtest.Until(t, "all that is settled is past its time", func() bool { return store.Now().UnixMicro() > newest+w.Keep.Microseconds() })
		if err := w.deleteAllExpired(); err != nil {
			t.Fatal(err)
		}
		if c := s.counts(e); c != (webhooks.Counts{Pending: 3}) {
			t.Errorf("%+v", c)
		}
		want := map[string]int{"events": 3, "attempts": 0, "deliveries": 3, "endpoints": 1}
		for table, rows := range want {
			var got int
			s.read(func(tx *db.Tx) error {
				return tx.Row("SELECT count(*) FROM "+table+" WHERE tenant_id = $1", []any{tx.Tenant}, &got)
			})
			if got != rows {
				t.Errorf("%d rows in %s, want %d", got, table, rows)
			}
		}
		s.write(func(tx *db.Tx) error {
			e.Status = webhooks.Active
			e.Save(tx)
			return nil
		})
		dbtest.Until(t, "the three go out", func() bool { return s.counts0(e).Delivered == 3 })
		if err := w.deleteAllExpired(); err != nil {
			t.Fatal(err)
		}
		dbtest.Until(t, "all is maintained", func() bool { w.deleteAllExpired(); return s.counts(e) == webhooks.Counts{} })
	})
}

// A replay of events past their retention keeps the events until they are delivered.
func TestReplayKeepsItsEvents(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		e, _ := s.endpoint(rc.URL + "/hook")
		running := s.start()
		w := &Worker{Config: running.Config, stopping: running.stopping}
		w.Keep = time.Millisecond
		const n = 600 // more than one part of a replay
		s.emit(n, each)
		dbtest.Until(t, "delivered", func() bool { return s.counts0(e).Delivered == n })
		s.write(func(tx *db.Tx) error {
			e.Status = webhooks.Paused
			e.Save(tx)
			return nil
		})
		s.write(func(tx *db.Tx) error {
			r, err := webhooks.NewReplay(tx, webhooks.Replay{Endpoint: e.ID, From: 0, To: store.Now().UnixMicro()})
			if err != nil {
				return err
			}
			if _, _, err = r.Run(tx); err == nil {
				r.Keep(tx)
			}
			return err
		})
		for range 3 { // while the replay is under way, and afterwards
			if err := w.deleteAllExpired(); err != nil {
				t.Fatal(err)
			}
			dbtest.Until(t, "all wait", func() bool { return s.counts0(e).Pending == n })
		}
		s.write(func(tx *db.Tx) error {
			e.Status = webhooks.Active
			e.Save(tx)
			return nil
		})
		dbtest.Until(t, "all are settled", func() bool { return s.counts0(e).Pending == 0 })
		if c := s.counts(e); c.Failed > 0 {
			t.Errorf("%+v", c)
		}
		dbtest.Until(t, "nothing is kept any more", func() bool {
			if err := w.deleteAllExpired(); err != nil {
				t.Fatal(err)
			}
			var left int
			s.read(func(tx *db.Tx) error {
				return tx.Row("SELECT count(*) FROM events WHERE tenant_id = $1", []any{tx.Tenant}, &left)
			})
			return left == 0
		})
	})
}

// A delivery whose event was deleted fails with a reason instead of waiting for ever.
func TestDeliveryWithoutItsEvent(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		e, _ := s.endpoint(rc.URL+"/hook", func(e *webhooks.Endpoint) { e.Status = webhooks.Paused })
		s.start()
		s.emit(1, each)
		dbtest.Until(t, "it waits", func() bool { return s.counts0(e).Pending == 1 })
		s.write(func(tx *db.Tx) error {
			tx.Queue("DELETE FROM events WHERE tenant_id = $1", tx.Tenant)
			e.Status = webhooks.Active
			e.Save(tx)
			return nil
		})
		dbtest.Until(t, "it has failed", func() bool { return s.counts0(e).Failed == 1 })
		if _, tries := s.deliveries(e); len(rc.on("/hook")) != 0 || tries[0][0].Error != errPast.Error() {
			t.Errorf("%+v", tries)
		}
	})
}
