package engine

import "reflect"

// PlainValue converts an argument of a named type to what both drivers take: string, int64, bool or nil.
func PlainValue(a any) any {
	switch v := a.(type) {
	case nil, string, int64, bool:
		return a
	case int:
		return int64(v)
	}
	v := reflect.ValueOf(a)
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Bool:
		return v.Bool()
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return PlainValue(v.Elem().Interface())
	}
	return a
}

// Plain converts arguments of named types to what both engines take.
func Plain(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = PlainValue(a)
	}
	return out
}
