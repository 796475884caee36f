package dashboard

import (
	"net/http"
	"time"

	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/db"
)

// repeated answers an action on a missing record: if the same form was sent before and has deleted it, like that time,
// otherwise with the error.
func (d *Dashboard) repeated(r *request, missing error) (answer, error) {
	if !apperr.Is(missing, apperr.NotFound) {
		return answer{}, missing
	}
	return d.write(r, func(*db.Tx) (answer, error) { return answer{}, missing })
}

// with is the address of a list with one parameter set, or removed with "".
func (r *request) with(path, name, value string) string {
	q := r.http.URL.Query()
	if value == "" {
		q.Del(name)
	} else {
		q.Set(name, value)
	}
	return address(path, q)
}

// choice is a filter of a list: one of some values.
type choice struct {
	Name, Label string
	Options     []option
}

// choose makes the filter; the address says which option is on.
func (r *request) choose(name, label, any string, options ...option) choice {
	c := choice{Name: name, Label: label, Options: append([]option{{Label: any}}, options...)}
	chosen := r.http.URL.Query().Get(name)
	for i := range c.Options {
		c.Options[i].On = c.Options[i].Value == chosen
	}
	return c
}

// chips are the filters that are set, each with the address of the list without it; labels lists those to show.
func (r *request) chips(path string, labels [][2]string) (list []chip) {
	for _, l := range labels {
		if value := r.http.URL.Query().Get(l[0]); value != "" {
			q := r.http.URL.Query()
			q.Del(l[0])
			q.Del("after")
			q.Del("cursor")
			q.Del("page")
			list = append(list, chip{Label: l[1] + ": " + r.whenWords(l[0], short(value)), To: address(path, q), On: true})
		}
	}
	return list
}

// whenWords is a filter's value; a day or a time, as people of the user's locale and zone write it.
func (r *request) whenWords(name, value string) string {
	if name != "from" && name != "to" {
		return value
	}
	if at, ok := r.format.moment(value, false); ok {
		if _, err := time.Parse(time.DateOnly, value); err == nil {
			return r.format.write(at, "2 Jan 2006")
		}
		return r.format.Moment(at.UnixMicro(), "2 Jan 2006, 15:04").Words
	}
	return value
}

// when is an input of a list's filter for one end of a span: for a day, or for a time where the address has one, which bookmarks and
// links may. What is neither stays as it was written, beside the error.
func (r *request) when(name, label, value string) field {
	in := field{Name: name, Label: label, Kind: "date", Value: value, Form: "f"}
	if _, err := time.Parse(time.DateOnly, value); value == "" || err == nil {
		return in
	}
	if at, ok := r.format.moment(value, false); ok {
		in.Kind, in.Value = "datetime-local", at.In(r.format.zone).Format("2006-01-02T15:04:05.999")
		return in
	}
	in.Kind = ""
	return in
}

// short cuts what is long.
func short(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:39]) + "…"
	}
	return text
}

// wrongFilter is the message and status of a list with an invalid filter.
func wrongFilter(q *apijson.Query) (string, int) {
	if err := q.Err(); err != nil {
		return saidOf(err), http.StatusBadRequest
	}
	return "", 0
}
