package story

import "fmt"

// Document is a JSON object.
type Document map[string]any

// At walks into it by names and places; nil for what is not there.
func (d Document) At(path ...any) any {
	var v any = map[string]any(d)
	for _, p := range path {
		switch p := p.(type) {
		case string:
			o, _ := v.(map[string]any)
			v = o[p]
		case int:
			list, _ := v.([]any)
			if p >= len(list) {
				return nil
			}
			v = list[p]
		}
	}
	return v
}

// Text is what stands at a place, "" for nothing.
func (d Document) Text(path ...any) string {
	v := d.At(path...)
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// List is the list that stands at a place.
func (d Document) List(path ...any) []any {
	list, _ := d.At(path...).([]any)
	return list
}

// Object is the object that stands at a place.
func (d Document) Object(path ...any) Document {
	o, _ := d.At(path...).(map[string]any)
	return o
}
