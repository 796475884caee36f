package api

import (
	"entrepot/internal/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/records"
)

// tag puts the tag of its body on an answer.
func (a *answer) tag() {
	if a.header == nil {
		a.header = map[string]string{}
	}
	if a.covered == 0 {
		a.covered = a.size()
	}
	a.header["ETag"] = records.ETagOfSum(a.parts.Sum(a.body[:a.covered-a.parts.Size()])) // what is not covered stands at the end
	a.header["Cache-Control"] = "private, no-cache"
}

// expected is what the caller expects of the record that a request changes: If-Match, where its route takes it, and whether the body, nil
// for none, could be read.
func (r *request) expected(body *apijson.Object) (e commerce.Expected) {
	if r.route.ifMatch {
		e.Versions = r.http.Header["If-Match"]
	}
	if body != nil {
		e.Invalid = body.Err()
	}
	return e
}
