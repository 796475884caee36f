package records

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"entrepot/internal/apijson"
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
func ETag(content []byte) string {
	sum := sha256.Sum256(content)
	return ETagOfSum(sum[:])
}

// ETagOfSum is the ETag of a content with a known SHA-256.
func ETagOfSum(sum []byte) string { return `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"` }

// NamesETag reports whether the lines of If-Match or If-None-Match contain a tag; * matches every tag but "".
func NamesETag(lines []string, tag string) bool {
	if tag == "" {
		return false
	}
	for _, line := range lines {
		for _, one := range strings.Split(line, ",") {
			one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
			if one == "*" || one == tag {
				return true
			}
		}
	}
	return false
}
