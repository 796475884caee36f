// Package fault holds the errors that may be shown to a caller.
//
// A fault is made where the rule is, travels untouched, and becomes an HTTP answer once, at the edge
// (interface §7). Any other error is internal: it is logged whole and shown as "internal error".
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Kind says what sort of mistake a fault is; the edge maps each kind to one HTTP status.
type Kind int

// The kinds, in the order of their HTTP status.
const (
	Invalid      Kind = iota + 1 // 400: malformed, wrong type, failed validation
	Unauthorized                 // 401: no usable credential
	Forbidden                    // 403: the credential lacks a scope
	NotFound                     // 404: unknown here, or another account's
	Conflict                     // 409: the state of a record forbids it
	Precondition                 // 412: If-Match names another version
	TooLarge                     // 413: the body is over its limit
	Unsupported                  // 415: the body is not JSON
	Refused                      // 422: a status move outside the table of interface §3.1
	TooMany                      // 429: a rate limit
	Unavailable                  // 503: draining, or the store is away
)

// Detail is one fault of one place in the request.
type Detail struct {
	Path    string `json:"path"`    // "items[0].quantity", or the name of a query parameter
	Message string `json:"message"` // what is wrong and what would be right
}

// Member is one more member of the error body, such as orderId on a 409 (interface §7).
type Member struct {
	Name  string
	Value any
}

// Fault is an error that is safe to show.
type Fault struct {
	Kind    Kind
	Code    string // snake_case, stable, listed in docs/errors.md
	Message string
	Details []Detail
	Members []Member
}

// Error gives the message and the details that it does not name.
func (f *Fault) Error() string {
	if len(f.Details) <= named {
		return f.Message
	}
	return f.Message + " (" + spell(f.Details[named:]) + ")"
}

// With returns the fault with one more member for the error body.
func (f *Fault) With(name string, value any) *Fault {
	f.Members = append(f.Members, Member{name, value})
	return f
}

// New makes a fault of a kind with a code and a message in the form of fmt.Sprintf.
func New(kind Kind, code, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Missing is the fault for a record that this account does not have.
func Missing(noun string) *Fault { return New(NotFound, "not_found", "%s not found", noun) }

// At is a validation fault with a single detail.
func At(path, format string, args ...any) *Fault {
	return Validation([]Detail{{path, fmt.Sprintf(format, args...)}})
}

// named is how many details the message of a validation fault names itself: clients often show nothing else.
const named = 50

// Validation is the 400 that names all faults of a request at once; it panics on none.
func Validation(details []Detail) *Fault {
	message := spell(details[:min(len(details), named)])
	if more := len(details) - named; more > 0 {
		message += fmt.Sprintf("; and %d more, see details", more)
	}
	return &Fault{Kind: Invalid, Code: "validation_failed", Message: message, Details: details}
}

// text is the detail in one line: where, and what is wrong.
func (d Detail) text() string {
	if d.Path == "" {
		return d.Message
	}
	return d.Path + ": " + d.Message
}

func spell(details []Detail) string {
	parts := make([]string, len(details))
	for i, d := range details {
		parts[i] = d.text()
	}
	return strings.Join(parts, "; ")
}

// As finds the fault in an error's chain.
func As(err error) (*Fault, bool) {
	var f *Fault
	ok := errors.As(err, &f)
	return f, ok
}

// Is tells whether err is a fault of that kind.
func Is(err error, kind Kind) bool {
	f, ok := As(err)
	return ok && f.Kind == kind
}
