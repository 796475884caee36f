package apijson

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"entrepot/internal/base/money"
)

// Text writes a string.
func (w *Writer) Text(name, v string) {
	w.key(name)
	w.b = AppendText(w.b, v)
	if w.tree != nil {
		w.note(name, &Schema{Type: "string"})
	}
}

// TextOrNull writes a string, or null for "".
func (w *Writer) TextOrNull(name, v string) {
	w.orNull(name, v == "", "string", "")
	if v != "" {
		w.b = AppendText(w.b, v)
	}
}

// orNull writes the key, and null when there is no value.
func (w *Writer) orNull(name string, null bool, kind, format string) {
	w.key(name)
	if null {
		w.b = append(w.b, "null"...)
	}
	if w.tree != nil {
		w.note(name, &Schema{Type: []string{kind, "null"}, Format: format})
	}
}

// ID writes an identifier.
func ID[T ~string](w *Writer, name string, v T) {
	w.key(name)
	w.b = append(w.b, '"')
	w.b = append(w.b, v...)
	w.b = append(w.b, '"')
	if w.tree != nil {
		w.note(name, &Schema{Type: "string", Format: "uuid"})
	}
}

// IDOrNull writes an identifier, or null for none.
func IDOrNull[T ~string](w *Writer, name string, v T) {
	w.orNull(name, v == "", "string", "uuid")
	if v != "" {
		w.b = append(w.b, '"')
		w.b = append(w.b, v...)
		w.b = append(w.b, '"')
	}
}

// Word writes a value of an enumeration.
func Word[T ~string](w *Writer, name string, v T) {
	w.key(name)
	w.b = append(w.b, '"')
	w.b = append(w.b, v...)
	w.b = append(w.b, '"')
	if w.tree != nil {
		w.note(name, &Schema{Type: "string"})
	}
}

// Int writes an integer.
func (w *Writer) Int(name string, v int64) {
	w.key(name)
	w.b = strconv.AppendInt(w.b, v, 10)
	if w.tree != nil {
		w.note(name, &Schema{Type: "integer"})
	}
}

// IntOrNull writes an integer, or null.
func (w *Writer) IntOrNull(name string, v *int64) {
	w.orNull(name, v == nil, "integer", "")
	if v != nil {
		w.b = strconv.AppendInt(w.b, *v, 10)
	}
}

// Money writes an exact amount as a number.
func (w *Writer) Money(name string, v money.Amount) {
	w.key(name)
	w.b = v.AppendTo(w.b)
	if w.tree != nil {
		w.note(name, &Schema{Type: "number", Format: "double"})
	}
}

// Total writes a sum of amounts as a JSON number, the exact decimal.
func (w *Writer) Total(name string, v money.Total) {
	w.key(name)
	w.b = v.AppendTo(w.b)
	if w.tree != nil {
		w.note(name, &Schema{Type: "number"})
	}
}

// MoneyOrNull writes an amount, or null.
func (w *Writer) MoneyOrNull(name string, v *money.Amount) {
	w.orNull(name, v == nil, "number", "double")
	if v != nil {
		w.b = v.AppendTo(w.b)
	}
}

// Bool writes true or false.
func (w *Writer) Bool(name string, v bool) {
	w.key(name)
	w.b = strconv.AppendBool(w.b, v)
	if w.tree != nil {
		w.note(name, &Schema{Type: "boolean"})
	}
}

// Null writes null.
func (w *Writer) Null(name string) {
	w.key(name)
	w.b = append(w.b, "null"...)
	if w.tree != nil {
		w.note(name, &Schema{Type: "null"})
	}
}

// Micros writes a time of the store (microseconds since 1970) with milliseconds.
func (w *Writer) Micros(name string, micros int64) {
	w.key(name)
	w.b = appendTime(w.b, micros, false)
	if w.tree != nil {
		w.note(name, &Schema{Type: "string", Format: "date-time"})
	}
}

// MicrosOrNull writes a time, or null for 0.
func (w *Writer) MicrosOrNull(name string, micros int64) {
	w.orNull(name, micros == 0, "string", "date-time")
	if micros != 0 {
		w.b = appendTime(w.b, micros, false)
	}
}

// Stamp writes a time with microseconds, as change feeds do.
func (w *Writer) Stamp(name string, micros int64) {
	w.key(name)
	w.b = appendTime(w.b, micros, true)
	if w.tree != nil {
		w.note(name, &Schema{Type: "string", Format: "date-time"})
	}
}

// Raw writes JSON text as it is, or null for "".
func (w *Writer) Raw(name, text string) {
	w.key(name)
	if text == "" {
		text = "null"
	}
	w.b = append(w.b, text...)
	if w.tree != nil {
		w.note(name, free())
	}
}

// RawObject writes the text of a JSON object as it is, or null for "".
func (w *Writer) RawObject(name, text string) {
	w.key(name)
	if text == "" {
		text = "null"
	}
	w.b = append(w.b, text...)
	if w.tree != nil {
		w.note(name, &Schema{Type: []string{"object", "null"}, Description: "free JSON"})
	}
}

// RawLike writes JSON text as it is; the description has the schema of what like writes.
func (w *Writer) RawLike(name, text string, like func(*Writer)) {
	w.key(name)
	w.b = append(w.b, text...)
	if w.tree != nil {
		w.note(name, DescribeAnswer(like))
	}
}

// Only writes a word that is always the same here.
func (w *Writer) Only(name, word string) {
	w.key(name)
	w.b = AppendText(w.b, word)
	if w.tree != nil {
		w.note(name, &Schema{Type: "string", Enum: []any{word}})
	}
}

// Texts writes an array of strings.
func Texts[T ~string](w *Writer, name string, list []T) {
	w.key(name)
	w.b = append(w.b, '[')
	for i, v := range list {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = AppendText(w.b, string(v))
	}
	w.b = append(w.b, ']')
	if w.tree != nil {
		w.note(name, &Schema{Type: "array", Items: &Schema{Type: "string"}})
	}
}

// AppendText appends a JSON string.
func AppendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c == 0x7f {
			b, _ = jsontext.AppendQuote(b, s)
			return b
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

func appendTime(b []byte, micros int64, exact bool) []byte {
	const second, day = 1_000_000, 86_400_000_000
	year, month, date := time.UnixMicro(micros).UTC().Date()
	b = append(b, '"')
	b = appendTwo(appendTwo(b, int64(year/100)), int64(year%100))
	b = append(b, '-')
	b = append(appendTwo(b, int64(month)), '-')
	b = append(appendTwo(b, int64(date)), 'T')
	if micros %= day; micros < 0 {
		micros += day
	}
	seconds, micros := micros/second, micros%second
	b = append(appendTwo(b, seconds/3600), ':')
	b = append(appendTwo(b, seconds/60%60), ':')
	b = append(appendTwo(b, seconds%60), '.', byte('0'+micros/100_000))
	b = appendTwo(b, micros/1000%100)
	if exact {
		b = append(appendTwo(b, micros/10%100), byte('0'+micros%10))
	}
	return append(b, 'Z', '"')
}

// appendTwo appends a number below 100 with two digits.
func appendTwo(b []byte, n int64) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }

// TimeText is the text of a time in answers.
func TimeText(micros int64) string {
	b := appendTime(nil, micros, false)
	return string(b[1 : len(b)-1])
}
