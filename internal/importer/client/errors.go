package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error is a refused request (interface §7).
type Error struct {
	StatusCode int      `json:"statusCode"`
	Message    string   `json:"message"`
	Reason     string   `json:"error"` // the HTTP reason phrase
	Code       string   `json:"code"`
	RequestID  string   `json:"requestId"`
	Details    []Detail `json:"details"` // every error of a 400

	OrderID       string   `json:"orderId"`       // 409: the order that is there already
	CustomerID    string   `json:"customerId"`    // 409: the customer that has the e-mail
	RequiredScope string   `json:"requiredScope"` // 403
	From          string   `json:"from"`          // 422: the status change that is not allowed, and those that are
	To            string   `json:"to"`
	Allowed       []string `json:"allowed"`

	RetryAfter time.Duration `json:"-"` // 429 and 503: how long to wait; 0 when not said
}

// Detail is one error of a 400, with the path of the field ("items[0].quantity").
type Detail struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Error is status, message, and the details that the message does not contain.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", e.StatusCode, e.Message)
	for i, d := range e.Details {
		if strings.Contains(e.Message, d.Path+": "+d.Message) {
			continue
		}
		if i == 10 {
			fmt.Fprintf(&b, "; and %d more", len(e.Details)-i)
			break
		}
		fmt.Fprintf(&b, "; %s: %s", d.Path, d.Message)
	}
	if e.RequiredScope != "" {
		fmt.Fprintf(&b, " (the key needs the scope %s)", e.RequiredScope)
	}
	return b.String()
}

// StatusOf is the HTTP status of a refusal, 0 if err is no refusal (a network error, for example).
func StatusOf(err error) int {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.StatusCode
	}
	return 0
}

// refusal reads an answer that is not 2xx. A body in another shape (a proxy's page) is shown by its first line.
func refusal(response *http.Response, body []byte) *Error {
	e := &Error{}
	if json.Unmarshal(body, e) != nil || e.Message == "" {
		first, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
		if len(first) > 200 {
			first = strings.ToValidUTF8(first[:200], "") + "…"
		}
		*e = Error{Message: first}
		if location := response.Header.Get("Location"); location != "" {
			e.Message = "the service answers from another address, use that one: " + location
		}
	}
	e.StatusCode = response.StatusCode
	if e.Message == "" {
		e.Message = http.StatusText(response.StatusCode)
	}
	e.RetryAfter = retryAfter(response.Header.Get("Retry-After"))
	return e
}

// retryAfter reads whole seconds or an HTTP date; a date is measured against this machine's clock.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, 86_400)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, min(time.Until(at), 24*time.Hour))
	}
	return 0
}
