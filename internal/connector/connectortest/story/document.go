package story

import "fmt"

// Document is a JSON object.
type Document map[string]any

// At returns the value at a path of names and indexes; nil if there is none.
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

// Text is the text at a path, "" if there is none.
func (d Document) Text(path ...any) string {
	v := d.At(path...)
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// List is the list at a path.
func (d Document) List(path ...any) []any {
	list, _ := d.At(path...).([]any)
	return list
}

// Object is the object at a path.
func (d Document) Object(path ...any) Document {
	o, _ := d.At(path...).(map[string]any)
	return o
}
