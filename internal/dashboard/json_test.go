package dashboard

import (
	"strings"
	"testing"
)

// JSON is shown with the letters that its escapes stand for; what nobody sees, or would end the text, stays escaped.
func TestJSONShowsLetters(t *testing.T) {
	for given, want := range map[string]string{
		`"Z\u00fcrich"`: `"Zürich"`, `"\u5c0f\u6797"`: `"小林"`, `"\ud83d\udc69\u200d\ud83d\udcbb"`: `"👩‍💻"`, `"\\u00fc"`: `"\\u00fc"`,
		`"a\u0022b"`: `"a\u0022b"`, `"\u005c"`: `"\u005c"`, `"\u202egnp"`: `"\u202egnp"`, `"\ud83d"`: `"\ud83d"`, `"a\nb\u0000"`: `"a\nb\u0000"`,
		`"\\\u00e9"`: `"\\é"`, `"\u003cb\u003e"`: `"<b>"`,
	} {
		var got strings.Builder
		for _, part := range colour(given) {
			got.WriteString(part.Text)
		}
		if got.String() != want {
			t.Errorf("%s is shown as %s, not %s", given, got.String(), want)
		}
	}
}

// The axis of a chart has its currency where there is room for it.
func TestWordsOfAnAxis(t *testing.T) {
	for _, c := range []struct {
		value    float64
		currency string
		want     string
	}{{2000, "EUR", "€2k"}, {4e8, "KWD", "400m"}, {0, "KWD", "KWD\u00a00"},
		{5, "CHF", "CHF\u00a05"}, {3e11, "JPY", "¥300bn"}, {500_000, "CHF", "500k"}} {
		if got := (format{separators: english}).short(c.value, c.currency); got != c.want {
			t.Errorf("%v %s is %q, not %q", c.value, c.currency, got, c.want)
		}
	}
}
