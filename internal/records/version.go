package records

import (
	"strconv"
	"strings"

	"entrepot/internal/base/apijson"
)

// Document is one record as its single read answers it: {"data": …}. write writes the member data.
func Document(write func(w *apijson.Writer)) []byte {
	w := apijson.NewWriter(1024)
	w.Object("")
	write(w)
	w.End()
	return w.Bytes()
}

// ETag is the strong ETag of a content (interface §8).
func ETag(content []byte) string { return ETagOf(apijson.Fingerprint(content), len(content)) }

// ETagOf is the ETag of a content with a known fingerprint and length.
func ETagOf(fingerprint uint64, length int) string {
	return `"` + strconv.FormatUint(fingerprint, 36) + "-" + strconv.FormatInt(int64(length), 36) + `"`
}

// NamesETag reports whether the lines of If-Match or If-None-Match contain a tag; * matches every tag but "". W/
// before a tag and the name of a compression at its end make no difference: a proxy that compresses answers puts them
// there, and callers return what they got.
func NamesETag(lines []string, tag string) bool {
	if tag == "" {
		return false
	}
	for _, line := range lines {
		for _, one := range strings.Split(line, ",") {
			one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
			if one == "*" || one == tag || uncompressed(one) == tag {
				return true
			}
		}
	}
	return false
}

// uncompressed is a tag without the suffix of a compressing proxy: "x-gzip" is "x".
func uncompressed(tag string) string {
	for _, suffix := range []string{`-gzip"`, `-br"`, `-zstd"`} {
		if short, cut := strings.CutSuffix(tag, suffix); cut {
			return short + `"`
		}
	}
	return tag
}
