package verify

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func TestFinderKnowsTheFormsOfAText(t *testing.T) {
	const name = "Zoë Çelik"
	finder := newFinder(name, "  ", "+49 170 1234567")
	ascii, _ := json.Marshal(map[string]string{"name": "x"})
	for _, text := range []string{name, "zoë çelik", "ZOË ÇELIK", "Zoe\u0308 C\u0327elik", `Zo\u00eb \u00c7elik`, `Zo\u00EB \u00C7elik`,
		`zo\u00eb \u00e7elik`, url.QueryEscape(name), url.PathEscape(name), hex.EncodeToString([]byte(name)),
		strings.ToUpper(hex.EncodeToString([]byte(name))), base64.StdEncoding.EncodeToString([]byte(name))} {
		if found := finder.In("before " + text + " after"); len(found) != 1 || found[0] != name {
			t.Errorf("%s: found %q", text, found)
		}
	}
	for _, text := range []string{"", "Zoe Celik", "Zoë  Çelik", string(ascii)} {
		if found := finder.In(text); len(found) != 0 {
			t.Errorf("%s: found %q", text, found)
		}
	}
	if found := finder.In("+49 170 1234567 zoë çelik"); len(found) != 2 {
		t.Errorf("found %q", found)
	}
}

// A text is found at its exact place in a stream, also across the border of two reads.
func TestScanFindsEveryPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"needle", "é", "aa"}).Draw(t, "text")
		content := bytes.Repeat([]byte{'.'}, window+2000)
		places := map[int64]bool{}
		for range rapid.IntRange(0, 5).Draw(t, "places") {
			at := rapid.OneOf(rapid.IntRange(0, len(content)-10), rapid.IntRange(window-20, window+20)).Draw(t, "at")
			copy(content[at:], text)
		}
		for at := range content {
			if bytes.HasPrefix(content[at:], []byte(text)) {
				places[int64(at)] = true
			}
		}
		found := 0
		err := newFinder(text).Scan(iotest.HalfReader(bytes.NewReader(content)), func(_ string, offset int64) {
			found++
			if !places[offset] {
				t.Fatalf("found at %d, where it is not", offset)
			}
		})
		if err != nil || found != len(places) {
			t.Fatalf("found %d of %d, %v", found, len(places), err)
		}
	})
}

func FuzzFinderFindsWhatIsThere(f *testing.F) {
	f.Add("Ada Lovelace", "x", "y")
	f.Add("É", "\\", "\u0301")
	f.Fuzz(func(t *testing.T, text, before, after string) {
		if strings.TrimSpace(text) == "" {
			return
		}
		if len(newFinder(text).In(before+strings.TrimSpace(text)+after)) != 1 {
			t.Errorf("%q is not found in itself", text)
		}
	})
}
