package commerce

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/records"
)

// Expected is what a caller expects of the record that an operation changes. The operation checks it while the record
// is locked, so that of several writers who expect the same version only one succeeds.
type Expected struct {
	Versions []string // the lines of If-Match: ETags of the record's single read; none: any version
	Invalid  error    // an error of the request itself; a missing record is reported first
}

// conditional reports whether the caller expects certain versions.
func (e Expected) conditional() bool { return len(e.Versions) > 0 }

// check compares with a locked record; write writes it as its single read does. Errors: Invalid; Precondition.
func (e Expected) check(write func(w *apijson.Writer)) error {
	if e.Invalid != nil || !e.conditional() || records.NamesETag(e.Versions, records.ETag(records.Document(write))) {
		return e.Invalid
	}
	return apperr.New(apperr.Precondition, "precondition_failed", "the record has changed since it was read: read it again")
}
