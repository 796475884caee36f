package reference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// page is the data of page.html.
type page struct {
	Title, Version, About string
	Groups                []*group
	Events                []entry
	Query                 string // the search, "" for the whole page
	Only                  bool   // one operation or event, with all details
	Reader                *Reader
	Chosen                *Key // in the samples, nil for none
}

// find is the page reduced to operations and events that have every word of a query in their names, paths or summaries.
func (p *page) find(query string) *page {
	words := strings.Fields(strings.ToLower(query))
	return p.where(query, false, func(e entry) bool {
		text := strings.ToLower(strings.Join(append([]string{e.ID, e.Method, e.Path, e.Summary}, e.Scopes...), " "))
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
	})
}

// one is the page of one operation or event, nil if there is none with that name.
func (p *page) one(name string) *page {
	found := p.where("", true, func(e entry) bool { return e.ID == name })
	if len(found.Groups)+len(found.Events) == 0 {
		return nil
	}
	return found
}

func (p *page) where(query string, only bool, fits func(entry) bool) *page {
	part := &page{Title: p.Title, Version: p.Version, About: p.About, Query: query, Only: only}
	keep := func(list []entry) (kept []entry) {
		for _, e := range list {
			if fits(e) {
				kept = append(kept, e)
			}
		}
		return kept
	}
	for _, g := range p.Groups {
		if entries := keep(g.Entries); len(entries) > 0 {
			part.Groups = append(part.Groups, &group{Name: g.Name, About: g.About, Entries: entries})
		}
	}
	part.Events = keep(p.Events)
	return part
}

// group is the operations of one tag.
type group struct {
	Name, About string
	Entries     []entry
}

// entry is one operation, or one event with what its receivers are sent.
type entry struct {
	ID, Method, Path, Summary, About string
	Credential                       string
	Scopes                           []string
	Parameters                       []row
	Body                             string // example, indented
	Optional                         bool   // the body may be left out
	Answers                          []answer
	Errors                           []answer
	Curl                             string
	Samples                          []sample // programs in several languages
	Keep                             string   // query that keeps the chosen key, "" for none
	sent                             request
}

// row is one parameter.
type row struct {
	Name, In, Type, About string
	Required              bool
}

type answer struct{ Status, About, Example string }

// methods is the order of the operations of one path.
var methods = []string{"get", "post", "put", "patch", "delete"}

func newPage(text []byte) (*page, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("reading the API description: %w", err)
	}
	p := &page{Title: d.Info.Title, Version: d.Info.Version, About: d.Info.Description}
	groups := map[string]*group{}
	for _, t := range d.Tags {
		groups[t.Name] = &group{Name: t.Name, About: t.Description}
		p.Groups = append(p.Groups, groups[t.Name])
	}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range methods {
			op, there := d.Paths[path][method]
			if !there {
				continue
			}
			if len(op.Tags) == 0 || groups[op.Tags[0]] == nil {
				return nil, fmt.Errorf("the operation %s has no tag of the document", op.OperationID)
			}
			g := groups[op.Tags[0]]
			g.Entries = append(g.Entries, d.entry(strings.ToUpper(method), path, op))
		}
	}
	p.Groups = slices.DeleteFunc(p.Groups, func(g *group) bool { return len(g.Entries) == 0 })
	for _, event := range slices.Sorted(maps.Keys(d.Webhooks)) {
		op := d.Webhooks[event]["post"]
		e := entry{ID: op.OperationID, Method: "EVENT", Path: event, Summary: op.Summary, About: op.Description,
			Parameters: d.rows(op.Parameters)}
		if op.RequestBody != nil {
			e.Body = indented(op.RequestBody.Content.example())
		}
		p.Events = append(p.Events, e)
	}
	return p, nil
}

func (d *document) entry(method, path string, op operation) entry {
	e := entry{ID: op.OperationID, Method: method, Path: path, Summary: op.Summary, About: op.Description, Parameters: d.rows(op.Parameters)}
	e.Credential, e.Scopes = credential(op.Security)
	for _, scope := range e.Scopes { // scopes have a line of their own
		e.About = strings.TrimSuffix(e.About, " Needs the scope `"+scope+"`.")
	}
	// parameters that are described there, too, do not repeat it
	if at := strings.LastIndex(e.About, "Interface §"); at >= 0 {
		for i := range e.Parameters {
			e.Parameters[i].About = strings.TrimSuffix(e.Parameters[i].About, " "+e.About[at:])
		}
	}
	var body json.RawMessage
	if op.RequestBody != nil {
		body = op.RequestBody.Content.example()
		e.Body, e.Optional = indented(body), !op.RequestBody.Required
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		r := op.Responses[status]
		if r.Ref != "" {
			r = d.Components.Responses[last(r.Ref)]
		}
		a := answer{Status: status, About: r.Description, Example: indented(r.Content.example())}
		switch {
		case status == "default":
		case status < "400":
			e.Answers = append(e.Answers, a)
		default:
			e.Errors = append(e.Errors, a)
		}
	}
	e.sent = newRequest(method, path, op.Security, body)
	e.Curl, e.Samples = e.sent.curlText(), e.sent.samples()
	return e
}

// rows are the parameters in the order of the document, with references resolved.
func (d *document) rows(list []parameter) (rows []row) {
	for _, p := range list {
		if p.Ref != "" {
			p = d.Components.Parameters[last(p.Ref)]
		}
		rows = append(rows, row{Name: p.Name, In: p.In, Type: p.Schema.line(), About: p.Description, Required: p.Required})
	}
	return rows
}

// line is a type with its bounds: "integer from 1 to 100, default 20".
func (s schema) line() string {
	text := s.Type
	switch {
	case s.Items != nil:
		text = "list of " + s.Items.line()
	case len(s.Enum) > 0:
		names := make([]string, 0, len(s.Enum))
		for _, v := range s.Enum {
			if v != nil {
				names = append(names, fmt.Sprint(v))
			}
		}
		text = strings.Join(names, " | ")
	case s.Format != "":
		text = s.Format
	}
	if s.Minimum != nil {
		text += " from " + s.Minimum.String()
	}
	if s.Maximum != nil {
		text += " to " + s.Maximum.String()
	}
	if s.Default != nil {
		text += fmt.Sprintf(", default %v", s.Default)
	}
	return text
}

// credential describes the credential that an operation needs, and the scopes of an API key or token.
func credential(security []map[string][]string) (text string, scopes []string) {
	var kinds []string
	for _, way := range security {
		for kind, needs := range way {
			kinds = append(kinds, map[string]string{"apiKey": "API key", "bearer": "access token"}[kind])
			scopes = needs
		}
	}
	return cmp.Or(strings.Join(kinds, " or "), "no credential"), scopes
}

func indented(text json.RawMessage) string {
	var out bytes.Buffer
	if len(text) == 0 || json.Indent(&out, text, "", "  ") != nil {
		return ""
	}
	return out.String()
}

// last is the name at the end of a reference.
func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }
