package prestashop

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// session is one shop. It remembers facts about the shop for its lifetime.
type session struct {
	connector.Unsupported
	link    connector.Link
	base    string    // of the web service, with its last slash
	version string    // of the shop, once it has answered
	date    time.Time // the shop's time in its last answer
	dated   time.Time // when that came, by the service's clock
	shop    *shop
	options *options
	taxes   *taxes
	tree    map[string]string  // categories by parent and name
	cache   map[string]*node   // of resources that orders name, by kind and id
	ahead   map[string][]*node // carrier rows of orders that are about to be pushed
	owners  map[string]int     // how many products have a reference that an order names
	tracked map[string]string  // numbers that this session wrote, by order
}

// Open makes a session for one channel.
func (*Connector) Open(l connector.Link) connector.Session {
	base := strings.TrimRight(l.Channel.Value("baseUrl"), "/")
	if base == "" {
		base = strings.TrimRight(l.Channel.Value("url"), "/")
	}
	return &session{link: l, base: strings.TrimSuffix(base, "/api") + "/api/", tree: map[string]string{}, cache: map[string]*node{},
		tracked: map[string]string{}, owners: map[string]int{}}
}

// call sends a request to the web service and reads its answer. body is XML, nil for none.
func (s *session) call(ctx context.Context, method, path string, query url.Values, body []byte) (*node, *connector.Response, error) {
	return s.send(ctx, method, path, query, "text/xml", body)
}

func (s *session) send(ctx context.Context, method, path string, query url.Values, kind string, body []byte) (*node, *connector.Response,
	error) {
	target, query := s.base+path, s.parameters(query)
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, nil, connector.Failf(connector.Rejected, "the shop's address cannot be called")
	}
	if body != nil {
		r.Header.Set("Content-Type", kind)
	}
	if !s.keyInAddress() {
		r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(s.link.Channel.Value("webserviceKey")+":")))
	}
	var doc *node
	answer, err := s.link.Client.Call(r, func(answer *connector.Response) (err error) {
		if at := answer.Date(); !at.IsZero() {
			s.date, s.dated = at, s.link.Now()
		}
		if v := answer.Header.Get("PSWS-Version"); v != "" && v != "0" {
			s.version = v
		}
		if method == http.MethodDelete && answer.Status == http.StatusOK && len(answer.Body) == 0 {
			return nil
		}
		doc, err = s.read(answer)
		return err
	})
	return doc, answer, err
}

// keyInAddress reports whether a setting puts the key into addresses, because the shop's web server removes it from
// the header. The server's log then has the key.
func (s *session) keyInAddress() bool { return s.link.Channel.Settings["keyInAddress"] == "true" }

// parameters are those of a request, with what the channel's settings have each request say: the shop, of several of
// one installation, and the key.
func (s *session) parameters(query url.Values) url.Values {
	all := url.Values{}
	maps.Copy(all, query)
	if shop := s.link.Channel.Settings["shopNumber"]; shop != "" {
		all.Set("id_shop", shop)
	}
	if s.keyInAddress() {
		all.Set("ws_key", s.link.Channel.Value("webserviceKey"))
	}
	return all
}

// Codes of the web service's errors.
const (
	codeServiceOff  = "22"
	codeBadMethod   = "25"
	codeBadResource = "26"
	codeNoResource  = "27"
)

var (
	errNoDocument = errors.New("the document is not the web service's")
	errNoMethod   = errors.New("the method is not allowed")
)

// read converts an answer to a document or a failure. A 500 that has both the resource and errors was written; one
// that has only errors was refused.
func (s *session) read(answer *connector.Response) (*node, error) {
	var doc *node
	var err error
	if start := bytes.TrimSpace(answer.Body); len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		doc, err = parseJSON(start)
	} else {
		doc, err = parse(answer.Body)
	}
	if err == nil && doc.name != "prestashop" { // a page whose markup is well-formed
		doc, err = nil, errNoDocument
	}
	wrong := doc.at("errors", "error")
	if answer.Status < 400 && err == nil && wrong == nil {
		return doc, nil
	}
	code, message := wrong.get("code"), wrong.get("message")
	if code == "" {
		code, message = jsonError(answer)
	}
	if doc != nil && wrong != nil && len(doc.children) > 1 {
		return doc, nil
	}
	f := connector.HTTPFailure(answer, s.link.Now(), code, message)
	if f == nil && code == "" { // a page instead of a document: something stands before the shop
		return nil, connector.Failf(connector.Temporary, "the shop answered something that is not its web service: %s",
			connector.Line(string(answer.Body[:min(len(answer.Body), 500)])))
	}
	if f == nil {
		f = &connector.Failure{Kind: connector.Rejected, Code: code, Message: connector.Line(message)}
	}
	switch {
	case code == "" && len(bytes.TrimSpace(answer.Body)) > 0 && (f.Kind == connector.Missing || f.Kind == connector.Forbidden):
		// What the shop does not have has an empty answer: a page is of something that stands before it.
		f.Kind, f.Message = connector.Temporary, "a page answers in place of the shop's web service: "+f.Message
	case code == "" && connector.GaveUp(answer):
		f.Message, f.Err = "the shop's host waited too long for the shop", connector.ErrGatewayTimeout
	case code == "" && answer.Status == http.StatusUnauthorized && !s.keyInAddress(): // a wrong key is refused with a code
		f.Message = "no key has reached the shop's web service: if there is one, the web server takes it out of the request, and the channel's " +
			"setting keyInAddress (true) sends it in another way"
	case code == codeServiceOff:
		f.Kind, f.Message = connector.Forbidden, "the shop's web service is switched off: Advanced Parameters, Webservice, Enable"
	case code == codeBadResource, code == codeNoResource: // an older shop lacks resources
		f.Kind = connector.Forbidden
	case answer.Status == http.StatusMethodNotAllowed || answer.Status == http.StatusNotImplemented:
		if f.Err = errNoMethod; code == codeBadMethod {
			f.Kind = connector.Forbidden
		}
	case answer.Status == http.StatusInternalServerError && code != "":
		f.Kind = connector.Rejected
	}
	return nil, f
}

// jsonError finds the error of an answer that came as JSON though XML was asked for.
func jsonError(answer *connector.Response) (code, message string) {
	var body struct {
		Errors []struct {
			Code    connector.ID
			Message string
		}
	}
	if !bytes.Contains(answer.Body, []byte(`"errors"`)) || connector.DecodeAnswer(answer, &body) != nil || len(body.Errors) == 0 {
		return "", ""
	}
	return string(body.Errors[0].Code), body.Errors[0].Message
}

// query is the parameters of a list.
type query url.Values

func full() query { return query{"display": {"full"}} }

func display(fields ...string) query {
	return query{"display": {"[" + strings.Join(fields, ",") + "]"}}
}

// any keeps the resources whose field is one of the values.
func (q query) any(field string, values ...string) query {
	q["filter["+field+"]"] = []string{"[" + strings.Join(values, "|") + "]"}
	return q
}

// containing keeps the resources whose field contains a text.
func (q query) containing(field, text string) query {
	q["filter["+field+"]"] = []string{"%[" + text + "]%"}
	return q
}

// between keeps the resources whose time lies between two, both included.
func (q query) between(field, from, to string) query {
	q["filter["+field+"]"] = []string{"[" + from + "," + to + "]"}
	q["date"] = []string{"1"}
	return q
}

func (q query) page(offset, count int, sort string) query {
	q["limit"] = []string{strconv.Itoa(offset) + "," + strconv.Itoa(count)}
	q["sort"] = []string{"[" + sort + "]"}
	return q
}

// list reads resources: kind is the kind of one, resource the name in the address. A shop without the resource counts
// as one whose key may not read it: a list without rows is no error.
func (s *session) list(ctx context.Context, resource, kind string, q query) ([]*node, error) {
	doc, _, err := s.call(ctx, http.MethodGet, resource, url.Values(q), nil)
	if connector.Is(err, connector.Missing) {
		return nil, connector.Failf(connector.Forbidden, "the shop's web service has no %s", resource)
	}
	if err != nil {
		return nil, err
	}
	for _, c := range doc.children {
		if found := c.all(kind); len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// inChunks reads resources by many values of a field, some in each request.
func (s *session) inChunks(ctx context.Context, resource, kind, field string, values []string, q func() query) (list []*node, err error) {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	for _, piece := range connector.InAddresses(values, 50) {
		found, err := s.list(ctx, resource, kind, q().any(field, piece...))
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// create creates a resource and returns it as the shop has it. The shop creates another one each time, so callers must
// search first.
func (s *session) create(ctx context.Context, resource, kind string, fields ...field) (*node, error) {
	doc, _, err := s.call(ctx, http.MethodPost, resource, nil, document(kind, fields))
	return doc.at(kind), err
}

// patch changes fields of a resource; it may be repeated.
func (s *session) patch(ctx context.Context, resource, kind, id string, fields ...field) error {
	_, err := s.change(ctx, resource, kind, append([]field{value("id", id)}, fields...))
	return err
}

func (s *session) remove(ctx context.Context, resource, id string) error {
	_, _, err := s.call(connector.Repeatable(ctx), http.MethodDelete, resource+"/"+url.PathEscape(id), nil, nil)
	if connector.Is(err, connector.Missing) {
		return nil
	}
	return err
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
