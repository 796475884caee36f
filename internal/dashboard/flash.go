package dashboard

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
)

// flash is a message that the page after an action shows once.
type flash struct {
	Tone string `json:"tone"` // good, warn, bad
	Text string `json:"text"`
	Undo *undo  `json:"undo,omitempty"`
	ID   string `json:"-"` // of this showing: a message that is shown again is a new one

	// inputs by name: what was undone, to be done again with a correction
	Again map[string]string `json:"again,omitempty"`
}

// undo is the form that reverses an action.
type undo struct {
	Action string            `json:"action"` // below the prefix
	Label  string            `json:"label"`  // "Undo", unless other words describe it better
	Key    string            `json:"-"`
	Fields map[string]string `json:"fields,omitempty"`
}

// flashName is the cookie with the flash for the next page.
const flashName = "entrepot-flash"

// flashTime is how long a flash waits for its page, in seconds.
const flashTime = 60

// mostFlash bounds the cookie's value: browsers drop a longer one, and with it the message.
const mostFlash = 3800

// flashCookie keeps a flash for its page, without its undo if that is too long, and with the beginning of its text if
// that is.
func (r *request) flashCookie(f *flash) *http.Cookie {
	value := flashValue(f)
	if len(value) > mostFlash {
		value = flashValue(&flash{Tone: f.Tone, Text: f.Text})
	}
	if len(value) > mostFlash {
		value = flashValue(&flash{Tone: f.Tone, Text: string([]rune(f.Text)[:300]) + "…"})
	}
	return r.cookie(flashName, value, flashTime)
}

// flashValue is a flash as the value of a cookie. The undo of many inputs has their names again and again, which
// compress well.
func flashValue(f *flash) string {
	var out bytes.Buffer
	deflate, err := flate.NewWriter(&out, flate.BestCompression)
	if err == nil {
		err = json.NewEncoder(deflate).Encode(f)
	}
	if err == nil {
		err = deflate.Close()
	}
	if err != nil {
		panic(err) // a struct of texts, into memory
	}
	return base64.RawURLEncoding.EncodeToString(out.Bytes())
}

// flashOf is the flash of a cookie's value; one that is no flash has no text.
func flashOf(value string) (f flash) {
	text, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || json.NewDecoder(io.LimitReader(flate.NewReader(bytes.NewReader(text)), 1<<20)).Decode(&f) != nil {
		return flash{}
	}
	return f
}

// takeFlash returns the flash for this page and removes it; nil if there is none.
func (r *request) takeFlash() *flash {
	c, err := r.http.Cookie(flashName)
	if err != nil || c.Value == "" {
		return nil
	}
	http.SetCookie(r.out, r.cookie(flashName, "", -1))
	f := flashOf(c.Value)
	if f.Text == "" {
		return nil
	}
	f.ID = r.newKey()
	if f.Undo != nil {
		f.Undo.Action = prefix + f.Undo.Action
		f.Undo.Key = r.newKey()
		if f.Undo.Label == "" {
			f.Undo.Label = "Undo"
		}
	}
	return &f
}
