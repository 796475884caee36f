package connector_test

import (
	"testing"

	"entrepot/internal/connector"
)

// A platform's tracking link that is no web address is left out, and the order comes in all the same.
func TestTrackingLinksOfPlatforms(t *testing.T) {
	for link, want := range map[string]string{"javascript:alert(1)": "", "data:text/html,x": "", "track.example/1": "", "": "",
		" https://track.example/1#now": "https://track.example/1#now", "HTTP://track.example/1": "HTTP://track.example/1", "https://": ""} {
		o := connector.Order{ExternalID: "1", Parcels: []connector.Parcel{{Key: "1", Number: "N", URL: link}}}
		if o.Clean(); o.Parcels[0].URL != want || o.Parcels[0].Number != "N" {
			t.Errorf("%q became %q", link, o.Parcels[0].URL)
		}
	}
}
