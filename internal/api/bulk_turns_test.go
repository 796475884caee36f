package api

import (
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Of many bulk requests of an account, a few are worked on at once. The others wait without a plan and without the text of their bodies,
// and all of them are answered.
func TestBulkRequestsTakeTurns(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.fill(t)
		atOnce := int(s.pieces.Limit() / 2)
		callers := atOnce + 4
		var planning atomic.Int64
		planned, goOn := make(chan bool, 64), make(chan bool)
		hook := func(sql string, _ []any) {
			if strings.Contains(sql, "CROSS JOIN stock_levels") {
				planning.Add(1)
				planned <- true
				<-goOn
			}
		}
		s.trace.Store(&hook)
		var all sync.WaitGroup
		size := 0
		for i := range callers {
			update := newQuantities(many, i)
			for _, one := range update["updates"].([]any) {
				one.(item)["remark"] = strings.Repeat("not read ", 60)
			}
			text, err := json.Marshal(update)
			if err != nil {
				t.Fatal(err)
			}
			size += len(text)
			all.Go(func() { s.must(t, 200, "PATCH", stockPath, update) })
		}
		for range atOnce {
			<-planned
		}
		end := time.Now().Add(5 * time.Minute)
		for s.pieces.Waiting()+int(planning.Load()) < callers && time.Now().Before(end) { // the others are decoded, too
			time.Sleep(time.Millisecond)
		}
		if n, waiting := int(planning.Load()), s.pieces.Waiting(); n != atOnce || waiting != callers-atOnce {
			t.Errorf("%d pieces are planned at once and %d wait, want %d and %d", n, waiting, atOnce, callers-atOnce)
		}
		if used := s.Budget.Used(); used == 0 || used > int64(3*size) {
			t.Errorf("bodies of %d bytes hold %d bytes when they are decoded", size, used)
		}
		close(goOn)
		all.Wait()
		s.trace.Store(nil)
		if left := s.pieces.Used() + s.Budget.Used() + s.bulk.Used(); left != 0 {
			t.Errorf("%d bytes or turns are held by no request", left)
		}
		s.sound(t)
	})
}
