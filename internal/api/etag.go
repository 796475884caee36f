package api

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
)

// etagOf is a strong tag over the content (interface §8).
func etagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return tagText(sum[:])
}

func tagText(sum []byte) string { return `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"` }

// tag puts the tag of its body on an answer.
func (a *answer) tag() {
	if a.header == nil {
		a.header = map[string]string{}
	}
	if a.covered == 0 {
		a.covered = a.size()
	}
	a.header["ETag"] = tagText(a.parts.Sum(a.body[:a.covered-a.parts.Size()])) // what is not covered stands at the end
	a.header["Cache-Control"] = "private, no-cache"
}

// matches reports whether a list of tags (If-None-Match, If-Match) names this one; * names all.
func matches(lists []string, tag string) bool {
	if tag == "" {
		return false
	}
	for _, list := range lists {
		for _, one := range strings.Split(list, ",") {
			one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
			if one == "*" || one == tag {
				return true
			}
		}
	}
	return false
}

// precondition is the 412 when If-Match names another version than the one that would be read now.
func (r *request) precondition(current func() []byte) error {
	lists := r.http.Header["If-Match"]
	if len(lists) == 0 || matches(lists, etagOf(current())) {
		return nil
	}
	return apperr.New(apperr.Precondition, "precondition_failed", "it has changed since: read it again")
}

// locked reads a record for changing it and checks what must hold before: the body is sound, nil being none, and If-Match names the
// version that lock has read. lock must keep other writers of the record away until the commit; one that reads without a lock lets two
// writers of one version both win. Errors: those of lock; Invalid; Precondition.
func locked[T any](r *request, body *apijson.Object, lock func() (T, error), show func(T) answer) (T, error) {
	record, err := lock()
	if err == nil && body != nil {
		err = body.Err()
	}
	if err == nil {
		err = r.precondition(func() []byte { return show(record).body })
	}
	return record, err
}
