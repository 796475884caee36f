package apijson

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxCursor limits a cursor: what two long texts with four bytes a character take.
const maxCursor = 4096

// CursorText is the cursor of a list, as it is given to callers, for what comes behind a record with these sort values.
func CursorText(list string, behind ...string) string {
	text, err := json.Marshal(append([]string{list}, behind...))
	if err != nil {
		panic(err) // strings always marshal
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// Cursor reads the parameter cursor of a list: the sort values that CursorText was given, as many as the list has;
// nil without it.
func (q *Query) Cursor(list string, values int) []string {
	if q.note("cursor", &Schema{Type: "string", MaxLength: maxCursor}) {
		return nil
	}
	text, given := q.raw("cursor")
	if !given {
		return nil
	}
	var behind []string
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && len(text) <= maxCursor {
		err = json.Unmarshal(raw, &behind)
	}
	odd := func(value string) bool { return !utf8.ValidString(value) || strings.IndexByte(value, 0) >= 0 }
	if err != nil || len(behind) != 1+values || behind[0] != list || slices.ContainsFunc(behind, odd) {
		q.BadCursor()
		return nil
	}
	return behind[1:]
}

// BadCursor records that the parameter cursor is none of this list.
func (q *Query) BadCursor() { q.AddError("cursor", "must be a meta.nextCursor of an earlier page") }
