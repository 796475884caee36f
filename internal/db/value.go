package db

import (
	"fmt"
	"reflect"

	"entrepot/internal/db/engine"
)

// Null is the argument for a column that stores the zero value as NULL.
func Null[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// Opt scans a column that may be NULL into a plain variable: NULL becomes the zero value.
func Opt[T any](into *T) any { return optional{into} }

// optional scans a column into the target of a pointer: NULL becomes the zero value.
type optional struct{ place any }

// Scan takes a driver's value (database/sql's Scanner, which pgx honours).
func (o optional) Scan(src any) error {
	if src == nil {
		reflect.ValueOf(o.place).Elem().SetZero()
		return nil
	}
	return assign(o.place, src)
}

// FromColumn takes a column of SQLite.
func (o optional) FromColumn(r engine.Column, i int) error {
	if r.Null(i) {
		reflect.ValueOf(o.place).Elem().SetZero()
		return nil
	}
	return r.Column(i, o.place)
}

// Buffer scans a text or bytes into memory that the next row uses again: reading large ones one after the other
// allocates no new memory for each. NULL leaves it empty.
type Buffer []byte

// Scan takes a driver's value (database/sql's Scanner, which pgx honours).
func (b *Buffer) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*b = (*b)[:0]
	case string:
		*b = append((*b)[:0], v...)
	case []byte:
		*b = append((*b)[:0], v...)
	default:
		return fmt.Errorf("db: cannot put %T into a buffer", src)
	}
	return nil
}

// ScanBytes takes a column of PostgreSQL without the copy that its driver makes for Scan (pgtype.BytesScanner).
func (b *Buffer) ScanBytes(src []byte) error {
	*b = append((*b)[:0], src...)
	return nil
}

// FromColumn takes a column of SQLite.
func (b *Buffer) FromColumn(r engine.Column, i int) error {
	*b = r.AppendBytes((*b)[:0], i)
	return nil
}

// assign stores a value of PostgreSQL's driver in a target.
func assign(place, value any) error {
	switch p := place.(type) {
	case *string:
		if s, ok := value.(string); ok {
			*p = s
			return nil
		}
	case *int64:
		if n, ok := value.(int64); ok {
			*p = n
			return nil
		}
	case *int:
		if n, ok := value.(int64); ok {
			*p = int(n)
			return nil
		}
	case *bool:
		if v, ok := value.(bool); ok {
			*p = v
			return nil
		}
	case interface{ Scan(any) error }:
		return p.Scan(value)
	}
	v := reflect.ValueOf(place)
	if v.Kind() != reflect.Pointer {
		return fmt.Errorf("db: %T is no place to scan into", place)
	}
	v = v.Elem()
	if v.Kind() == reflect.Pointer { // **T: NULL becomes nil
		if value == nil {
			v.SetZero()
			return nil
		}
		fresh := reflect.New(v.Type().Elem())
		v.Set(fresh)
		return assign(fresh.Interface(), value)
	}
	switch x := value.(type) {
	case string:
		if v.Kind() == reflect.String {
			v.SetString(x)
			return nil
		}
	case int64:
		switch v.Kind() {
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			v.SetInt(x)
			return nil
		}
	case bool:
		if v.Kind() == reflect.Bool {
			v.SetBool(x)
			return nil
		}
	}
	return fmt.Errorf("db: cannot put %T into %T", value, place)
}
