package dashboard

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
)

// flash is a message that the page after an action shows once.
type flash struct {
	Tone string `json:"tone"` // good, warn, bad
	Text string `json:"text"`
	Undo *undo  `json:"undo,omitempty"`
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

// flashTime is how long a flash is kept for its page, in seconds.
const flashTime = 60

func (r *request) flashCookie(f *flash) *http.Cookie {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // a struct of texts
	}
	return r.cookie(flashName, base64.RawURLEncoding.EncodeToString(text), flashTime)
}

// takeFlash returns the flash for this page and removes it; nil if there is none.
func (r *request) takeFlash() *flash {
	c, err := r.http.Cookie(flashName)
	if err != nil || c.Value == "" {
		return nil
	}
	http.SetCookie(r.out, r.cookie(flashName, "", -1))
	text, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return nil
	}
	var f flash
	if json.Unmarshal(text, &f) != nil || f.Text == "" {
		return nil
	}
	if f.Undo != nil {
		f.Undo.Action = prefix + f.Undo.Action
		f.Undo.Key = r.newKey()
		if f.Undo.Label == "" {
			f.Undo.Label = "Undo"
		}
	}
	return &f
}
