package api

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"entrepot/internal/limits"
)

// An account has so many endpoints and no more, also when the last ones are made at once; one that is removed leaves its place.
func TestEndpointsAreBounded(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		body := func(i int) map[string]any {
			return map[string]any{"url": fmt.Sprint("https://8.8.8.8/", i), "events": []string{"*"}}
		}
		var last string
		for i := range limits.MaxEndpoints - 2 {
			last = text(s.must(t, 201, "POST", "/api/v1/developer/webhooks", body(i)), "data", "id")
		}
		var made, refused atomic.Int64
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				switch status, answer := s.call(t, "POST", "/api/v1/developer/webhooks", body(1000+i)); {
				case status == 201:
					made.Add(1)
				case status == 409 && text(answer, "code") == "too_many_endpoints":
					refused.Add(1)
				default:
					t.Errorf("%d %v", status, answer)
				}
			})
		}
		all.Wait()
		if made.Load() != 2 || refused.Load() != 4 {
			t.Errorf("%d made, %d refused", made.Load(), refused.Load())
		}
		s.must(t, 200, "DELETE", "/api/v1/developer/webhooks/"+last, nil)
		s.must(t, 201, "POST", "/api/v1/developer/webhooks", body(2000))
		s.must(t, 409, "POST", "/api/v1/developer/webhooks", body(2001))
	})
}
