package importer

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// dateOrder says which of two small numbers in a date is the day.
type dateOrder string

const (
	dayFirst   dateOrder = "dmy" // 31/12/2026
	monthFirst dateOrder = "mdy" // 12/31/2026
)

var (
	datePattern = regexp.MustCompile(`^(\d{1,4})([-/.])(\d{1,2})([-/.])(\d{1,4})(?:[T ,]+(.+))?$`)
	timePattern = regexp.MustCompile(`^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([AaPp]\.?[Mm]\.?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$`)
	wordLayouts = []string{"2 Jan 2006", "2 January 2006", "Jan 2, 2006", "January 2, 2006", "2-Jan-2006", "2-Jan-06"}
)

// dateParts is a parsed date: a, b and c in their order in the text.
type dateParts struct {
	a, b, c int
	year    int // position of the year: 0 first, 2 last
	dots    bool
	clock   string
}

func splitDate(cell []byte) (d dateParts, ok bool) {
	m := datePattern.FindSubmatch(bytes.TrimSpace(cell))
	if m == nil || !bytes.Equal(m[2], m[4]) {
		return d, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(string(m[i])) // at most four digits
		return n
	}
	d = dateParts{a: number(1), b: number(3), c: number(5), dots: m[2][0] == '.', clock: string(m[6])}
	switch {
	case len(m[1]) == 4 && len(m[5]) <= 2:
	case len(m[1]) <= 2 && len(m[5]) == 4:
		d.year = 2
	case len(m[1]) <= 2 && len(m[5]) == 2:
		d.year, d.c = 2, d.c+2000
	default:
		return d, false
	}
	return d, true
}

// parseDate reads a date as exports write it, with or without a time of day. A time without a zone is
// one of zone. order decides where day and month could be either.
func parseDate(cell []byte, order dateOrder, zone *time.Location) (at time.Time, ok bool) {
	d, ok := splitDate(cell)
	if !ok {
		for _, layout := range wordLayouts {
			if at, err := time.ParseInLocation(layout, string(cell), zone); err == nil {
				return at, true
			}
		}
		return at, false
	}
	year, month, day := d.a, d.b, d.c
	if d.year == 2 {
		year, month, day = d.c, d.b, d.a
		if order == monthFirst && !d.dots {
			month, day = d.a, d.b
		}
	}
	// Whether there is such a day is asked of UTC: in other zones a day may begin at one o'clock, when clocks go forward.
	if year < 1900 || month < 1 || month > 12 || day < 1 || time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Day() != day {
		return at, false
	}
	hour, minute, second, ok := 0, 0, 0, true
	if d.clock != "" {
		hour, minute, second, zone, ok = parseClock(d.clock, zone)
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, 0, zone), ok
}

// parseClock reads a time of day: hours, minutes and perhaps seconds, am or pm, and perhaps its own zone.
func parseClock(clock string, usual *time.Location) (hour, minute, second int, zone *time.Location, ok bool) {
	m := timePattern.FindStringSubmatch(strings.TrimSpace(clock))
	if m == nil {
		return 0, 0, 0, usual, false
	}
	hour, minute, second = atoi(m[1]), atoi(m[2]), atoi(m[3])
	if half := strings.ToLower(m[4]); half != "" {
		if hour < 1 || hour > 12 {
			return 0, 0, 0, usual, false
		}
		hour %= 12
		if half[0] == 'p' {
			hour += 12
		}
	}
	switch name := m[5]; {
	case name == "":
		zone = usual
	case name == "Z" || name == "UTC" || name == "GMT":
		zone = time.UTC
	default:
		offset := atoi(name[1:3])*3600 + atoi(name[len(name)-2:])*60
		if name[0] == '-' {
			offset = -offset
		}
		zone = time.FixedZone("", offset)
	}
	return hour, minute, second, zone, hour < 24 && minute < 60 && second < 60
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text) // digits, or empty for 0
	return n
}

// dateVote finds out from all dates of a column which number is the day.
type dateVote struct {
	day, month int // dates that can only be read with the day, or the month, first
	doubt      []example
}

func (v *dateVote) add(cell []byte, row int) {
	d, ok := splitDate(cell)
	switch {
	case !ok || d.year == 0 || d.dots || d.a == d.b && d.a <= 12:
	case d.a > 12 && d.b <= 12:
		v.day++
	case d.b > 12 && d.a <= 12:
		v.month++
	case d.a <= 12 && d.b <= 12 && len(v.doubt) < mostExamples:
		v.doubt = append(v.doubt, example{clip(cell), row})
	}
}

// decide returns the order of day and month in the column, or why it cannot be known.
func (v *dateVote) decide(column string) (dateOrder, error) {
	switch {
	case len(v.doubt) == 0 && v.month > v.day, len(v.doubt) > 0 && v.month > 0 && v.day == 0:
		return monthFirst, nil
	case len(v.doubt) == 0, v.day > 0 && v.month == 0:
		return dayFirst, nil
	}
	why := "no date of the column shows it"
	if v.day > 0 {
		why = "the column has dates of both kinds"
	}
	question := fmt.Sprintf("date (column %s): which number of %s is the day? %s", column, listed(v.doubt), why)
	return "", wrongChoice("the dates are ambiguous: "+question+". Say whether the day or the month comes first",
		"the dates are ambiguous, nothing was stored.\n  "+question+".\nSay it: --date-order dmy (the day first) or --date-order mdy "+
			"(the month first); --set date= leaves the dates out")
}

// zoneNamed is a time zone by its name in the IANA database.
func zoneNamed(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, wrongCall("--time-zone %s is not known; give a name such as Europe/Paris, or UTC: %v", name, err)
	}
	return zone, nil
}

// apiTime is a time in the form that the API takes.
func apiTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }
