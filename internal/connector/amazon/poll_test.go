package amazon

import (
	"encoding/json"
	"testing"

	"entrepot/internal/connector"
)

// One of three new listings is refused while another is not live yet: all three are named.
func TestListedInPart(t *testing.T) {
	var there map[string]listing
	if err := json.Unmarshal([]byte(`{"LIVE": {"Summaries": [{"Asin": "B01"}]}, "BAD": {"Issues": [{"Severity": "ERROR", "Message": "no"}]},
		"LATE": {}}`), &there); err != nil {
		t.Fatal(err)
	}
	s := &session{}
	if results := s.listed("op", []string{"LIVE", "LATE"}, there); results != nil {
		t.Errorf("while one is not live: %+v", results)
	}
	states := map[string]string{}
	for _, r := range s.listed("op", []string{"LIVE", "LATE", "BAD"}, there) {
		states[r.SKU] = r.State
	}
	for sku, state := range map[string]string{"LIVE": connector.Live, "LATE": connector.Live, "BAD": connector.Failed, "": connector.Live} {
		if got, named := states[sku]; !named || got != state {
			t.Errorf("%q: %v, named %v", sku, got, named)
		}
	}
}
