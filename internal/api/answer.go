package api

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"strconv"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/records"
)

// answer is what a handler returns: a status and a body of JSON. resource is the id of the record that it is about.
type answer struct {
	status   int
	parts    *apijson.Parts // the first part of a large body
	body     []byte
	resource string
	code     string // the code of an error
	header   map[string]string
	replay   bool
	download *download // a file instead of a body
	// what the ETag covers instead of the body, nil for the body: figures up to now leave out their span
	content []byte
	covered int // how many bytes from the start the ETag covers, 0 for all: a feed's ETag leaves out the server's time
}

// size is the size of the whole body, in bytes.
func (a *answer) size() int { return a.parts.Size() + len(a.body) }

// sent is the size of what is sent: the body, or the file.
func (a *answer) sent() int64 {
	if a.download != nil {
		return a.download.export.Size
	}
	return int64(a.size())
}

// held is how many bytes of memory the body takes until it is sent.
func (a *answer) held() int {
	if a.parts == nil {
		return len(a.body)
	}
	return a.parts.Held() + apijson.BlockSize + len(a.body)
}

// one wraps a resource: {"data": …} (interface §4).
func one(status int, resource string, write func(w *apijson.Writer)) answer {
	return answer{status: status, body: records.Document(write), resource: resource}
}

// deleted is the answer of every delete: {"data": {"id", "deleted": true}}; more may be nil.
func deleted[T ~string](resource T, more func(w *apijson.Writer)) answer {
	return one(http.StatusOK, string(resource), func(w *apijson.Writer) { writeDeleted(w, resource, more) })
}

func writeDeleted[T ~string](w *apijson.Writer, resource T, more func(w *apijson.Writer)) {
	w.Record(choose(more == nil, "Deleted", ""), "data")
	apijson.ID(w, "id", resource)
	w.Bool("deleted", true)
	if more != nil {
		more(w)
	}
	w.End()
}

// failure converts an error to an answer in the one error shape. An error that is not apperr's becomes "internal
// error".
func failure(err error, requestID string) answer {
	f, ok := apperr.As(err)
	status := 0
	if ok {
		status = f.Kind.Status()
	}
	if status == 0 {
		status = http.StatusInternalServerError
		f = &apperr.Error{Code: "internal", Message: "internal error, please report the requestId"}
	}
	return shaped(status, f, requestID)
}

// shaped writes the error body and the headers that go with it.
func shaped(status int, f *apperr.Error, requestID string) answer {
	w := apijson.NewWriter(256)
	writeError(w, status, f, requestID)
	a := answer{status: status, code: f.Code, header: map[string]string{}, body: w.Bytes()}
	for _, m := range f.Members {
		if seconds, ok := m.Value.(int); ok && m.Name == "retryAfter" {
			a.header["Retry-After"] = strconv.Itoa(seconds)
		}
	}
	switch status {
	case http.StatusRequestTimeout:
		a.header["Connection"] = "close" // what is left of the body would be read as the next request
	case http.StatusUnauthorized:
		a.header["WWW-Authenticate"] = `Bearer realm="entrepot"`
	case http.StatusServiceUnavailable:
		if a.header["Retry-After"] == "" {
			a.header["Retry-After"] = "2"
		}
	}
	return a
}

// errorKinds names the records of errors with members of their own; others are the record Error (interface §7).
var errorKinds = map[int]string{
	http.StatusBadRequest: "ValidationError", http.StatusForbidden: "ScopeError", http.StatusConflict: "ConflictError",
	http.StatusUnprocessableEntity: "TransitionError", http.StatusTooManyRequests: "RateLimitError",
	http.StatusServiceUnavailable: "UnavailableError",
}

// writeError writes the error body: statusCode, message, error, code, requestId, details and the error's members.
func writeError(w *apijson.Writer, status int, f *apperr.Error, requestID string) {
	w.Record(cmp.Or(errorKinds[status], "Error"), "")
	w.Int("statusCode", int64(status))
	w.Text("message", f.Message)
	w.Text("error", http.StatusText(status))
	w.Text("code", f.Code)
	w.Text("requestId", requestID)
	if len(f.Details) > 0 {
		w.List("details")
		for _, d := range f.Details {
			w.Record("ErrorDetail", "")
			w.Text("path", d.Path)
			w.Text("message", d.Message)
			w.End()
		}
		w.EndList()
	}
	for _, m := range f.Members {
		writeErrorMember(w, m.Name, m.Value)
	}
	w.End()
}

// writeErrorMember writes a number, a text or a list of texts, of whatever type.
func writeErrorMember(w *apijson.Writer, name string, value any) {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Int, reflect.Int64:
		w.Int(name, v.Int())
	case reflect.String:
		w.Text(name, v.String())
	case reflect.Slice:
		w.List(name)
		for i := range v.Len() {
			w.Text("", v.Index(i).String())
		}
		w.EndList()
	default:
		w.Text(name, fmt.Sprint(value))
	}
}
