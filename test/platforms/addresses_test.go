package platforms

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// Without --dev, a channel of no platform is made for an address that is not https or lies inside the operator's network, and the answer
// says at the address that it was refused and why, not that nobody answered. With --dev, all other tests use such addresses.
func TestAddressesOfChannels(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		for _, shop := range shops() {
			known, _ := connectors().ByPlatform(shop.Platform)
			field := "baseUrl"
			for _, f := range known.Profile().Fields {
				if f.Name == "url" {
					field = "url"
				}
			}
			for _, address := range []string{"http://93.184.215.14/", "https://127.0.0.1/", "https://localhost/", "https://10.0.0.1/shop",
				"https://192.168.1.7/", "https://169.254.169.254/latest", "https://[::1]/", "https://[fd00::1]/", "https://100.64.0.1/",
				"https://[::ffff:10.0.0.1]/", "https://user:password@93.184.215.14/", "ftp://93.184.215.14/"} {
				for _, place := range []string{"credentials", "settings"} {
					credentials := maps.Clone(shop.Credentials)
					draft := map[string]any{"name": "x", "platform": shop.Platform, "credentials": credentials}
					switch place {
					case "credentials":
						credentials[field] = address
					case "settings":
						if field == "url" {
							credentials[field] = "https://93.184.215.14/"
						}
						draft["settings"] = map[string]any{field: address}
					}
					status, answer := s.try("POST", "/api/v1/channels", draft)
					said := fmt.Sprint(answer)
					if status != 400 || !strings.Contains(said, place+"."+field) || strings.Contains(said, "answer") {
						t.Errorf("%s at %s of the %s: %d %s", shop.Platform, address, place, status, said)
					}
				}
			}
		}
		if list := s.call("GET", "/api/v1/channels", nil, 200).List("data"); len(list) != 0 {
			t.Errorf("%d channels were made", len(list))
		}
	}, func(s *service) { s.config.Dev = false })
}
