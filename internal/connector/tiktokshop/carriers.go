package tiktokshop

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"entrepot/internal/connector"
)

// carrierOf is the carrier of a parcel: its own, else that of the order's last parcel before it, else that of the
// setting carrier.
func (s *session) carrierOf(ref connector.OrderRef, parcel connector.Parcel) string {
	name := s.link.Channel.Value("carrier")
	for _, p := range ref.Shipped {
		name = cmp.Or(p.Carrier, name)
		if p.Key == parcel.Key {
			break
		}
	}
	return cmp.Or(parcel.Carrier, name)
}

// carrier is a carrier that TikTok knows.
type carrier struct {
	ID   connector.ID `json:"id"`
	Name string       `json:"name"`
}

// carriersOf reads the carriers of a delivery option, once in a session.
func (s *session) carriersOf(ctx context.Context, option string) ([]carrier, error) {
	if known := s.carriers[option]; known != nil {
		return known, nil
	}
	var out struct {
		Providers []carrier `json:"shipping_providers"`
	}
	_, err := s.call(ctx, request{method: http.MethodGet,
		path: "/logistics/202309/delivery_options/" + url.PathEscape(option) + "/shipping_providers"}, &out)
	if err != nil {
		return nil, err
	}
	if s.carriers == nil {
		s.carriers = map[string][]carrier{}
	}
	s.carriers[option] = out.Providers
	return out.Providers, nil
}

// carrier is TikTok's id of a carrier, by its name, compared by letters and digits; unknown ones become TikTok's
// carrier "other".
func (s *session) carrier(ctx context.Context, option, name string) (string, error) {
	known, err := s.carriersOf(ctx, option)
	if err != nil {
		return "", err
	}
	wanted, other := connector.Letters(name), ""
	var names []string
	for _, p := range known {
		switch word := connector.Letters(p.Name); {
		case word == wanted:
			return string(p.ID), nil
		case word == "other" || word == "others":
			other = string(p.ID)
		}
		names = append(names, p.Name)
	}
	for _, p := range known {
		if word := connector.Letters(p.Name); word != "" && wanted != "" && (strings.HasPrefix(word, wanted) || strings.HasPrefix(wanted, word)) {
			return string(p.ID), nil
		}
	}
	if other == "" {
		return "", connector.Failf(connector.Rejected, "TikTok Shop does not know the carrier %s; it knows %s", connector.Line(name),
			connector.Line(strings.Join(names, ", ")))
	}
	return other, nil
}
