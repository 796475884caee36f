package importer

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// dateOrder says which of two small numbers in a date is the day.
type dateOrder string

const (
	dayFirst   dateOrder = "dmy" // 31/12/2026
	monthFirst dateOrder = "mdy" // 12/31/2026
)

var (
	datePattern = regexp.MustCompile(`^(\d{1,4})([-/.]) ?(\d{1,2})([-/.]) ?(\d{1,4})\.?(?:[T ,]+(.+))?$`)
	timePattern = regexp.MustCompile(`^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([AaPp]\.?[Mm]\.?)?\s*(?:Uhr)?\s*(?:([A-Z]{1,4})|` +
		`(?:UTC|GMT)?([+-]\d{2}):?(\d{2})?)?$`)
	compactPattern = regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})(?:[T ]?(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,]\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$`)
	serialPattern  = regexp.MustCompile(`^[2-7]\d{4}(?:[.,](\d{1,10}))?$`)
	epochPattern   = regexp.MustCompile(`^1\d{9}(?:\d{3})?$`)
	clockPattern   = regexp.MustCompile(`\b\d{1,2}:\d{2}`)
)

// zoneMinutes are names of zones in exports, in minutes east of Greenwich.
var zoneMinutes = map[string]int{"Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "BST": 60, "CET": 60, "CEST": 120, "MEZ": 60, "MESZ": 120,
	"EET": 120, "EEST": 180, "MSK": 180, "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480,
	"PDT": -420, "JST": 540, "AEST": 600, "AEDT": 660}

// months are the beginnings of the names of months in the languages of exports, without accents.
var months = []string{"jan ene gen", "feb fev fevr", "mar mrz mrt maer maa", "apr avr abr", "mai may maj mei mag maggio",
	"jun juin giu", "jul juil lug",
	"aug aout ago agosto", "sep set", "oct okt ott out", "nov", "dec dez dic dis"}

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

// plainBlanks makes all kinds of blanks the same, and the signs of East Asian dates hyphens.
var plainBlanks = strings.NewReplacer("\u00A0", " ", "\u202F", " ", "\u2009", " ", "年", "-", "月", "-", "日", " ")

// parseDate reads a date as exports write it, with or without a time of day: numbers with signs between them, eight
// digits, words for months, the day numbers of spreadsheets, and seconds since 1970. A time without a zone is one of
// zone. order decides where day and month could be either.
func parseDate(cell []byte, order dateOrder, zone *time.Location) (at time.Time, ok bool) {
	text := strings.TrimSpace(plainBlanks.Replace(string(cell)))
	d, ok := splitDate([]byte(text))
	if !ok {
		return parseOtherDate(text, zone)
	}
	year, month, day := d.a, d.b, d.c
	if d.year == 2 {
		year, month, day = d.c, d.b, d.a
		if order == monthFirst && !d.dots {
			month, day = d.a, d.b
		}
	}
	return dateAt(year, month, day, d.clock, zone)
}

// dateAt is a day with a time of day; the clock may be blank.
func dateAt(year, month, day int, clock string, zone *time.Location) (at time.Time, ok bool) {
	// Whether there is such a day is asked of UTC: in other zones a day may begin at one o'clock, when clocks go
	// forward.
	if year < 1900 || month < 1 || month > 12 || day < 1 || time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Day() != day {
		return at, false
	}
	hour, minute, second, ok := 0, 0, 0, true
	if clock != "" {
		hour, minute, second, zone, ok = parseClock(clock, zone)
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, 0, zone), ok
}

// parseOtherDate reads dates that are not numbers with signs between them.
func parseOtherDate(text string, zone *time.Location) (at time.Time, ok bool) {
	if m := compactPattern.FindStringSubmatch(text); m != nil {
		clock := ""
		if m[4] != "" {
			clock = m[4] + ":" + m[5] + ":" + wordOr(m[6], "00") + m[7]
		}
		if at, ok := dateAt(atoi(m[1]), atoi(m[2]), atoi(m[3]), clock, zone); ok {
			return at, true
		}
	}
	if m := serialPattern.FindStringSubmatch(text); m != nil { // days since 30 December 1899
		day := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, atoi(text[:5]))
		part, err := strconv.ParseFloat("0."+wordOr(m[1], "0"), 64)
		seconds := int(part*86400 + 0.5)
		return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, seconds, 0, zone), err == nil
	}
	if epochPattern.MatchString(text) {
		seconds, err := strconv.ParseInt(text[:10], 10, 64)
		return time.Unix(seconds, 0).UTC(), err == nil
	}
	return parseWordDate(text, zone)
}

// parseWordDate reads a date whose month is a word: "2 Jan 2006", "March 5th, 2026 10:00 am", "5. März 2026",
// "05-Mar-26".
func parseWordDate(text string, zone *time.Location) (at time.Time, ok bool) {
	clock := ""
	if found := clockPattern.FindStringIndex(text); found != nil {
		text, clock = text[:found[0]], text[found[0]:]
		if before, year := clock[:max(0, len(clock)-5)], clock[max(0, len(clock)-5):]; year[0] == ' ' && len(year) == 5 && atoi(year[1:]) > 1900 {
			text, clock = text+year, before // "Mon Jan 2 15:04:05 2006"
		}
	}
	month, numbers := 0, []int(nil)
	wordSign := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, word := range strings.FieldsFunc(strings.ToLower(withoutAccents(text)), wordSign) {
		if digits := strings.TrimRight(word, "abcdefghijklmnopqrstuvwxyz"); digits != "" {
			n, err := strconv.Atoi(digits)
			ordinal := slices.Contains([]string{"", "st", "nd", "rd", "th", "er"}, word[len(digits):])
			if err != nil || !ordinal || len(numbers) == 2 {
				return at, false
			}
			numbers = append(numbers, n)
		} else if m := monthNamed(word); m > 0 && month == 0 {
			month = m
		} else if len(word) > 2 && !weekday(word) && word != "del" && word != "the" {
			return at, false
		}
	}
	if month == 0 || len(numbers) != 2 {
		return at, false
	}
	day, year := numbers[0], numbers[1]
	if day > 31 {
		day, year = year, day
	}
	if year < 100 {
		year += 2000
	}
	return dateAt(year, month, day, clock, zone)
}

// monthNamed is the number of a month by its name or the beginning of it; 0 for another word.
func monthNamed(word string) int {
	for i, names := range months {
		for _, name := range strings.Fields(names) {
			if strings.HasPrefix(word, name) && len(word) >= 3 && len(word) <= 10 && !weekday(word) {
				return i + 1
			}
		}
	}
	return 0
}

// weekday reports whether a word names a day of the week.
func weekday(word string) bool {
	for _, name := range strings.Fields("mon tue wed thu fri sat sun montag dienst mittw donn freit samst sonn lun mardi mart mercr jeu " +
		"vend sam dim mier juev vier sab dom maandag dinsd woensd donderd vrijd zaterd zond") {
		if strings.HasPrefix(word, name) && word != "mar" {
			return true
		}
	}
	return false
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
	ok = true
	switch zone = usual; {
	case m[5] != "":
		var minutes int
		minutes, ok = zoneMinutes[m[5]]
		zone = time.FixedZone("", minutes*60)
	case m[6] != "":
		offset := atoi(m[6][1:])*3600 + atoi(m[7])*60
		if m[6][0] == '-' {
			offset = -offset
		}
		zone = time.FixedZone("", offset)
	}
	return hour, minute, second, zone, ok && hour < 24 && minute < 60 && second < 60
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text) // digits, or empty for 0
	return n
}

// dateVote finds out from all dates of a column which number is the day.
type dateVote struct {
	field      string
	day, month int // dates that can only be read with the day, or the month, first
	doubt      []example
	read       int       // dates that can be read
	unread     []example // the first that cannot
	lost       int       // how many these are
}

func (v *dateVote) add(cell []byte, row int) {
	if len(cell) == 0 {
		return
	}
	cell = []byte(plainBlanks.Replace(string(cell)))
	_, byDay := parseDate(cell, dayFirst, time.UTC)
	_, byMonth := parseDate(cell, monthFirst, time.UTC)
	if byDay || byMonth {
		v.read++
	} else if v.lost++; len(v.unread) < mostExamples {
		v.unread = append(v.unread, example{clip(cell), row})
	}
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

// readable is an error when most dates of the column cannot be read: the orders would be ones of today. Where these
// are a few, their orders are refused.
func (v *dateVote) readable(column string) error {
	if v.lost <= v.read {
		return nil
	}
	question := fmt.Sprintf("%s (column %s): %s cannot be read, nor %d others", v.field, column, listed(v.unread), v.lost-len(v.unread))
	if v.lost == len(v.unread) {
		question = fmt.Sprintf("%s (column %s): %s cannot be read", v.field, column, listed(v.unread))
	}
	return wrongChoice("the dates cannot be read: "+question+". Write them as 2026-03-05, or leave the column out",
		"the dates cannot be read, nothing was stored.\n  "+question+".\nWrite them as 2026-03-05, or map another column with "+
			"--map COLUMN="+v.field+"; --set "+v.field+"= leaves the dates out, and takes that of today for all")
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
	question := fmt.Sprintf("%s (column %s): which number of %s is the day? %s", v.field, column, listed(v.doubt), why)
	return "", wrongChoice("the dates are ambiguous: "+question+". Say whether the day or the month comes first",
		"the dates are ambiguous, nothing was stored.\n  "+question+".\nSay it: --date-order dmy (the day first) or --date-order mdy "+
			"(the month first); --set "+v.field+"= leaves the dates out")
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
