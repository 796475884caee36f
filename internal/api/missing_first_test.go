package api

import (
	"net/http"
	"strings"
	"testing"
)

const nowhere = "019a1c41-0000-7000-8000-000000000000"

// A record that is not there is reported before what is wrong with the body (interface §7).
func TestMissingRecordsAreReportedBeforeInvalidBodies(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		for _, r := range routes() {
			if r.method == http.MethodGet || r.body == nil || !strings.Contains(r.path, "/{id}") || r.access == public {
				continue
			}
			path := strings.NewReplacer("{id}", nowhere, "{addressId}", nowhere).Replace(r.path)
			bodies := []string{`{}`, `{"type":1,"from":1,"skus":1,"items":1,"status":1,"name":1,"email":1,"line1":1}`}
			if !r.optional {
				bodies = append(bodies, `{cut`)
			}
			for _, body := range bodies {
				if status, answer := s.call(t, r.method, path, body); status != http.StatusNotFound {
					t.Errorf("%s %s with %s: %d %v", r.method, path, body, status, answer)
				}
			}
		}
	})
}
