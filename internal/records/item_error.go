package records

import (
	"encoding/json"

	"entrepot/internal/base/apijson"
)

// ItemError says why one item of a bulk request or job was rejected, or why a job failed (interface §2.7.4).
type ItemError struct {
	Index      int    // of the item in the request or file, from 0; -1 without one
	Key        string // its SKU, or the externalId of a category; "" if it has none
	Error      string // all its errors
	Field      string // the first field with an error; "" for the item as a whole
	Code       string // listed in docs/errors.md; "" for none
	ExternalID string // the platform's id of the item; "" for none
}

// JobError is an error of a job as a whole, with its code or "".
func JobError(reason, code string) ItemError { return ItemError{Index: -1, Error: reason, Code: code} }

// WriteItemErrors writes a list of errors; categories says that items are categories, which are identified by
// externalId.
func WriteItemErrors(w *apijson.Writer, name string, list []ItemError, categories bool) {
	w.List(name)
	for _, e := range list {
		w.Record(kind(categories, "CategoryError", "ItemError"), "")
		w.TextOrNull("sku", e.Key)
		switch {
		case categories:
			w.TextOrNull("externalId", e.Key)
		case e.ExternalID != "":
			w.Text("externalId", e.ExternalID)
		}
		w.Text("error", e.Error)
		if e.Index >= 0 {
			w.Int("index", int64(e.Index))
			w.TextOrNull("field", e.Field)
		}
		if e.Code != "" {
			w.Text("code", e.Code)
		}
		w.End()
	}
	w.EndList()
}

// JobErrors are the errors of a job as they are stored and shown.
func JobErrors(list ...ItemError) string {
	w := apijson.NewWriter(128 * (1 + len(list)))
	WriteItemErrors(w, "", list, false)
	return string(w.Bytes())
}

// ReadJobErrors reads what JobErrors wrote; a text that it did not write has no errors.
func ReadJobErrors(text string) []ItemError {
	var read []struct {
		SKU, ExternalID, Error, Field, Code string
		Index                               *int
	}
	if json.Unmarshal([]byte(text), &read) != nil {
		return nil
	}
	list := make([]ItemError, len(read))
	for i, e := range read {
		list[i] = ItemError{Index: -1, Key: e.SKU, Error: e.Error, Field: e.Field, Code: e.Code, ExternalID: e.ExternalID}
		if e.Index != nil {
			list[i].Index = *e.Index
		}
	}
	return list
}
