package netguard_test

import (
	"testing"

	"entrepot/internal/base/netguard"
)

func TestLoopbackHost(t *testing.T) {
	for _, host := range []string{"localhost", "localhost:8080", "LOCALHOST", "localhost.", "demo.localhost:1", "127.0.0.1", "127.0.0.1:8080",
		"127.8.8.8", "[::1]:8080", "[::1]", "::1"} {
		if !netguard.LoopbackHost(host) {
			t.Errorf("%q is refused", host)
		}
	}
	for _, host := range []string{"", "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "notlocalhost",
		"10.0.0.1:80", "0.0.0.0", "0.0.0.0:8080", "[::]:1"} {
		if netguard.LoopbackHost(host) {
			t.Errorf("%q passes", host)
		}
	}
}
