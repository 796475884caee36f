package woocommerce

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// flexible is a text, number or boolean, kept as text; null and anything else is "". Shops use different types for the
// same member.
type flexible string

// UnmarshalJSON takes any JSON value and never fails.
func (f *flexible) UnmarshalJSON(raw []byte) error {
	var text string
	switch {
	case json.Unmarshal(raw, &text) == nil:
		*f = flexible(text)
	case len(raw) > 0 && raw[0] != '{' && raw[0] != '[':
		*f = flexible(raw)
	default:
		*f = ""
	}
	return nil
}

// number is an id as the shop's JSON wants it.
func (f flexible) number() int64 {
	n, _ := strconv.ParseInt(string(f), 10, 64)
	return n
}

// several is a list. PHP writes one from which an entry was removed as an object, and an empty one as null or false.
type several[T any] []T

// UnmarshalJSON reads a list, or the members of an object in their order.
func (s *several[T]) UnmarshalJSON(raw []byte) error {
	*s = nil
	switch raw[0] {
	case '[':
		return json.Unmarshal(raw, (*[]T)(s))
	case '{':
	default:
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		if _, err := d.Token(); err != nil {
			return err
		}
		var one T
		if err := d.Decode(&one); err != nil {
			return err
		}
		*s = append(*s, one)
	}
	return nil
}

// moment reads one of the shop's times, which are UTC unless a plugin added an offset; the zero time for none.
func moment(text string) time.Time {
	at, err := time.Parse(gmt, text)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

func whole(text flexible) int64 {
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0
	}
	return int64(n)
}

// notZero is an id; the shop writes 0 for none.
func notZero(text flexible) string {
	if text == "0" {
		return ""
	}
	return string(text)
}
