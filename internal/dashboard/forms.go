package dashboard

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
)

// field is one input of a form. Its name is the path of the member in the API's body ("items[0].quantity"), so that
// an error of the API's reader about the member is shown at the input.
type field struct {
	Name, Label, Hint string
	Kind              string   // of input; "" is text. Besides HTML's: textarea, select, checks (several of Options), decimal, int, commas (a list of texts), json (see member)
	Value             string   // its initial value
	Values            []string // the initial values of checks
	Options           []option // of select and checks; of a text they are proposed
	Required          bool
	Optional          bool   // its label says so
	Complete          string // HTML's autocomplete
	Placeholder       string
	Max               int    // characters, 0 for no bound in the browser
	Focus             bool   // the cursor is here when the page opens
	Pattern           string // what browsers accept, a regular expression
	Mono              bool   // codes and identifiers
	Bare              bool   // no label is shown at the input, which has it as its accessible name
	Digits            int    // of decimal: the decimals that its currency has
	ClearBlank        bool   // an empty input clears the member (null); otherwise the member is left out and stays
	SendBlank         bool   // an empty input is the text ""
	Unique            bool   // no two records have the same: a conflict is about it

	Form  string // id prefix, set by form
	shown string // the value before anything was typed, set by form
	exact string // of decimal: that value with a point before its decimals
	Error string // its error
}

// option is one choice.
type option struct {
	Value, Label string
	Group        string // of checks: options of one group are shown together
	On           bool   // chosen, set by form
}

// ID is the input's.
func (f field) ID() string { return inputID(f.Form, f.Name) }

// Input is the type attribute.
func (f field) Input() string {
	switch f.Kind {
	case "", "decimal", "int", "commas":
		return "text"
	}
	return f.Kind
}

// Proposals are offered by browsers while somebody types.
func (f field) Proposals() []option {
	if f.Input() == "text" {
		return f.Options
	}
	return nil
}

// Mode is the inputmode attribute, "" for none.
func (f field) Mode() string {
	switch f.Kind {
	case "decimal":
		return "decimal"
	case "int":
		return "numeric"
	}
	return ""
}

// form is a form on a page, with its values and errors.
type form struct {
	Action   string // with the prefix
	Key      string // identifies this copy of the form: sending it twice has one effect
	Seen     string // what the inputs were filled from (see editing), "" for a form that changes no stored record
	Fields   []*field
	Message  string    // the error of the whole form, "" for none
	Problems []problem // the errors of the inputs

	path    string            // below the prefix
	point   string            // what the user's locale writes before decimals
	unclear map[string]string // what is asked about inputs whose numbers can be read in two ways, by their names
	sent    url.Values
	object  *apijson.Object
}

// problem is one error of a form; ID is its input's, "" for none.
type problem struct{ ID, Text string }

// keyName is the input with the form's key.
const keyName = "_key"

// newKey generates the key of one copy of a form. It names the account of the page.
func (r *request) newKey() string { return rand.Text() + "." + r.accountTag() }

// accountTag is a short name of the session's account, for pages and forms that outlive the session.
func (r *request) accountTag() string {
	sum := sha256.Sum256([]byte(r.session.Account.ID))
	return hex.EncodeToString(sum[:4])
}

// checkAccount refuses a form of a page of another account: somebody has logged in to this one in another tab, where
// what the form creates does not belong. The session of that page has ended. Errors: Unauthorized.
func (r *request) checkAccount() error {
	_, tag, named := strings.Cut(r.http.PostForm.Get(keyName), ".")
	if !named || tag == r.accountTag() {
		return nil
	}
	r.session = accounts.Session{}
	return accounts.Unauthorized("this page is of another account")
}

// form declares a form that is sent to an action below the prefix, whose query is about the page and not the form. If
// the request was sent by that form, it has the values that were typed.
func (r *request) form(action string, fields ...field) *form {
	path, _, _ := strings.Cut(action, "?")
	if r.refused != nil && r.refused.path == path {
		return r.refused
	}
	f := &form{Action: prefix + action, path: path, point: r.format.point(), Key: r.newKey()}
	for _, in := range fields {
		if in.Kind == "" && strings.Contains(in.Value, "\n") {
			in.Kind = "textarea" // an input of one line would join the lines
		}
		r.format.fill(&in)
		in.Form, in.shown = strings.Trim(strings.Map(idChar, path), "-"), in.Value
		f.Fields = append(f.Fields, &in)
	}
	if r.http.Method == http.MethodPost && r.http.URL.EscapedPath() == prefix+path {
		f.take(r.http.PostForm)
	}
	for _, in := range f.Fields {
		in.choose()
	}
	return f
}

// take fills the form with the values that were sent.
func (f *form) take(sent url.Values) {
	f.sent = sent
	if key := sent.Get(keyName); key != "" && len(key) <= 64 {
		f.Key = key
	}
	for _, in := range f.Fields {
		switch in.Kind {
		case "password": // must be typed again
		case "checkbox":
			in.Value = ""
			if sent.Get(in.Name) != "" {
				in.Value = "true"
			}
		case "checks":
			in.Values = sent[in.Name]
		default:
			if sent.Has(in.Name) {
				in.Value = f.Value(in.Name)
			}
		}
	}
}

// choose marks the chosen options.
func (f *field) choose() {
	f.Options = slices.Clone(f.Options)
	for i := range f.Options {
		o := &f.Options[i]
		o.On = f.Kind == "checks" && slices.Contains(f.Values, o.Value) || f.Kind != "checks" && f.Value == o.Value
	}
}

// mostOptions is how many options of checks are shown at once; if there are more, those that are not chosen are
// folded.
const mostOptions = 20

// Shown are the options of checks that are always in sight.
func (f *field) Shown() []option { return f.options(true) }

// Folded are the options that are shown on request.
func (f *field) Folded() []option { return f.options(false) }

func (f *field) options(shown bool) (list []option) {
	for _, o := range f.Options {
		if (o.On || len(f.Options) <= mostOptions) == shown {
			list = append(list, o)
		}
	}
	return list
}

// At is a field by its name; it panics if the form does not have it, which the test of templates detects.
func (f *form) At(name string) *field {
	if in := f.find(name); in != nil {
		return in
	}
	panic("the form " + f.path + " has no field " + name)
}

// find is a field by its name, nil if the form does not have it.
func (f *form) find(name string) *field {
	if i := slices.IndexFunc(f.Fields, func(in *field) bool { return in.Name == name }); i >= 0 {
		return f.Fields[i]
	}
	return nil
}

// Value is the value that was sent under a name. Browsers send the lines of a text with CRLF between them.
func (f *form) Value(name string) string { return strings.ReplaceAll(f.sent.Get(name), "\r\n", "\n") }

// Object has the values that were sent, for the API's readers.
func (f *form) Object() *apijson.Object {
	if f.object == nil {
		f.object = apijson.Read(f.document())
		for _, in := range f.Fields {
			if words := f.unclear[in.Name]; words != "" {
				f.object.AddError(in.Name, "%s", words)
			}
		}
	}
	return f.object
}

// fail shows an error at the inputs that it is about. It reports whether the form's own page can show it.
func (f *form) fail(err error) bool {
	e, ok := apperr.As(err)
	if !ok {
		return false
	}
	switch e.Kind {
	case apperr.NotFound, apperr.Unavailable, apperr.TooLarge:
		return false
	}
	if len(e.Details) == 0 {
		f.Message = said(e)
		unique := func(in *field) bool { return in.Unique && in.Kind != "hidden" }
		if i := slices.IndexFunc(f.Fields, unique); i >= 0 && e.Kind == apperr.Conflict {
			f.Fields[i].Error = sentence(f.Message)
		}
		return true
	}
	for _, d := range e.Details {
		words := restated(d.Message)
		i := slices.IndexFunc(f.Fields, func(in *field) bool { return in.isAbout(d.Path) })
		if i < 0 {
			f.Problems = append(f.Problems, problem{Text: pathSaid(d)})
			continue
		}
		in := f.Fields[i]
		if in.Kind == "decimal" {
			words = strings.Replace(words, sampleDecimal, strings.Replace(sampleDecimal, ".", f.point, 1), 1)
		}
		if in.Error == "" {
			in.Error = belowInput(words)
		}
		f.Problems = append(f.Problems, problem{ID: in.ID(), Text: about(in.Label, words)})
	}
	return true
}

// isAbout reports whether the error of a member is shown at the input: the member's own, or that of an entry of its list.
func (f *field) isAbout(path string) bool {
	return f.Name == path && f.Kind != "hidden" || f.Kind == "commas" && strings.HasPrefix(path, f.Name+"[")
}

// Wrong reports whether the form was refused: it is shown then, also where it is hidden otherwise.
func (f *form) Wrong() bool { return f.why() != "" }

// another declares one more form of an action that several forms of the page have. A refusal is shown above the page,
// because it is not known which of them was sent.
func (r *request) another(action string, fields ...field) *form {
	refused := r.refused
	r.refused = nil
	f := r.form(action, fields...)
	r.refused = refused
	return f
}

// why is the error of a refused form, "" for none.
func (f *form) why() string {
	switch {
	case f == nil:
		return ""
	case f.Message == "" && len(f.Problems) > 0:
		return f.Problems[0].Text
	}
	return f.Message
}

// submit runs the action of a form. A caller's error is shown on the page with the form, with everything that was
// typed, and answered 422 (or with the error's own status when no input is wrong); show is that page.
func (r *request) submit(f *form, show func(*request) (answer, error), action func(*form) (answer, error)) (answer, error) {
	out, err := action(f)
	if err != nil && r.stale != nil { // the error comes from the form's age
		err = r.staleBy()
	}
	if err == nil || !f.fail(err) {
		return out, err
	}
	e, _ := apperr.As(err)
	r.retryAfter(e)
	r.refused = f
	out, showErr := show(r)
	if showErr != nil {
		return answer{}, showErr
	}
	if out.status = e.Kind.Status(); e.Kind == apperr.Invalid {
		out.status = http.StatusUnprocessableEntity
	}
	return out, nil
}

// sentence is a message with a capital first letter.
func sentence(message string) string {
	if message == "" {
		return ""
	}
	return strings.ToUpper(message[:1]) + message[1:]
}

// predicate is how a message begins that is about its subject; others are sentences of their own.
var predicate = regexp.MustCompile(`^(must|may|is|has|cannot|begins|changed) `)

// about is a message about something as it stands elsewhere.
func about(subject, message string) string {
	if subject == "" || predicate.MatchString(message) {
		return strings.TrimSpace(subject + " " + message)
	}
	return subject + ": " + message
}

// belowInput is a message about an input as it stands below it, where its label is not the subject.
func belowInput(message string) string {
	if strings.HasPrefix(message, "is ") {
		message = "this " + message
	}
	return sentence(message)
}

func inputID(form, name string) string { return form + "-" + strings.Map(idChar, name) }

// idChar keeps the characters that are allowed in an element's id.
func idChar(c rune) rune {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return c
	}
	return '-'
}

// formView is what templates/form.html shows: one form alone.
type formView struct {
	Form        *form
	Label, Back string
	Hint        string
}

func hiddenField(name, value string) field { return field{Name: name, Kind: "hidden", Value: value} }
