package apijson

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"testing"
)

// A large answer that is packed while it is written is the same text with the same hash, in less memory.
func TestParts(t *testing.T) {
	noise := make([]byte, 3000)
	for name, text := range map[string]func() string{
		"compressible": func() string { return "Ten green bottles, hanging on the wall" },
		"noise": func() string {
			for i := range noise {
				noise[i] = byte('0' + rand.IntN(64))
			}
			return string(noise)
		},
	} {
		t.Run(name, func(t *testing.T) {
			whole, packed := NewWriter(0), NewWriter(0)
			for _, w := range []*Writer{whole, packed} {
				w.Object("")
				w.List("data")
			}
			cuts := 0
			file, err := os.CreateTemp(t.TempDir(), "parts")
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			for whole.Len() < 5*PackFrom {
				line := text()
				whole.Text("", line)
				packed.Text("", line)
				if !packed.Cut() {
					continue
				}
				if cuts++; cuts%3 == 0 { // the last blocks stay in memory
					if err := packed.Parts().Unload(file); err != nil || packed.Held() != len(packed.Bytes()) {
						t.Fatalf("%v, %d bytes in memory", err, packed.Held())
					}
				}
			}
			for _, w := range []*Writer{whole, packed} {
				w.EndList()
				w.End()
			}
			var got []byte
			gather := func(text []byte) error {
				if len(text) > BlockSize {
					t.Errorf("a block of %d bytes", len(text))
				}
				got = append(got, text...)
				return nil
			}
			if err := packed.Parts().Each(gather); err != nil {
				t.Fatal(err)
			}
			got = append(got, packed.Bytes()...)
			if !bytes.Equal(got, whole.Bytes()) || packed.Len() != whole.Len() || cuts < 10 {
				t.Fatalf("%d bytes in %d cuts, want the %d of the other", len(got), cuts, whole.Len())
			}
			want := Fingerprint(whole.Bytes()[:whole.Len()-1])
			for range 2 {
				if sum := packed.Parts().Sum(packed.Bytes()[:len(packed.Bytes())-1]); sum != want {
					t.Fatalf("sum %x, want %x", sum, want)
				}
			}
			if most := packed.Len() + packed.Len()/64; packed.Held() > most || name == "compressible" && packed.Held() > packed.Len()/3 {
				t.Errorf("%d bytes take %d", packed.Len(), packed.Held())
			}
			stop := errors.New("stop")
			if err := packed.Parts().Each(func([]byte) error { return stop }); err != stop {
				t.Errorf("got %v", err)
			}
		})
	}
}
