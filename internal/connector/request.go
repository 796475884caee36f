package connector

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
)

// JSONRequest is a request that has a value as JSON, or no body if that is nil, and expects JSON. Errors: Failure
// Rejected.
func JSONRequest(ctx context.Context, method, address string, body any) (*http.Request, error) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return nil, &Failure{Kind: Rejected, Message: "the request cannot be written", Err: err}
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content))
	if err != nil {
		return nil, Failf(Rejected, "the channel's address cannot be called")
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}
