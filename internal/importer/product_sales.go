package importer

import (
	"bytes"
	"strings"
	"time"
	"unicode"
)

// saleDates decide whether a sale price holds today.
type saleDates struct {
	now   time.Time
	zone  *time.Location
	order dateOrder // "" or auto: not said
}

// holds reports whether now is within the dates of a sale; a blank date does not bound it. why says what keeps the
// sale out, or how long it lasts. Where the order of day and month is not said, both must agree: a price that may not
// hold is not taken.
func (s saleDates) holds(from, until []byte) (holds bool, why string) {
	from, until = saleDate(from), saleDate(until)
	if first, last, both := bytes.Cut(from, []byte("/")); both && len(until) == 0 && len(first) >= 10 && len(last) >= 10 {
		from, until = first, last // "2026-03-01T13:00+0100/2026-03-11T15:30+0100"
	}
	if len(from)+len(until) == 0 {
		return true, ""
	}
	orders := []dateOrder{s.order}
	if s.order != dayFirst && s.order != monthFirst {
		orders = []dateOrder{dayFirst, monthFirst}
	}
	read, within := 0, 0
	for _, order := range orders {
		begins, ends, ok := s.span(from, until, order)
		if !ok {
			continue
		}
		if read++; !s.now.Before(begins) && s.now.Before(ends) {
			within++
		}
	}
	span := strings.TrimSpace("from " + wordOr(clip(from), "any day") + " until " + wordOr(clip(until), "any day"))
	switch {
	case read == 0:
		return false, "has dates that cannot be read, " + span
	case within == 0:
		return false, "holds " + span
	case within < read:
		return false, "holds " + span + ", where the day or the month may come first"
	case len(until) > 0:
		return true, "ends on " + clip(until)
	}
	return true, ""
}

// saleDate is a cell without what programs write for no date.
func saleDate(cell []byte) []byte {
	// 0000-00-00
	if !bytes.ContainsFunc(cell, func(r rune) bool { return r >= '1' && r <= '9' || unicode.IsLetter(r) }) {
		return nil
	}
	return bytes.TrimSpace(cell)
}

// span is when a sale begins and ends; one that ends on a day lasts to the end of it.
func (s saleDates) span(from, until []byte, order dateOrder) (begins, ends time.Time, ok bool) {
	ends = s.now.AddDate(1, 0, 0)
	if len(from) > 0 {
		if begins, ok = parseDate(from, order, s.zone); !ok {
			return begins, ends, false
		}
	}
	if len(until) > 0 {
		if ends, ok = parseDate(until, order, s.zone); !ok {
			return begins, ends, false
		}
		if ends.Hour() == 0 && ends.Minute() == 0 && ends.Second() == 0 {
			ends = ends.AddDate(0, 0, 1)
		}
	}
	return begins, ends, true
}
