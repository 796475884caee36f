package texts

import (
	"slices"
	"strings"
	"testing"
)

// A text of a template is what stands between tags that end a line, with the inline tags and the actions in it.
func TestTextsOfTemplates(t *testing.T) {
	for _, c := range []struct {
		source string
		want   []string
	}{
		{`<p>Save</p>`, []string{"Save"}},
		{`<p>Sent {{.Count}} times to <code>{{.URL}}</code></p>`, []string{"Sent {{.Count}} times to <code>{{.URL}}</code>"}},
		{`<p><b>Nothing here</b></p>`, []string{"Nothing here"}},
		{`<p>{{if .One}}One order{{else}}{{.N}} orders{{end}}</p>`, []string{"One order", "{{.N}} orders"}},
		{`<a href="/orders"{{if .On}} aria-current="page"{{end}} aria-label="Open {{.Name}}">{{.Name}}</a>`, []string{"Open {{.Name}}"}},
		{`<input placeholder="Name or SKU"> <span>{{.Count}}</span>, <br>`, []string{"Name or SKU"}},
		{`{{define "follows"}} data-topic="order stock"{{end}}`, nil},
		{"<p>Two{{/*\n*/}} lines</p>", []string{"Two lines"}},
		{`<pre>curl -X POST</pre><textarea>Dear customer</textarea>`, nil},
		{`<p><bdi>{{.Name}}</bdi> waits</p>`, []string{"<bdi>{{.Name}}</bdi> waits"}},
		{`<b>{{if .A}}Left</b>{{end}}`, []string{"Left"}},
	} {
		if got := Runs(c.source); !slices.Equal(got, c.want) {
			t.Errorf("%s\n got %q\nwant %q", c.source, got, c.want)
		}
	}
}

// A template in another language shows the translation, keeps the blanks around a text, and asks for the labels that
// come from Go.
func TestTemplateInALanguage(t *testing.T) {
	l := &Language{texts: map[string]string{
		"Sent {{.N}} times": "{{.N}}-mal gesendet", "Open {{.Name}}": "{{.Name}} öffnen", "<bdi>{{.Name}}</bdi> waits": "Es wartet <bdi>{{.Name}}</bdi>",
	}}
	for source, want := range map[string]string{
		`<p> Sent {{.N}} times </p>`:              `<p> {{text (.N)}}-mal gesendet </p>`,
		`<a title="Open {{.Name}}">{{.Name}}</a>`: `<a title="{{text (.Name)}} öffnen">{{text (.Name)}}</a>`,
		`<p><bdi>{{.Name}}</bdi> waits</p>`:       `<p>Es wartet <bdi>{{.Name}}</bdi></p>`,
		`<code>{{.Id}}</code>`:                    `<code>{{.Id}}</code>`,
		`<p>Unknown {{or .A "x"}}</p>`:            `<p>Unknown {{text (or .A "x")}}</p>`,
	} {
		if got := l.Template(source); got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
	if got := English.Template("<p>Save {{.N}}</p>"); got != "<p>Save {{.N}}</p>" {
		t.Errorf("English is changed: %s", got)
	}
}

// The language is the chosen one, else the first of the browser's that there is.
func TestLanguageOfAPerson(t *testing.T) {
	for _, c := range [][3]string{
		{"", "", "en"}, {"", "de", "de"}, {"", "de-CH,de;q=0.9,en;q=0.8", "de"}, {"", "nl,fr-CA;q=0.8,en;q=0.5", "fr"}, {"", "nl", "en"},
		{"", "en-GB,de;q=0.9", "en"}, {"fr", "de", "fr"}, {"xx", "de", "de"}, {"", strings.Repeat("de,", 1000), "de"}, {"", "*", "en"}, {"", "\x00;;q", "en"},
	} {
		if got := Of(c[0], c[1]).Code; got != c[2] {
			t.Errorf("chosen %q, %.20q: %s, not %s", c[0], c[1], got, c[2])
		}
	}
}

// A noun has the form of its number in the language: in French, nothing is one.
func TestPlurals(t *testing.T) {
	de := &Language{tag: Of("de", "").tag, texts: map[string]string{"order|orders": "Bestellung|Bestellungen"}}
	fr := &Language{tag: Of("fr", "").tag, texts: map[string]string{"order|orders": "commande|commandes"}}
	for n, want := range map[int64][3]string{
		0: {"orders", "Bestellungen", "commande"}, 1: {"order", "Bestellung", "commande"}, 2: {"orders", "Bestellungen", "commandes"},
		1_000_001: {"orders", "Bestellungen", "commandes"},
	} {
		for i, l := range []*Language{English, de, fr} {
			if got := l.Plural(n, "order", "orders"); got != want[i] {
				t.Errorf("%d in language %d: %s, not %s", n, i, got, want[i])
			}
		}
	}
}

// The message of a rule is known by its format, with what it is about before it or not, and several at once.
func TestMessagesOfRules(t *testing.T) {
	l := &Language{texts: map[string]string{"Name": "Name", "order": "Bestellung"}, rules: rules(map[string]string{
		"must be at most %d characters": "darf höchstens %s Zeichen haben", "must be one of %s": "muss eines sein von %s",
		"%s not found": "%s nicht gefunden", "the order has %d of %d units": "von %[2]s Stück hat die Bestellung %[1]s",
	})}
	for message, want := range map[string]string{
		"must be at most 64 characters":                                "darf höchstens 64 Zeichen haben",
		"Must be at most 64 characters":                                "Darf höchstens 64 Zeichen haben",
		"Name must be at most 64 characters":                           "Name darf höchstens 64 Zeichen haben",
		"Name must be at most 64 characters; Status must be one of A.": "Name darf höchstens 64 Zeichen haben; Status muss eines sein von A.",
		"order not found":                                              "Bestellung nicht gefunden",
		"The order has 2 of 3 units":                                   "Von 3 Stück hat die Bestellung 2",
		"the shop said: (nothing) 50%":                                 "the shop said: (nothing) 50%",
		"":                                                             "",
	} {
		if got := l.Rule(message); got != want {
			t.Errorf("%s\n got %s\nwant %s", message, got, want)
		}
	}
}
