package api

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entrepot/internal/base/overload"
	"entrepot/internal/db/dbtest"
)

// noise is text that no compression makes much smaller.
func noise(n int) string {
	raw := make([]byte, n/2)
	rand.Read(raw)
	return hex.EncodeToString(raw)
}

// lend gives the server another budget of memory, and a folder for large answers. An eighth of the budget is taken already.
func (s *server) lend(memory int64, folder string) (other overload.Share) {
	s.t.Helper()
	config := s.Config
	config.Budget, config.Folder = overload.NewBudget(memory), folder
	s.API = New(config)
	other = config.Budget.Share(0)
	other.Account = int64(s.tenant)
	if err := other.Grow(s.t.Context(), memory/8); err != nil {
		s.t.Fatal(err)
	}
	return other
}

// elements reads a list and returns its elements as they were written.
func (s *server) elements(t *testing.T, path string) (list []json.RawMessage, tag string) {
	t.Helper()
	page := s.do(call{method: "GET", path: path})
	var body struct{ Data []json.RawMessage }
	if err := json.Unmarshal(page.body, &body); err != nil || page.status != http.StatusOK {
		t.Fatalf("%s: %d, %d bytes, %v", path, page.status, len(page.body), err)
	}
	return body.Data, page.header.Get("ETag")
}

// Lists whose pages are larger than the budget of memory are answered in full, each element as on a page of its own,
// and leave no file behind; without a folder they are answered as far as memory suffices.
func TestPagesLargerThanTheBudget(t *testing.T) {
	dbtest.Long(t, "it writes and reads pages of many megabytes")
	engines(t, func(t *testing.T, s *server) {
		for n := range 12 {
			var variants []item
			for v := range 10 {
				variants = append(variants, item{"sku": fmt.Sprintf("L-%d-%d", n, v), "attributes": item{"text": noise(60_000)}})
			}
			s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true",
				importBody(nil, item{"sku": fmt.Sprintf("L-%d", n), "name": "L", "price": 1, "variants": variants}))
			var lines []item
			for range 12 {
				lines = append(lines, item{"sku": fmt.Sprintf("L-%d", n), "quantity": 1, "unitPrice": 1, "metadata": item{"text": noise(60_000)}})
			}
			s.must(t, 201, "POST", "/api/v1/orders", item{"customerName": "L", "items": lines})
		}
		for n := range 100 {
			s.must(t, 201, "POST", "/api/v1/customers", item{"email": fmt.Sprintf("l%d@test.example", n), "metadata": item{"text": noise(60_000)}})
		}
		folder := t.TempDir()
		for name, lent := range map[string]struct {
			memory int64
			folder string
		}{
			"on disk":   {4 << 20, folder},
			"in memory": {256 << 20, filepath.Join(folder, "nowhere")},
		} {
			other := s.lend(lent.memory, lent.folder)
			for _, path := range []string{"/api/v1/products?perPage=100", "/api/v1/orders?limit=100", "/api/v1/customers?limit=100"} {
				whole, tag := s.elements(t, path)
				if size := len(bytes.Join(asBytes(whole), nil)); size < largeFrom {
					t.Fatalf("%s, %s has %d bytes only", name, path, size)
				}
				for i, want := range whole {
					one, _ := s.elements(t, fmt.Sprintf("%s&limit=1&perPage=1&page=%d", path[:bytes.IndexByte([]byte(path), '?')+1], i+1))
					if len(one) != 1 || !bytes.Equal(one[0], want) {
						t.Fatalf("%s, %s: element %d differs from the page that has it alone", name, path, i)
					}
				}
				again := s.do(call{method: "GET", path: path, header: map[string]string{"If-None-Match": tag}})
				if again.status != http.StatusNotModified {
					t.Errorf("%s, %s with its ETag: %d", name, path, again.status)
				}
			}
			other.Release()
			if held := s.Budget.Used() + s.large.disk.Used() + s.large.places.Used(); held != 0 {
				t.Errorf("%s: %d bytes and places are held by nobody", name, held)
			}
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("files are left: %v %v", left, err)
		}
		other := s.lend(4<<20, filepath.Join(folder, "nowhere"))
		defer other.Release()
		refused := s.do(call{method: "GET", path: "/api/v1/customers?limit=100"})
		if refused.status != http.StatusServiceUnavailable || refused.header.Get("Retry-After") == "" {
			t.Errorf("beyond the memory, without a folder: %d", refused.status)
		}
	})
}

func asBytes(list []json.RawMessage) (texts [][]byte) {
	for _, one := range list {
		texts = append(texts, one)
	}
	return texts
}

// Answers share buffers, one after the other: each caller gets the answer to their own request, unmixed.
func TestAnswersShareBuffers(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		other := s.stranger()
		var of [2][]byte
		for n, who := range []*server{s, other} {
			var products []any
			for i := range 60 {
				products = append(products, item{"sku": fmt.Sprintf("%d-%02d", n, i), "name": strings.Repeat(fmt.Sprint(n), 200), "price": n + 1})
			}
			who.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", importBody(nil, products...))
			of[n] = who.do(call{method: "GET", path: "/api/v1/products?limit=60"}).body
		}
		for round := range 10 {
			for i, got := range s.atOnce(16, func(i int) call {
				key := []string{s.key, other.key}[i%2]
				return call{method: "GET", path: "/api/v1/products?limit=60", header: map[string]string{"X-API-Key": key}}
			}) {
				if want := of[i%2]; got.status != 200 || !bytes.Equal(got.body, want) {
					t.Fatalf("round %d, caller %d: status %d, %d bytes, want %d; other's answer: %t", round, i, got.status, len(got.body), len(want),
						bytes.Equal(got.body, of[1-i%2]))
				}
			}
		}
	})
}
