package api

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/records"
)

// tag sets the ETag of an answer.
func (a *answer) tag() {
	if a.header == nil {
		a.header = map[string]string{}
	}
	if a.covered == 0 {
		a.covered = a.size()
	}
	// The part of a feed that the ETag does not cover is at the end.
	parts, content := a.parts, a.body[:a.covered-a.parts.Size()]
	if a.content != nil {
		parts, content = nil, a.content
	}
	a.header["ETag"] = records.ETagOf(parts.Sum(content), parts.Size()+len(content))
	a.header["Cache-Control"] = "private, no-cache"
}

// expected is what the caller expects of the record that a request changes: If-Match, if its route takes it, and the
// errors of the body, which may be nil.
func (r *request) expected(body *apijson.Object) (e commerce.Expected) {
	if r.route.ifMatch {
		e.Versions = r.http.Header["If-Match"]
	}
	if body != nil {
		e.Invalid = body.Err()
	}
	return e
}
