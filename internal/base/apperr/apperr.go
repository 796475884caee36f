// Package apperr holds the errors that may be shown to a caller.
//
// An error is created where the rule is, passed on unchanged, and converted to an HTTP answer once, at the edge
// (interface §7). Any other error is internal: the log has all of it, and the caller sees "internal error".
package apperr

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is the class of an error; each has one HTTP status (interface §7).
type Kind int

// The kinds, in the order of their HTTP status.
const (
	Invalid      Kind = iota + 1 // 400: malformed, wrong type, failed validation
	Unauthorized                 // 401: no usable credential
	Forbidden                    // 403: the credential lacks a scope
	NotFound                     // 404: unknown, or of another account
	Slow                         // 408: the body did not come in time
	Conflict                     // 409: the state of a record forbids it
	Precondition                 // 412: If-Match names another version
	TooLarge                     // 413: the body is over its limit
	Unsupported                  // 415: the body is not JSON
	Refused                      // 422: a status change outside the table of interface §3.1
	TooMany                      // 429: a rate limit
	Unavailable                  // 503: shutting down, or the store is away
)

var statuses = map[Kind]int{Invalid: 400, Unauthorized: 401, Forbidden: 403, NotFound: 404, Slow: 408, Conflict: 409, Precondition: 412,
	TooLarge: 413, Unsupported: 415, Refused: 422, TooMany: 429, Unavailable: 503}

// Status is the HTTP status of the kind, 0 for none.
func (k Kind) Status() int { return statuses[k] }

// Detail is one error in the request.
type Detail struct {
	Path    string `json:"path"`    // "items[0].quantity", or the name of a query parameter
	Message string `json:"message"` // what is wrong and what is allowed
}

// Member is one more member of the error body, such as orderId on a 409 (interface §7).
type Member struct {
	Name  string
	Value any
}

// Error is an error that may be shown to callers.
type Error struct {
	Kind    Kind
	Code    string // snake_case, stable, listed in docs/errors.md
	Message string
	Details []Detail
	Members []Member
}

// Error returns the message, and the details that it does not contain.
func (e *Error) Error() string {
	if len(e.Details) <= named {
		return e.Message
	}
	return e.Message + " (" + spell(e.Details[named:]) + ")"
}

// With returns the error with one more member for the error body.
func (e *Error) With(name string, value any) *Error {
	e.Members = append(e.Members, Member{name, value})
	return e
}

// New makes an error of a kind with a code and a message in the form of fmt.Sprintf.
func New(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Missing is the error for a record that this account does not have.
func Missing(noun string) *Error { return New(NotFound, "not_found", "%s not found", noun) }

// Later is the error for a caller over a limit, named by reason, who may come back after the wait: in whole seconds,
// rounded up.
func Later(reason string, wait time.Duration) *Error {
	seconds, unit := max(1, int((wait+time.Second-1)/time.Second)), "seconds"
	if seconds == 1 {
		unit = "second"
	}
	return New(TooMany, "rate_limited", "%s, try again in %d %s", reason, seconds, unit).With("retryAfter", seconds)
}

// At is a validation error with a single detail.
func At(path, format string, args ...any) *Error {
	return Validation([]Detail{{path, fmt.Sprintf(format, args...)}})
}

// named is how many details the message of a validation error contains: clients often show nothing else.
const named = 50

// Validation is the 400 that names all errors of a request at once; it panics without any.
func Validation(details []Detail) *Error {
	message := spell(details[:min(len(details), named)])
	if more := len(details) - named; more > 0 {
		message += fmt.Sprintf("; and %d more, see details", more)
	}
	return &Error{Kind: Invalid, Code: "validation_failed", Message: message, Details: details}
}

// Both is the error of two checks of one request: of two validation errors one that names the details of both, else the
// first that is not nil.
func Both(first, second error) error {
	a, isError := As(first)
	b, areBoth := As(second)
	if isError && areBoth && a.Kind == Invalid && b.Kind == Invalid && len(a.Details) > 0 && len(b.Details) > 0 {
		return Validation(slices.Concat(a.Details, b.Details))
	}
	return cmp.Or(first, second)
}

// text is the detail in one line: the path and the message.
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

// As finds the error in an error's chain.
func As(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// Is reports whether err is an error of that kind.
func Is(err error, kind Kind) bool {
	e, ok := As(err)
	return ok && e.Kind == kind
}
