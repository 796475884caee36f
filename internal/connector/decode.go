package connector

import (
	"bytes"
	"encoding/json"
	"errors"
)

// maxStarts is how many brackets are tried as the start of the JSON, and maxScan how many bytes are read for that: an
// answer that is large and no JSON is not read sixty-four times.
const (
	maxStarts = 64
	maxScan   = 2 * maxAnswer
)

// Accepted decodes the JSON of an answer that may be empty; into is nil if only the status matters. A page with status 200 comes from a
// proxy or host, and is no sign that anything was done. Errors: as DecodeAnswer.
func Accepted(answer *Response, into any) error {
	if len(bytes.TrimSpace(answer.Body)) == 0 {
		return nil
	}
	if into == nil {
		into = new(json.RawMessage)
	}
	return DecodeAnswer(answer, into)
}

// DecodeAnswer decodes the JSON of an answer. Shops write warnings of their plugins before it, which may contain
// brackets: the JSON starts at the first bracket from which everything is one JSON value. Errors: Failure Temporary,
// because a page that is no JSON comes from a proxy or host and not from the shop.
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
		rest = rest[1:]
	}
	return &Failure{
		Kind:    Temporary,
		Message: "the answer is not JSON: " + Line(string(answer.Body[:min(len(answer.Body), 2000)])),
		Err:     first,
	}
}
