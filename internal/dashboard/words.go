package dashboard

import (
	"net/url"

	"entrepot/internal/webhooks"
)

// hookName is what people call an endpoint: its description, else its address.
func hookName(e *webhooks.Endpoint) string {
	if e.Description != "" {
		return e.Description
	}
	if u, err := url.Parse(e.URL); err == nil {
		return u.Host + u.Path
	}
	return e.URL
}
