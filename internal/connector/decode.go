package connector

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// maxStarts is how many brackets are tried as the start of the JSON, and maxScan how many bytes are read for that: a
// large answer that is no JSON must not be read sixty-four times.
const (
	maxStarts = 64
	maxScan   = 2 * maxAnswer
)

// Accepted decodes the JSON of an answer; into is nil if only the status matters, and the answer may then be empty,
// as may any with status 204. A page with status 200, or an object with only a message, comes from a proxy or host
// and does not show that anything was done. Errors: as DecodeAnswer.
func Accepted(answer *Response, into any) error {
	if len(bytes.TrimSpace(answer.Body)) == 0 && (into == nil || answer.Status == http.StatusNoContent) {
		return nil
	}
	if into == nil {
		into = new(json.RawMessage)
	}
	var word map[string]json.RawMessage
	if len(answer.Body) < longestWord && json.Unmarshal(answer.Body, &word) == nil && len(word) == 1 && word["message"] != nil {
		return Failf(Temporary, "the answer is not the platform's: %s", Line(string(answer.Body)))
	}
	return DecodeAnswer(answer, into)
}

// longestWord is the most bytes of an answer that is a gateway's message and nothing else.
const longestWord = 1000

// DecodeAnswer decodes the JSON of an answer. Shops write warnings of their plugins before it, which may contain
// brackets: the JSON starts at the first bracket from which everything is one JSON value. An answer that ends too
// early is no warning, and no part of it passes for the whole. Errors: Failure Temporary, because a page that is no
// JSON comes from a proxy or host and not from the shop.
func DecodeAnswer(answer *Response, into any) error {
	rest := answer.Body
	var first error
	scanned := 0
	for range maxStarts {
		start := bytes.IndexAny(rest, "{[")
		if start < 0 || scanned > maxScan {
			break
		}
		rest = rest[start:]
		scanned += len(rest)
		if json.Valid(rest) {
			if err := json.Unmarshal(rest, into); err != nil {
				return &Failure{Kind: Rejected, Message: "the answer's JSON is not what the platform documents", Err: err}
			}
			return nil
		}
		if first == nil {
			first = errors.New("no JSON value reaches to the end")
		}
		if cut(rest) {
			break
		}
		rest = rest[1:]
	}
	return &Failure{
		Kind:    Temporary,
		Message: "the answer is not JSON: " + Line(string(answer.Body[:min(len(answer.Body), 2000)])),
		Err:     first,
	}
}

// cut reports whether a text is the beginning of a JSON value.
func cut(text []byte) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(text)).Decode(&value), io.ErrUnexpectedEOF)
}
