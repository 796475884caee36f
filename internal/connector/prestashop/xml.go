package prestashop

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"strconv"
	"strings"

	"entrepot/internal/base/money"
)

// node is one element of an answer. The web service is used with XML: its JSON leaves out what is zero or empty in the
// answer about a single resource, and in a shop with several languages a write with a JSON answer fails after it has
// written.
type node struct {
	name     string
	attrs    map[string]string
	text     string
	children []*node
}

// maxDepth limits the nesting of elements.
const maxDepth = 32

// parse parses a document. It skips PHP's output before and behind it, and characters that XML must not have: the
// shop writes into the document unchanged what buyers and merchants entered, and one such order must not delay all
// others.
func parse(body []byte) (*node, error) {
	if at := bytes.Index(body, []byte("<?xml")); at > 0 {
		body = body[at:]
	} else if at < 0 {
		if at = bytes.Index(body, []byte("<prestashop")); at > 0 {
			body = body[at:]
		}
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.Map(legal, sections.ReplaceAll(body, []byte("]]]]><![CDATA[>$1")))))
	d.Strict = true
	root := &node{}
	open := []*node{root}
	for {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		top := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			if len(open) > maxDepth {
				return nil, io.ErrUnexpectedEOF
			}
			n := &node{name: t.Name.Local, attrs: make(map[string]string, len(t.Attr))}
			for _, a := range t.Attr {
				n.attrs[a.Name.Local] = a.Value
			}
			top.children = append(top.children, n)
			open = append(open, n)
		case xml.EndElement:
			if open = open[:len(open)-1]; len(open) == 1 {
				return root.children[0], nil
			}
		case xml.CharData:
			top.text += string(t)
		}
	}
}

// sections finds the end of a CDATA section that looks ended and is not: the shop writes "]]>" in a text unchanged.
var sections = regexp.MustCompile(`\]\]>([^<]|<[^/])`)

// at finds a descendant by a path of names; nil if there is none. It may be called on nil, as may the following
// methods.
func (n *node) at(path ...string) *node {
	for _, name := range path {
		if n == nil {
			return nil
		}
		var found *node
		for _, c := range n.children {
			if c.name == name || c.name == member {
				found = c
				break
			}
		}
		n = found
	}
	return n
}

// all are the children of a name.
func (n *node) all(name string) (list []*node) {
	if n == nil {
		return nil
	}
	for _, c := range n.children {
		if c.name == name || c.name == member {
			list = append(list, c)
		}
	}
	return list
}

// get is the text of a child, without the space around it.
func (n *node) get(name string) string {
	c := n.at(name)
	if c == nil {
		return ""
	}
	return strings.TrimSpace(c.text)
}

// id is a child that names another resource; "" for none.
func (n *node) id(name string) string {
	if text := n.get(name); text != "0" {
		return text
	}
	return ""
}

func (n *node) int(name string) int64 {
	text, _, _ := strings.Cut(n.get(name), ".")
	v, _ := strconv.ParseInt(text, 10, 64)
	return v
}

// amount is a decimal of up to six places, rounded half away from zero to four.
func (n *node) amount(name string) money.Amount { return n.sum(finest, name) }

// sum adds up decimals of up to six places, and rounds the result, half away from zero, to so many.
func (n *node) sum(decimals int, names ...string) money.Amount {
	var total int64
	for _, name := range names {
		total += millionths(n.get(name))
	}
	unit := int64(1)
	for range places - decimals {
		unit *= 10
	}
	half := unit / 2
	if total < 0 {
		half = -half
	}
	rounded := (total + half) / unit
	for range finest - decimals {
		rounded *= 10
	}
	return money.Amount(rounded)
}

// Decimal places: those that the shop stores, and those of a money.Amount.
const (
	places = 6
	finest = 4
)

// millionths is a decimal in millionths; what is behind them is left out. Anything else is 0.
func millionths(text string) int64 {
	whole, part, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	part = (part + "000000")[:places]
	v, err := strconv.ParseInt(whole+part, 10, 64)
	if err != nil {
		return 0
	}
	if strings.HasPrefix(text, "-") {
		return -v
	}
	return v
}

// in is a text in a language; the text itself where a field has no languages.
func (n *node) in(name, language string) string {
	c := n.at(name)
	for _, l := range c.all("language") {
		if l.attrs["id"] == language {
			return strings.TrimSpace(l.text)
		}
	}
	if c == nil || len(c.children) > 0 {
		return ""
	}
	return strings.TrimSpace(c.text)
}

// field is a member of a resource that is written.
type field struct {
	name     string
	value    string
	texts    map[string]string // by language; nil for a field without languages
	children []field
}

func value(name, v string) field              { return field{name: name, value: v} }
func group(name string, c ...field) field     { return field{name: name, children: c} }
func number(name string, v int64) field       { return field{name: name, value: strconv.FormatInt(v, 10)} }
func price(name string, v money.Amount) field { return field{name: name, value: v.String()} }

func texts(name string, byLanguage map[string]string) field {
	return field{name: name, texts: byLanguage}
}

// document writes resources of a kind.
func document(kind string, resources ...[]field) []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<prestashop xmlns:xlink="http://www.w3.org/1999/xlink">`)
	for _, fields := range resources {
		group(kind, fields...).write(&b)
	}
	b.WriteString("</prestashop>")
	return b.Bytes()
}

func (f field) write(b *bytes.Buffer) {
	b.WriteString("<" + f.name + ">")
	switch {
	case f.texts != nil:
		for _, language := range sortedKeys(f.texts) {
			b.WriteString(`<language id="` + language + `">`)
			escape(b, f.texts[language])
			b.WriteString("</language>")
		}
	case f.children != nil:
		for _, c := range f.children {
			c.write(b)
		}
	default:
		escape(b, f.value)
	}
	b.WriteString("</" + f.name + ">")
}

// escape writes text; what XML cannot hold is left out.
func escape(b *bytes.Buffer, text string) {
	_ = xml.EscapeText(b, []byte(strings.Map(legal, strings.ToValidUTF8(text, ""))))
}

// legal drops a character that XML must not have.
func legal(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == '\uFFFE' || r == '\uFFFF' {
		return -1
	}
	return r
}
