package dashboard

import (
	"bytes"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"entrepot/internal/accounts"
	"entrepot/internal/dashboard/texts"
)

// screen is the data of the layout; a page's template finds its own view in Data.
type screen struct {
	Template string // templates/<Template>.html
	Title    string
	Section  string // path of the sidebar's item: "/orders"
	Crumbs   []crumb
	Bare     bool // no sidebar: login, set-up
	Data     any

	Notice string // why the change was not made, if the page no longer has the form
	Flash  *flash
	Shell  shell

	Language *texts.Language
	caller   accounts.Caller
}

// May reports whether the user has a scope; templates hide what needs a missing one.
func (s *screen) May(scope string) bool { return s.caller.May(scope) }

// MayAdminister reports whether the user is an owner or admin.
func (s *screen) MayAdminister() bool { return s.caller.Role != accounts.Viewer }

// crumb is a page above this one.
type crumb struct{ Label, To string }

// templates are the pages of a language, each in the layout, by name. A page is parsed when it is first shown: all of
// them take some 15 MB of memory, which a node that serves the API alone does not need.
type templates struct {
	files *files
	words *texts.Language
	live  bool
	pages map[string]func() *template.Template
}

// newTemplates are the pages in every language.
func newTemplates(f *files) map[*texts.Language]*templates {
	all := map[*texts.Language]*templates{}
	for _, words := range texts.Languages() {
		t := &templates{files: f, words: words, live: f.live}
		t.pages = t.parse()
		all[words] = t
	}
	return all
}

// shared are the templates that every page may use.
var shared = []string{"templates/layout.html", "templates/parts.html", "templates/list.html", "templates/export.html",
	"templates/editor_form.html",
	"templates/endpoint_fields.html", "templates/sign_ins.html"}

// parse parses what pages share, and finds the pages of the folder. It panics if something is invalid, as the first
// use of a page does.
func (t *templates) parse() map[string]func() *template.Template {
	base := template.New("").Funcs(template.FuncMap{
		"asset": t.files.asset, "scripts": t.files.scripts, "prefix": func() string { return prefix }, "badge": newBadge,
		"callout": newCallout, "ask": newAsk, "text": t.words.Text, "said": t.words.Rule,
	})
	for _, name := range shared {
		t.add(base, name)
	}
	names, err := fs.Glob(t.files, "templates/*.html")
	if err != nil {
		panic(err) // the pattern is good
	}
	pages := map[string]func() *template.Template{}
	for _, name := range names {
		if slices.Contains(shared, name) {
			continue
		}
		pages[strings.TrimSuffix(path.Base(name), ".html")] = sync.OnceValue(func() *template.Template {
			return t.add(template.Must(base.Clone()), name)
		})
	}
	return pages
}

// add adds what a file defines to a template, and returns it.
func (t *templates) add(to *template.Template, name string) *template.Template {
	source, err := fs.ReadFile(t.files, name)
	if err != nil {
		panic(err) // the list of files has it
	}
	template.Must(to.New(path.Base(name)).Parse(t.words.Template(joined(string(source)))))
	return to
}

func (t *templates) page(name string) *template.Template {
	pages := t.pages
	if t.live {
		pages = t.parse()
	}
	return pages[name]()
}

// rendered are buffers for pages, because an error in a template must not leave half a page.
var rendered = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// render writes a page.
func (d *Dashboard) render(r *request, out answer) error {
	page := *out.page
	page.Language = r.format.words
	page.Bare = page.Bare || r.session.User.ID == ""
	// a part of a page leaves the message to the next one
	if r.http.Header.Get("Entrepot-Live")+r.http.Header.Get("Entrepot-Aside") == "" {
		page.Flash = r.takeFlash()
	}
	page.Shell, page.caller = d.shell(r, &page), r.caller()
	b := rendered.Get().(*bytes.Buffer)
	defer rendered.Put(b)
	b.Reset()
	err := d.templates[page.Language].page(page.Template).ExecuteTemplate(b, "layout", &page)
	if why := r.format.words.Rule(r.refused.why()); err == nil && why != "" && !bytes.Contains(b.Bytes(), []byte(template.HTMLEscapeString(why))) {
		page.Notice = why // the page no longer has that form, or only its button
		b.Reset()
		err = d.templates[page.Language].page(page.Template).ExecuteTemplate(b, "layout", &page)
	}
	if err != nil {
		d.Log.Error("a template failed", "id", r.id, "template", page.Template, "error", err)
		http.Error(r.out, r.say("this page could not be made; the service's log says why under %s", r.id), http.StatusInternalServerError)
		return nil
	}
	r.out.Header().Set("Content-Type", "text/html; charset=utf-8")
	r.out.WriteHeader(out.code())
	_, err = r.out.Write(b.Bytes())
	return err
}
