package records

import "testing"

// Callers return a tag as a proxy gave it to them: weak, and with the suffix of its compression.
func TestNamesETag(t *testing.T) {
	tag := ETag([]byte("content"))
	bare := tag[:len(tag)-1]
	for line, want := range map[string]bool{
		tag: true, "W/" + tag: true, "*": true, `"a", ` + tag: true, bare + `-gzip"`: true, "W/" + bare + `-gzip"`: true, bare + `-br"`: true,
		`"a-gzip", ` + bare + `-zstd"`: true, bare + `-deflate"`: false, bare + `-gzip`: false,
		bare + `x-gzip"`: false, `"-gzip"`: false, "": false,
		`"gzip"`: false,
	} {
		if got := NamesETag([]string{line}, tag); got != want {
			t.Errorf("%s names %s: %v, want %v", line, tag, got, want)
		}
	}
	for _, length := range []int{423, 791_713} { // of tags that end in -br and -gzip
		if own := ETagOf(7, length); !NamesETag([]string{own}, own) {
			t.Errorf("%s does not name itself", own)
		}
	}
}
