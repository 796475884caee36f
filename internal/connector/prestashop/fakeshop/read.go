package fakeshop

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// read answers a list, or one thing.
func (s *Shop) read(w http.ResponseWriter, r *http.Request, res *resource, id string) {
	q := r.URL.Query()
	if id != "" {
		row := s.find(res.name, id)
		if row == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		s.answer(w, http.StatusOK, s.document(res, row, nil))
		return
	}
	rows := slices.Clone(res.rows)
	for name, values := range q {
		field, ok := strings.CutPrefix(name, "filter[")
		if !ok {
			continue
		}
		field = strings.TrimSuffix(field, "]")
		if strings.HasPrefix(field, "date_") && q.Get("date") != "1" {
			s.refuse(w, http.StatusInternalServerError, 32, "Unable to filter on date fields without date=1")
			return
		}
		rows = slices.DeleteFunc(rows, func(row *row) bool { return !row.matches(field, strings.Trim(values[0], "[]")) })
	}
	if strings.HasPrefix(strings.Trim(q.Get("sort"), "["), "id_DESC") {
		slices.Reverse(rows)
	} else if strings.Contains(q.Get("sort"), "date_upd_ASC") {
		slices.SortStableFunc(rows, func(a, b *row) int { return cmp.Compare(a.get("date_upd"), b.get("date_upd")) })
	}
	if limit := q.Get("limit"); limit != "" {
		offset, count, found := strings.Cut(limit, ",")
		if !found {
			offset, count = "0", offset
		}
		from, _ := strconv.Atoi(offset)
		most, _ := strconv.Atoi(count)
		from = min(from, len(rows))
		rows = rows[from:min(from+most, len(rows))]
	}
	var only []string
	if d := q.Get("display"); d != "full" {
		only = append(strings.Split(strings.Trim(d, "[]"), ","), "id")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<%s>\n", res.name)
	for _, row := range rows {
		b.WriteString(s.document(res, row, only))
	}
	fmt.Fprintf(&b, "</%s>", res.name)
	s.answer(w, http.StatusOK, b.String())
}

// matches reports whether a field is one of the values, or between two.
func (r *row) matches(field, values string) bool {
	own := r.fields[field]
	if field == "id" {
		own = r.id
	}
	if from, to, ok := strings.Cut(values, ","); ok {
		return from <= own && own <= to
	}
	return slices.Contains(strings.Split(values, "|"), own)
}

// document writes a row; only nil writes all of it.
func (s *Shop) document(res *resource, r *row, only []string) string {
	var b strings.Builder
	shown := func(name string) bool { return only == nil || slices.Contains(only, name) }
	fmt.Fprintf(&b, "<%s>\n<id><![CDATA[%s]]></id>\n", res.kind, r.id)
	for _, name := range slices.Sorted(maps.Keys(r.fields)) {
		if shown(name) {
			fmt.Fprintf(&b, "<%s>%s</%[1]s>\n", name, cdata(r.fields[name]))
		}
	}
	for _, name := range res.texts {
		if !shown(name) {
			continue
		}
		fmt.Fprintf(&b, "<%s>", name)
		for _, l := range s.resources["languages"].rows {
			fmt.Fprintf(&b, `<language id="%s">%s</language>`, l.id, cdata(r.texts[name][l.id]))
		}
		fmt.Fprintf(&b, "</%s>\n", name)
	}
	if only == nil && len(r.links) > 0 {
		b.WriteString("<associations>")
		for _, list := range slices.Sorted(maps.Keys(r.links)) {
			fmt.Fprintf(&b, `<%s nodeType="%s" api="%[1]s">`, list, entry[list])
			for _, link := range r.links[list] {
				fmt.Fprintf(&b, "<%s>", entry[list])
				for _, name := range slices.Sorted(maps.Keys(link)) {
					fmt.Fprintf(&b, "<%s>%s</%[1]s>", name, cdata(link[name]))
				}
				fmt.Fprintf(&b, "</%s>", entry[list])
			}
			fmt.Fprintf(&b, "</%s>", list)
		}
		b.WriteString("</associations>")
	}
	fmt.Fprintf(&b, "</%s>\n", res.kind)
	return b.String()
}

// entry is what the members of an association are called.
var entry = map[string]string{"categories": "category", "product_option_values": "product_option_value", "images": "image",
	"order_rows":         "order_row",
	"order_slip_details": "order_slip_detail"}

func cdata(text string) string {
	return "<![CDATA[" + strings.ReplaceAll(text, "]]>", "]]]]><![CDATA[>") + "]]>"
}
