package connector

import (
	"bytes"
	"encoding/json"
	"errors"
)

// maxStarts is how many brackets of a text before the JSON are tried.
const maxStarts = 64

// DecodeAnswer reads the JSON of an answer. Shops put warnings of their plugins in front of it, with brackets of their own: the first
// bracket from which all that follows is one JSON value counts. Errors: Failure Temporary, since a page that is no JSON comes from what
// stands before the shop.
func DecodeAnswer(answer *Response, into any) error {
	rest := answer.Body
	var first error
	for range maxStarts {
		start := bytes.IndexAny(rest, "{[")
		if start < 0 {
			break
		}
		rest = rest[start:]
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
