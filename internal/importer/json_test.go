package importer

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Any text is read from JSON unchanged; bytes that are not UTF-8 become U+FFFD, and the mark between elements of a list a comma.
func TestTextsAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		var got string
		if err := json.Unmarshal(appendText(nil, text), &got); err != nil {
			t.Fatal(err)
		}
		text = strings.ReplaceAll(text, string(listMark), ", ")
		if want := string([]rune(text)); got != want || utf8.ValidString(text) && got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

func TestMembersComeOnce(t *testing.T) {
	o := openObject(nil)
	o.pairs("attributes", []pair{{"a", []byte("1")}, {"a", []byte("2")}, {"b\"", []byte("3")}})
	o.pairs("nothing", nil)
	if got, want := string(o.close()), `{"attributes":{"a":"1","b\"":"3"}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
