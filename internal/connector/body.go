package connector

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"entrepot/internal/base/apperr"
)

// Decode decodes a notification's body, which must be one JSON object, into v. Member names match in any case; unknown
// members are skipped, and members of another type than in v stay empty, because platforms change both. Errors:
// Invalid.
func Decode(body []byte, v any) error {
	err := errNoObject
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")) {
		err = json.Unmarshal(body, v)
	}
	var otherType *json.UnmarshalTypeError // the other members are decoded
	if err == nil || errors.As(err, &otherType) {
		return nil
	}
	return fmt.Errorf("%w: %w", apperr.New(apperr.Invalid, "invalid_json",
		"the notification's body is not the JSON object it should be"), err)
}

var errNoObject = errors.New("no opening brace")

// ID is a JSON string or whole number, kept as text: ids may exceed 2^53, and platforms differ in the type. Anything
// else is "".
type ID string

var wholeNumber = regexp.MustCompile(`^-?[0-9]+$`)

// UnmarshalJSON accepts any JSON value and never fails.
func (id *ID) UnmarshalJSON(raw []byte) error {
	*id = ""
	var s string
	switch {
	case wholeNumber.Match(raw):
		*id = ID(raw)
	case json.Unmarshal(raw, &s) == nil:
		*id = ID(s)
	}
	return nil
}

// First returns the first id that is not empty, as text.
func First(ids ...ID) string {
	for _, id := range ids {
		if id != "" {
			return string(id)
		}
	}
	return ""
}
