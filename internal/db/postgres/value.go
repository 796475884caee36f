package postgres

import "reflect"

// plainValue converts an argument of a named type to what the driver takes: string, int64, bool or nil.
func plainValue(a any) any {
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
		return plainValue(v.Elem().Interface())
	}
	return a
}

// plain converts arguments of named types to what the driver takes.
func plain(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = plainValue(a)
	}
	return out
}
