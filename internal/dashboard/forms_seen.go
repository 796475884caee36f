package dashboard

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"entrepot/internal/apperr"
)

// seenName is the input with what a form was filled from.
const seenName = "_seen"

// editing declares a form that changes what is stored. It carries what its inputs were filled from, as digests; when that is not what is
// stored any more, write refuses the form (Precondition): it is shown again with what was typed, beside each input what is stored now.
// Inputs that were left as they were show that at once, and the form that is shown can be sent over it.
func (r *request) editing(action string, fields ...field) *form {
	before := r.refused
	f := r.form(action, fields...)
	if before != nil && f == before {
		return f
	}
	f.Seen = seenOf(fields)
	if f.sent != nil && f.sent.Has(seenName) {
		r.stale = f.staleness(fields, f.sent.Get(seenName))
	}
	return f
}

// seen reports whether a field shows what is stored.
func (f *field) seen() bool { return f.Kind != "hidden" && f.Kind != "password" }

// digest stands for the value of a field.
func (f *field) digest() string {
	sum := sha256.Sum256([]byte(f.Value + "\x00" + strings.Join(f.Values, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// seenOf are the digests of fields, by their names.
func seenOf(fields []field) string {
	var list []string
	for i := range fields {
		if f := &fields[i]; f.seen() {
			list = append(list, f.Name+"="+f.digest())
		}
	}
	return strings.Join(list, " ")
}

// staleness is the error of a form that was filled from something else than the fields hold now; nil if it was not, or if it asks for what
// is stored by now.
func (f *form) staleness(fields []field, seen string) error {
	was := map[string]string{}
	for one := range strings.FieldsSeq(seen) {
		if at := strings.LastIndexByte(one, '='); at > 0 {
			was[one[:at]] = one[at+1:]
		}
	}
	var changed []string
	for i := range fields {
		now := &fields[i]
		if !now.seen() {
			continue
		}
		before, known := was[now.Name]
		delete(was, now.Name)
		in := f.At(now.Name)
		typed := in.digest()
		if known && before == now.digest() || typed == now.digest() {
			continue
		}
		changed = append(changed, now.Label)
		switch {
		case typed == before: // it was not touched
			in.Value, in.Values = now.Value, now.Values
			in.choose()
			in.Error = "Changed meanwhile"
		case len(now.Values) > 0 || now.Kind == "checkbox" || now.Kind == "select":
			in.Error = "Changed meanwhile to something else"
		case now.Value == "":
			in.Error = "Changed meanwhile: it is empty now"
		default:
			in.Error = "Changed meanwhile: it is “" + short(now.Value) + "” now"
		}
	}
	if len(changed) == 0 && len(was) == 0 {
		return nil
	}
	words := "something that this form changed is gone"
	if len(changed) > 0 {
		words = strings.Join(changed, ", ") + " changed"
	}
	return apperr.New(apperr.Precondition, "precondition_failed",
		"meanwhile %s. What you typed is kept and nothing is stored: look at it and send it again", words)
}
