// Package texts has what the dashboard says in other languages than English.
//
// English stands in the templates and in the code, and is the key of each translation: the file <language>.json has
// one line for each text. A text with something in it has actions (in a template) or %s (in Go), which a translation
// may put into another order: "%[2]s of %[1]s". A noun with its number has both forms: "order|orders".
package texts

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

//go:embed *.json
var files embed.FS

// Language is a language of the pages.
type Language struct {
	Code string // en, de, fr
	Name string // as it calls itself

	tag      language.Tag
	texts    map[string]string // by the English one; nil for English
	nouns    map[string]string // the forms of nouns, by the English ones
	messages map[string]string // by their formats
	rules    func() []rule     // the same, compiled at the first use
}

// English is the language of the code.
var English = &Language{Code: "en", Name: "English", tag: language.English}

// Languages are all languages, English first.
var Languages = sync.OnceValue(func() []*Language {
	return []*Language{English, load("de", "Deutsch"), load("fr", "Français")}
})

// load reads a language. It panics if one of its files, which are a part of the program, is broken.
func load(code, name string) *Language {
	l := &Language{Code: code, Name: name, tag: language.MustParse(code), texts: read(code + ".json"), messages: read(code + ".rules.json")}
	l.rules, l.nouns = rules(l.messages), map[string]string{}
	for english, said := range l.texts {
		if one, many, isNoun := strings.Cut(english, "|"); isNoun {
			l.nouns[one], l.nouns[many], _ = strings.Cut(said, "|")
		}
	}
	return l
}

func read(name string) (texts map[string]string) {
	source, err := files.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(source, &texts)
	}
	if err != nil {
		panic(err)
	}
	return texts
}

// Of is the language of a person: the one that was chosen, or else the first that the browser prefers and the
// dashboard has, by its header Accept-Language.
func Of(chosen, accept string) *Language {
	for _, l := range Languages() {
		if l.Code == chosen {
			return l
		}
	}
	if len(accept) > 100 {
		accept = accept[:strings.LastIndexByte(accept[:100], ',')+1]
	}
	preferred, _, _ := language.ParseAcceptLanguage(accept)
	for _, tag := range preferred {
		base, _ := tag.Base()
		for _, l := range Languages() {
			if l.Code == base.String() {
				return l
			}
		}
	}
	return English
}

// Say is a text in the language, with the arguments in the places of its %s; those that are texts
// themselves are said in the language, too. An unknown text stays as it is.
func (l *Language) Say(text string, args ...any) string {
	text = cmp.Or(l.texts[text], text)
	if len(args) == 0 {
		return text
	}
	for i, arg := range args {
		if word, ok := arg.(string); ok {
			args[i] = cmp.Or(l.texts[word], l.nouns[word], word)
		}
	}
	return fmt.Sprintf(text, args...)
}

// Texts are the translations by the English texts, and Messages those by the formats of rules' messages.
func (l *Language) Texts() map[string]string    { return l.texts }
func (l *Language) Messages() map[string]string { return l.messages }

// Country is the name of a country in the language, "" if it has none.
func (l *Language) Country(region language.Region) string {
	return display.Regions(l.tag).Name(region)
}

// Plural is the noun for a number, one of "order|orders" in the language. In French, 0 takes the form of 1.
func (l *Language) Plural(n int64, one, many string) string {
	one, many, _ = strings.Cut(l.Say(one+"|"+many), "|")
	if n < 0 {
		n = -n
	}
	if plural.Cardinal.MatchPlural(l.tag, int(n), 0, 0, 0, 0) == plural.One {
		return one
	}
	return many
}

// Text is what an action of a template shows: a text is said in the language, anything else stays as it is.
func (l *Language) Text(shown any) any {
	if text, ok := shown.(string); ok {
		return l.Say(text)
	}
	return shown
}

// Template is the source of a template in the language; its actions call the function text, which is Text.
func (l *Language) Template(source string) string {
	if l.texts == nil {
		return source
	}
	return rewriting{text: func(text string) string { return l.Say(text) }}.source(source)
}
