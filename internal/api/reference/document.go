package reference

import "encoding/json"

// document is the part of an OpenAPI 3.1 document that the page uses.
type document struct {
	Info struct {
		Title, Version, Description string
	}
	Tags       []struct{ Name, Description string }
	Paths      map[string]map[string]operation // by path, then by method in lower case
	Webhooks   map[string]map[string]operation
	Components struct {
		Parameters map[string]parameter
		Responses  map[string]response
	}
}

type operation struct {
	OperationID string `json:"operationId"`
	Summary     string
	Description string
	Tags        []string
	Parameters  []parameter
	RequestBody *struct {
		Required bool
		Content  content
	} `json:"requestBody"`
	Responses map[string]response
	Security  []map[string][]string
}

type parameter struct {
	Ref         string `json:"$ref"`
	Name, In    string
	Description string
	Required    bool
	Schema      schema
}

// schema is the part of a parameter's schema that fits one line.
type schema struct {
	Type, Format string
	Enum         []any
	Default      any
	Minimum      *json.Number
	Maximum      *json.Number
	Items        *schema
}

type response struct {
	Ref         string `json:"$ref"`
	Description string
	Content     content
}

type content map[string]struct{ Example json.RawMessage }

// example is the example of JSON content, indented; "" if there is none.
func (c content) example() json.RawMessage { return c["application/json"].Example }
