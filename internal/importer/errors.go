package importer

import "fmt"

// CallError is an error of the call: nothing was stored, and the person must change the command or the file.
type CallError struct {
	Message string
	Plain   string // the message for users without a command line; "" if Message names no flag
}

// Error is the sentence for the person.
func (e *CallError) Error() string { return e.Message }

// Words is the message without flags of the command line.
func (e *CallError) Words() string {
	if e.Plain != "" {
		return e.Plain
	}
	return e.Message
}

func wrongCall(format string, arguments ...any) error {
	return &CallError{Message: fmt.Sprintf(format, arguments...)}
}

// wrongChoice is a CallError with another message, plain, for users without a command line.
func wrongChoice(plain, message string) error { return &CallError{Message: message, Plain: plain} }

// Level says what happened to the rows of a Fault.
type Level string

// Refused rows are not stored. A note is about rows that are stored with changes, or that existed already.
const (
	Refused Level = "refused"
	Note    Level = "note"
)

// Fault is one line of the report.
type Fault struct {
	Row     int    `json:"row"`             // data row, from 1, header not counted
	Line    int    `json:"line,omitempty"`  // physical line of the file, 0 when it has none
	Level   Level  `json:"level"`           //
	Rows    int    `json:"rows"`            // how many rows this line accounts for; 0 for notes
	Item    string `json:"item"`            // SKU of a product, external reference of an order
	Field   string `json:"field,omitempty"` // the entrepot field, or the column
	Code    string `json:"code"`            // stable word, see docs/import.md
	Message string `json:"message"`
}

// place is a position in the file.
type place struct{ row, line int }

func (p place) refused(item, field, code, format string, arguments ...any) Fault {
	return Fault{Row: p.row, Line: p.line, Level: Refused, Rows: 1, Item: item, Field: field, Code: code,
		Message: fmt.Sprintf(format, arguments...)}
}

func (p place) note(item, field, code, format string, arguments ...any) Fault {
	return Fault{Row: p.row, Line: p.line, Level: Note, Item: item, Field: field, Code: code, Message: fmt.Sprintf(format, arguments...)}
}
