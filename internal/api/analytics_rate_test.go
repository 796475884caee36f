package api

import (
	"encoding/json"
	"testing"

	"entrepot/internal/analytics"
	"entrepot/internal/base/apijson"
)

// The rate counts attempts, including those of deliveries that are still being retried.
func TestSuccessRateCountsAttempts(t *testing.T) {
	for _, c := range []struct {
		endpoint analytics.Endpoint
		want     string
	}{
		{analytics.Endpoint{}, "null"},
		{analytics.Endpoint{Pending: 48, Delivered: 1, Attempts: 49, Answered: 1}, "2"},
		{analytics.Endpoint{Pending: 3, Attempts: 3}, "0"},
		{analytics.Endpoint{Delivered: 2, Attempts: 2, Answered: 2}, "100"},
		{analytics.Endpoint{Delivered: 99_999, Failed: 0, Pending: 1, Attempts: 100_000, Answered: 99_999}, "99.9"},
		{analytics.Endpoint{Delivered: 2, Failed: 1, Attempts: 8, Answered: 2}, "25"},
	} {
		w := apijson.NewWriter(256)
		w.Object("")
		writeDeliveryFigures(w, c.endpoint)
		w.End()
		var members map[string]json.RawMessage
		if err := json.Unmarshal(w.Bytes(), &members); err != nil {
			t.Fatal(err)
		}
		if got := string(members["successRate"]); got != c.want {
			t.Errorf("%+v: %s, want %s", c.endpoint, got, c.want)
		}
	}
}
