package api

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/base/overload"
)

// Large bulk bodies that come at the same time wait for each other: none is refused because each of them has taken a part of the room.
func TestBulkBodiesWaitForRoom(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		config := s.Config
		config.Budget = overload.NewBudget(4 << 20)
		s.API = New(config)
		node := httptest.NewServer(s.API)
		defer node.Close()
		var products strings.Builder
		for i := range 40 {
			fmt.Fprintf(&products, `,{"sku":"W-%d","name":"W","price":1,"description":"%s"}`, i, strings.Repeat("x", 9_900))
		}
		body := `{"products":[` + products.String()[1:] + `]}`
		const callers = 8
		var half, all sync.WaitGroup
		half.Add(callers)
		for i := range callers {
			all.Go(func() {
				from, to := io.Pipe()
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, node.URL+"/api/v1/sdk/products/bulk-import?wait=true", from)
				if err != nil {
					t.Error(err)
				}
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("X-API-Key", s.key)
				if r.ContentLength = int64(len(body)); i%4 == 0 {
					r.ContentLength = -1 // sent in chunks
				}
				go func() {
					_, _ = io.WriteString(to, body[:len(body)/4])
					half.Done()
					half.Wait()
					_, _ = io.WriteString(to, body[len(body)/4:])
					to.Close()
				}()
				got, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				defer got.Body.Close()
				if said, _ := io.ReadAll(got.Body); got.StatusCode != http.StatusOK {
					t.Errorf("%d %s", got.StatusCode, said)
				}
			})
		}
		all.Wait()
		if held := s.API.bulk.Used() + s.API.Budget.Used(); held != 0 {
			t.Errorf("%d bytes are held by nobody", held)
		}
	})
}
