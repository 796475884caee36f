package sqlite

import (
	"fmt"
	"reflect"
)

// bind sets the arguments of a statement: strings, integers, booleans, their named types, pointers to them, bytes, or
// nil.
func (s *statement) bindAll(args []any) error {
	for i, n := range s.order {
		if n >= len(args) {
			return fmt.Errorf("db: $%d without an argument", n+1)
		}
		if err := s.bind(i+1, args[n]); err != nil {
			return err
		}
	}
	return nil
}

func (s *statement) bind(place int, value any) error {
	switch v := value.(type) {
	case nil:
		s.BindNull(place)
		return nil
	case string:
		s.BindText(place, v)
		return nil
	case int64:
		s.BindInt64(place, v)
		return nil
	case int:
		s.BindInt64(place, int64(v))
		return nil
	case []byte:
		s.BindBytes(place, v)
		return nil
	case bool:
		s.BindBool(place, v)
		return nil
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.String:
		s.BindText(place, v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.BindInt64(place, v.Int())
	case reflect.Bool:
		s.BindBool(place, v.Bool())
	case reflect.Pointer:
		if v.IsNil() {
			s.BindNull(place)
			return nil
		}
		return s.bind(place, v.Elem().Interface())
	default:
		return fmt.Errorf("db: %T is no value for a column", value)
	}
	return nil
}
