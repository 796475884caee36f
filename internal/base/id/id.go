// Package id holds the typed identifiers that nouns share: UUIDv7 strings (interface §2), one type for each kind of record,
// so that an order's id cannot be passed for a customer's.
//
//	Tenant  an account's number, first in every key and statement; it is never shown
//	New     generates an id, At one of a given moment; Parse checks one that a caller sent
package id

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/google/uuid"
)

// Tenant is an account's internal number: the first column of every key and the first argument of every statement. It
// is never shown.
type Tenant int64

// The public identifiers, each a lower-case UUIDv7 generated here, never by a database.
type (
	Account   string
	User      string
	Key       string
	Channel   string
	Category  string
	Product   string
	Variant   string
	Attribute string
	Warehouse string
	Level     string
	Movement  string
	Order     string
	Line      string
	Shipment  string
	Return    string
	History   string
	Customer  string
	Address   string
	Segment   string
	Event     string
	Endpoint  string
	Delivery  string
	Job       string
	Import    string
	Audit     string
	SignIn    string
	Record    string // one of any of these kinds
)

// BeforeAll sorts before every identifier of any kind.
const BeforeAll = "00000000-0000-0000-0000-000000000000"

// lastMilli is the last millisecond that identifiers know, in the year 10889.
const lastMilli = 1<<48 - 1

// First sorts before the identifiers that are generated from a time on, in microseconds since 1970.
func First[T ~string](micros int64) T {
	millis := min(max(0, micros)/1000, lastMilli)
	return T(fmt.Sprintf("%08x-%04x-7000-8000-000000000000", millis>>16, millis&0xffff))
}

// New generates an identifier; identifiers of one process sort in the order in which they were generated.
func New[T ~string]() T {
	return T(uuid.Must(uuid.NewV7()).String())
}

// made counts the identifiers of At.
var made atomic.Uint32

// At generates an identifier of a moment, in microseconds since 1970. Identifiers sort by their moments; those of one
// moment and process, in the order in which they were generated.
func At[T ~string](micros int64) T {
	u, n := uuid.New(), made.Add(1)
	millis, part := uint64(max(0, micros)/1000), uint16(max(0, micros)%1000*4096/1000)
	binary.BigEndian.PutUint64(u[:8], millis<<16|0x7000|uint64(part))
	binary.BigEndian.PutUint32(u[8:12], 0x80000000|n&0x3fffffff)
	return T(u.String())
}

// Parse parses a UUID in its canonical form, in either case; ok is false for anything else, which the edge answers
// with 404 in a path and 400 in a body.
func Parse[T ~string](s string) (v T, ok bool) {
	if len(s) != 36 {
		return "", false
	}
	u, err := uuid.Parse(s)
	if err != nil {
		return "", false
	}
	return T(u.String()), true
}
