package dashboard

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/db"
)

// seenName is the input with the values that a form was filled from.
const seenName = "_seen"

// editing declares a form that changes a stored record. It contains digests of the values its inputs were filled
// from. If the stored values differ from these, write refuses the form (Precondition): it is shown again with what
// was typed and with the stored values at the inputs. Unchanged inputs show the stored value at once, and the form
// can then be sent again.
func (r *request) editing(action string, fields ...field) *form {
	before := r.refused
	for i := range fields {
		r.format.fill(&fields[i])
	}
	f := r.form(action, fields...)
	if before != nil && f == before {
		return f
	}
	f.Seen = seenOf(fields) + " " + seenAt + "=" + strconv.FormatInt(r.format.now.UnixMicro(), 10)
	switch {
	case f.sent == nil || !f.sent.Has(seenName):
	case f.ofOtherRows(fields):
		f.restore(fields)
		r.stale = apperr.New(apperr.Precondition, "precondition_failed",
			"meanwhile rows of it came or went. Nothing is stored, and all is shown as it is now: look at it and type your change again")
	default:
		r.seenAt, r.stale = f.staleness(fields, f.sent.Get(seenName))
	}
	return f
}

// ofOtherRows reports whether the sent rows differ from those of the fields: what was typed would be shown at another
// row.
func (f *form) ofOtherRows(fields []field) bool {
	declared := map[string]bool{}
	for _, in := range fields {
		declared[in.Name] = true
		if in.Kind == "hidden" && f.sent.Has(in.Name) && f.Value(in.Name) != in.Value {
			return true
		}
	}
	for name := range f.sent {
		row, isID := strings.CutSuffix(name, "id")
		if isID && !declared[name] && (declared[row+"sku"] || declared[row+"quantity"]) {
			return true
		}
	}
	return false
}

// restore fills the form with the stored values.
func (f *form) restore(fields []field) {
	for i, in := range f.Fields {
		in.Value, in.Values = fields[i].Value, fields[i].Values
		in.choose()
	}
}

// seen reports whether a field shows a stored value.
func (f *field) seen() bool { return f.Kind != "hidden" && f.Kind != "password" }

// digest is a short hash of a field's value. It does not depend on how a locale writes numbers, which can change
// meanwhile.
func (f *field) digest() string {
	value := f.Value
	if f.Kind == "decimal" {
		value, _ = typedDecimal(value, ".", 0)
	}
	sum := sha256.Sum256([]byte(value + "\x00" + strings.Join(f.Values, "\x00")))
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

// seenAt says, with the inputs, when the form was filled: microseconds since 1970 UTC.
const seenAt = "@"

// staleness is the error of a form that was filled from other values than the fields have now; nil if they are the
// same, or if the form asks for the stored values. It also returns when the form was filled.
func (f *form) staleness(fields []field, seen string) (at int64, stale error) {
	was := map[string]string{}
	for one := range strings.FieldsSeq(seen) {
		if at := strings.LastIndexByte(one, '='); at > 0 {
			was[one[:at]] = one[at+1:]
		}
	}
	// invalid is 0: then the record's last change is named, whenever it was
	at, _ = strconv.ParseInt(was[seenAt], 10, 64)
	delete(was, seenAt)
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
			if now.Kind == "decimal" && typed == now.digest() {
				f.sent.Set(now.Name, in.shown) // it is as it was, also in the writing of an earlier locale
			}
			continue
		}
		changed = append(changed, now.Label)
		switch {
		case typed == before: // it was not changed by the user
			in.Value, in.Values = now.Value, now.Values
			in.choose()
			in.Error = "Changed meanwhile"
		case len(now.Values) > 0 || now.Kind == "checkbox" || now.Kind == "select":
			in.Error = "Changed meanwhile to something else"
		case now.Value == "":
			in.Error = "Changed meanwhile: it is empty now"
		default:
			in.Error = sentence(apperr.At(in.Name, "changed meanwhile: it is “%s” now", short(now.Value)).Details[0].Message)
		}
	}
	if len(changed) == 0 && len(was) == 0 {
		return at, nil
	}
	if len(changed) == 0 {
		return at, apperr.New(apperr.Precondition, "precondition_failed", "something that this form changed is gone meanwhile. "+
			"What you typed is kept and nothing is stored: look at it and send it again")
	}
	return at, apperr.New(apperr.Precondition, "precondition_failed",
		"%s changed meanwhile. What you typed is kept and nothing is stored: look at it and send it again", strings.Join(changed, ", "))
}

// staleBy is the error of an outdated form, with who has changed its record since the form was filled, and when, if
// the audit log has it and the user may read it.
func (r *request) staleBy() error {
	resource := cmp.Or(r.http.PathValue("id"), string(r.session.Account.ID))
	if !r.caller().May("read:users") {
		return r.stale
	}
	stale := r.stale
	err := r.read(func(tx *db.Tx) error {
		list, _, err := audit.List(tx, audit.Filter{ResourceID: resource, From: r.seenAt, Limit: 20})
		list = slices.DeleteFunc(list, func(e audit.Entry) bool { return !strings.HasSuffix(e.Action, ".updated") })
		if err != nil || len(list) == 0 {
			return err
		}
		names, err := actorNames(tx)
		stale = apperr.New(apperr.Precondition, "precondition_failed", "%s. Changed by %s, %s", r.stale,
			cmp.Or(names[list[0].Actor], actorWords(list[0].Actor)), r.format.Stamp(list[0].CreatedAt).Words)
		return err
	})
	return cmp.Or(err, stale)
}
