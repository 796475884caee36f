package api

import (
	"fmt"
	"testing"
)

// item is one product of an import.
type item = map[string]any

func importBody(options item, products ...any) item {
	body := item{"products": products}
	if options != nil {
		body["options"] = options
	}
	return body
}

// Both answers of an import count the same items, and what was accepted is there before the answer.
func TestImportAnswers(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		good := item{"sku": "A-1", "name": "Mug", "price": 9.9}
		bad := item{"sku": "A-2", "name": "No price"}
		accepted := s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", importBody(nil, good, bad))
		data := at(accepted, "data")
		if text(data, "status") != "PROCESSING" || number(data, "totalItems") != "2" || number(data, "accepted") != "1" || number(data, "rejected") != "1" || text(data, "jobId") == "" {
			t.Errorf("answer (a): %v", accepted)
		}
		entry := at(data, "errors", 0)
		if text(entry, "sku") != "A-2" || text(entry, "error") != "price is required" || number(entry, "index") != "1" || text(entry, "field") != "price" || text(entry, "code") != "required" {
			t.Errorf("error entry: %v", entry)
		}
		for _, path := range []string{"/api/v1/sdk/products/bulk-import?wait=true", "/api/v1/sdk/products/bulk-import"} {
			r := s.do(call{method: "POST", path: path, body: importBody(nil, good, item{"sku": "N" + fmt.Sprint(len(path)), "name": "New", "price": "1.50"}, bad), header: map[string]string{"Prefer": "respond-async, wait=10"}})
			counts := r.json(t)
			if r.status != 200 || number(counts, "total") != "3" || number(counts, "created") != "1" || number(counts, "updated") != "1" || at(counts, "errors", 0, "sku") != "A-2" {
				t.Errorf("answer (b): %d %v", r.status, counts)
			}
		}
		names, _ := s.told(0)
		if fmt.Sprint(names) != "[product.created product.created product.created]" {
			t.Errorf("events: %v", names)
		}
	})
}
