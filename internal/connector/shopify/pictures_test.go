package shopify

import (
	"testing"

	"entrepot/internal/connector"
)

// Pictures are on their way, failed, or nothing is known to be wrong with them.
func TestWhatBecameOfPictures(t *testing.T) {
	refused := &media{ID: mediaID + "29", Status: failed, MediaErrors: []struct{ Message string }{{"Image could not be <b>downloaded</b>"}}}
	for name, c := range map[string]struct {
		known map[string]*media
		want  connector.Result
	}{
		"the shop says nothing": {nil, connector.Result{State: connector.Live}},
		"one is deleted": {map[string]*media{mediaID + "27": {Status: ready}, mediaID + "29": nil},
			connector.Result{State: connector.Live}},
		"one is fetched still": {map[string]*media{mediaID + "27": {Status: "PROCESSING"}}, connector.Result{State: connector.Waiting}},
		"one failed": {map[string]*media{mediaID + "27": {Status: ready}, mediaID + "29": refused}, connector.Result{State: connector.Failed,
			Error: "the shop could not take picture 3: Image could not be downloaded"}},
	} {
		got := picturesResult("pictures 1:27 3:29", c.known)
		if got.State != c.want.State || got.Error != c.want.Error || got.Operation != "pictures 1:27 3:29" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
