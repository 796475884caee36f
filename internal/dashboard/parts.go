package dashboard

// This file has the data of the templates in templates/parts.html. Each part is one template there and one block in
// dash.css; a development server shows all of them at /dashboard/_parts.

// badge is a status as glyph, word and colour, so that each of them alone is enough.
type badge struct{ Tone, Glyph, Word string }

func newBadge(tone, glyph, word string) badge { return badge{tone, glyph, word} }

// gauge is how much of something is done.
type gauge struct {
	Value, Max int64
	Words      string // "7 of 12"
}

// gauge shows how much is done, in words with a place for each number.
func (f format) gauge(value, most int64, words string) gauge {
	return gauge{value, most, f.say(words, f.Count(value), f.Count(most))}
}

// Full reports whether nothing is left to do.
func (g gauge) Full() bool { return g.Value >= g.Max }

// tab is a view of a list.
type tab struct {
	Label, To string // To is an address with its query
	Count     string // "" for none
	Current   bool
}

// chip is a filter that is set, with the address of the list without it.
type chip struct {
	Label, To string
	On        bool
}

// head is a column's head: with an address it sorts.
type head struct {
	Label string
	By    string // what it sorts by, in the words of the address; "" for nothing
	To    string
	Sort  string // "ascending", "descending", "" for not sorted by it
	Num   bool
	Out   bool // for screen readers only
	Drop  int  // a column that leaves a narrow table: 1 leaves first, 3 last; 0 stays
}

// pager leads through a list.
type pager struct {
	Words        string // "1–50 of 970"
	First        string // addresses, "" for none
	Newer, Older string
	Last         string // below the prefix: the last page, when this one is after it, "" otherwise
	Wrong        string // what is wrong with the address, instead of the list
	Empty        *empty // the text of a list without rows
}

// callout is a message above the content of a page.
type callout struct{ Tone, Head, Text string }

func newCallout(tone, head, text string) callout { return callout{tone, head, text} }

// Icon is the glyph of the tone.
func (c callout) Icon() string {
	switch c.Tone {
	case "bad", "warn":
		return "alert"
	case "good":
		return "check"
	}
	return "info"
}

// step is one of several pages in a sequence.
type step struct {
	Label string
	State string // "done", "at", "" for still to come
}

// empty is a list without entries: what it would show, and the first step.
type empty struct {
	Icon, Head, Text string
	Label, To        string // of the button, "" for none
	File             string // the page where a file is given, "" for none
	Curl             command
}

// ask is a dialog that asks for confirmation of something that cannot be undone. Typed, if set, must be typed.
type ask struct {
	ID, Head, Text string
	Label          string // of the button that does it
	Form           *form
	Typed          string
	Close          string // of the button that does nothing; "" for Keep it
}

func newAsk(id, head, text, label string, f *form) ask {
	return ask{ID: id, Head: head, Text: text, Label: label, Form: f}
}

// once is a secret that is shown now and never again.
type once struct {
	Head, Text string
	Label      string // what the secret is: "API key"
	More       string // what else to know, "" for nothing
	Secret     string
	Curl       string // a command that uses it, "" for none
	Back       string // address of the next page
}

// node is an entry of a tree.
type node struct {
	Label, To, Meta string
	Children        []node
}

// line is an entry of a timeline.
type line struct {
	Tone, Glyph string
	Head        string
	Changes     []change
	Text        string
	Small       string // event names and the like
	At          stamp
}

// change is an old and a new value.
type change struct{ Label, From, To string }

// pair is a name and its value.
type pair struct {
	Name, Value, To string
	At              stamp // instead of the value
	Mono            bool
}
