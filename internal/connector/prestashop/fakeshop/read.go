package fakeshop

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
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
		matches := filter(values[0])
		rows = slices.DeleteFunc(rows, func(row *row) bool {
			if field == "id" {
				return !matches(row.id)
			}
			return !matches(row.fields[field])
		})
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

// What a filter's value may look like: the brackets are the last ones of each kind, and a span has numbers or times.
var (
	bracketed = regexp.MustCompile(`^(.*)\[(.*)\](.*)$`)
	span      = regexp.MustCompile(`^([\d.:\-\s]+),([\d.:\-\s]+)$`)
)

// filter returns what a field must be: one of some values, between two, or a pattern. Letters count as equal in
// capitals and small. What stands in brackets inside brackets makes a filter that keeps everything.
func filter(value string) func(own string) bool {
	parts := bracketed.FindStringSubmatch(value)
	switch {
	case parts == nil:
		return func(own string) bool { return strings.EqualFold(own, value) }
	case parts[1] == "%" || parts[3] == "%":
		pattern := like(parts[1] + parts[2] + parts[3])
		return pattern.MatchString
	case parts[1] != "" || parts[3] != "":
		return func(string) bool { return true }
	case strings.Index(parts[2], "|") > 0:
		values := strings.Split(parts[2], "|")
		return func(own string) bool {
			return slices.ContainsFunc(values, func(v string) bool { return strings.EqualFold(v, own) })
		}
	}
	if ends := span.FindStringSubmatch(parts[2]); ends != nil {
		return func(own string) bool { return ends[1] <= own && own <= ends[2] }
	}
	return func(own string) bool { return strings.EqualFold(own, parts[2]) }
}

// like returns a pattern of the database: % is any text, _ any character, and a backslash takes that from the next one.
func like(pattern string) *regexp.Regexp {
	var b strings.Builder
	plain := false
	for _, r := range pattern {
		switch {
		case plain:
			b.WriteString(regexp.QuoteMeta(string(r)))
			plain = false
		case r == '\\':
			plain = true
		case r == '%':
			b.WriteString(".*")
		case r == '_':
			b.WriteString(".")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return regexp.MustCompile("(?is)^" + b.String() + "$")
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
