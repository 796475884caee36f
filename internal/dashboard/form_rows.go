package dashboard

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/jsonvalue"
)

// listed is a form's list items[] in the API's structure, without entries that skip selects, and the index of each
// entry in the form.
func (f *form) listed(skip func(at string) bool, members ...string) (o *apijson.Object, places []int) {
	document := map[string]any{}
	asked := map[string]string{} // what is unclear, by the member's path
	for _, in := range f.Fields {
		if !strings.HasPrefix(in.Name, "items[") {
			if value, given := f.member(in); given {
				document[in.Name] = value
			}
			asked[in.Name] = f.unclear[in.Name]
		}
	}
	items := []map[string]json.RawMessage{}
	for i := 0; ; i++ {
		at := "items[" + strconv.Itoa(i) + "]."
		if !slices.ContainsFunc(f.Fields, func(in *field) bool { return strings.HasPrefix(in.Name, at) }) {
			if i > 500 {
				break
			}
			continue
		}
		if skip(at) {
			continue
		}
		item := map[string]json.RawMessage{}
		for _, name := range members {
			if k := slices.IndexFunc(f.Fields, func(in *field) bool { return in.Name == at+name }); k >= 0 {
				if value, given := f.member(f.Fields[k]); given {
					item[name] = value
				}
				asked["items["+strconv.Itoa(len(items))+"]."+name] = f.unclear[at+name]
			}
		}
		items, places = append(items, item), append(places, i)
	}
	document["items"] = items
	v, err := jsonvalue.Parse(text(document))
	if err != nil {
		v, _ = jsonvalue.Parse([]byte("{}"))
	}
	o = apijson.Read(v)
	for _, path := range slices.Sorted(maps.Keys(asked)) {
		if asked[path] != "" {
			o.AddError(path, "%s", asked[path])
		}
	}
	return o, places
}

// itemPath is the path of a line.
var itemPath = regexp.MustCompile(`^items\[(\d+)\]`)

// rowPath is the path of an entry of a list, and the rest of a path in it.
var rowPath = regexp.MustCompile(`^(\w+)\[(\d+)\](.*)$`)

// placed moves errors of entries of items[] to the inputs that they came from.
func placed(err error, places []int) error { return placedIn("items", err, places) }

// placedIn moves errors of entries of a list to the inputs that they came from.
func placedIn(list string, err error, places []int) error {
	e, ok := apperr.As(err)
	if !ok || len(e.Details) == 0 {
		return err
	}
	moved := *e
	moved.Details = slices.Clone(e.Details)
	for i, d := range moved.Details {
		found := rowPath.FindStringSubmatch(d.Path)
		if found == nil || found[1] != list {
			continue
		}
		if n, err := strconv.Atoi(found[2]); err == nil && n < len(places) {
			moved.Details[i].Path = list + "[" + strconv.Itoa(places[n]) + "]" + found[3]
		}
	}
	return &moved
}

// none reports whether a typed quantity means zero.
func none(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || strings.Trim(text, "0") == ""
}
