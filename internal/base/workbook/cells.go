package workbook

import (
	"encoding/xml"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// style is what a cell's style makes of its number.
type style struct {
	kind   styleKind
	digits int // of a number with leading zeros
}

type styleKind byte

const (
	plain   styleKind = iota
	date              // a day number, perhaps with a time of day
	percent           // of a hundred
	zeros             // digits of a code
)

// epoch is the day with the number 0.
type epoch bool

const since1904 epoch = true

// readStyles reads what each style of cells makes of numbers.
func (b *Book) readStyles(part string) error {
	formats, inside := map[string]style{}, false
	return b.small(part, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			if !inside {
				formats[attribute(e, "numFmtId")] = styleOf(attribute(e, "formatCode"))
			}
		case "cellXfs":
			inside = true
		case "cellStyles", "dxfs":
			inside = false
		case "xf":
			if !inside {
				return nil
			}
			id := attribute(e, "numFmtId")
			s, known := formats[id]
			if !known {
				s = builtIn(id)
			}
			if b.styles = append(b.styles, s); len(b.styles) > mostStyles {
				return fmt.Errorf("has more than %d styles: copy the sheet into a new workbook", mostStyles)
			}
		}
		return nil
	})
}

// builtIn is the style of a format that workbooks do not write out.
func builtIn(id string) style {
	n, _ := strconv.Atoi(id)
	switch {
	case n >= 14 && n <= 22, n >= 27 && n <= 36, n >= 45 && n <= 47, n >= 50 && n <= 58, n >= 71 && n <= 81:
		return style{kind: date}
	case n == 9 || n == 10:
		return style{kind: percent}
	}
	return style{}
}

// unread is what a format code shows as it is, and colours, conditions and countries in brackets.
var unread = regexp.MustCompile(`"[^"]*"|\\.|_.|\*.|\[[^\]]*\]`)

// elapsed is a time that may be longer than a day.
var elapsed = regexp.MustCompile(`(?i)\[(h+|m+|s+)\]`)

// styleOf is the style that a format code describes.
func styleOf(code string) style {
	if elapsed.MatchString(code) {
		return style{kind: date}
	}
	code = strings.ToLower(unread.ReplaceAllString(code, ""))
	code, _, _ = strings.Cut(code, ";")
	switch {
	case strings.Contains(code, "general"):
	case strings.ContainsAny(code, "ymdhs"):
		return style{kind: date}
	case strings.HasSuffix(code, "%"):
		return style{kind: percent}
	case len(code) > 1 && strings.Trim(code, "0") == "":
		return style{kind: zeros, digits: min(len(code), 30)}
	}
	return style{}
}

// cellContent is what a sheet says of a cell.
type cellContent struct {
	kind           string
	style          style
	value, formula []byte
	valued         bool   // there is a value, which may be blank
	text           string // written in the cell itself
}

func (c *cellContent) add(to *[]byte, piece []byte) error {
	if len(*to)+len(piece) > mostPiece {
		return fmt.Errorf("has a cell of more than %d MB: shorten it", mostPiece>>20)
	}
	*to = append(*to, piece...)
	return nil
}

// cell is the content of a cell as a person reads it, but for dates, which are ISO 8601, and for signs of thousands and
// currency. A formula has its stored value; without one, its own text, which no number and no date can be read from.
func (b *Book) cell(c cellContent) (Cell, error) {
	value := strings.TrimSpace(string(c.value))
	switch {
	case c.kind == "inlineStr":
		return Cell{Text: c.text}, nil
	case value == "" && len(c.formula) > 0 && !(c.valued && c.kind == "str"):
		return Cell{Text: "=" + string(c.formula)}, nil
	case c.kind == "str":
		return Cell{Text: string(c.value)}, nil
	case value == "":
		return Cell{}, nil
	case c.kind == "s" && b.texts == nil:
		return Cell{}, fmt.Errorf("refers to a text that the workbook does not have")
	case c.kind == "s":
		text, err := b.texts.at(value)
		return Cell{Text: text}, err
	case c.kind == "b":
		return Cell{Text: map[bool]string{true: "TRUE", false: "FALSE"}[flag(value)]}, nil
	case c.kind == "d":
		return Cell{Text: strings.TrimSuffix(strings.TrimSuffix(value, "Z"), "T00:00:00")}, nil
	case c.kind == "" || c.kind == "n":
		return number(value, c.style, b.since), nil
	}
	return Cell{Text: value}, nil // an error, such as #N/A
}

// number is a number by its style.
func number(value string, s style, since epoch) Cell {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return Cell{Text: value}
	}
	switch s.kind {
	case date:
		if text := day(n, since); text != "" {
			return Cell{Text: text}
		}
	case percent:
		return Cell{Text: decimal(n*100) + "%"}
	case zeros:
		if n >= 0 && n == math.Trunc(n) && n < wholeMost {
			return Cell{Text: fmt.Sprintf("%0*d", s.digits, int64(n))}
		}
	}
	if whole.MatchString(value) {
		return Cell{Text: value, Number: true}
	}
	return Cell{Text: decimal(n), Number: true}
}

var whole = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,30})$`)

// wholeMost is where Excel no longer has every whole number.
const wholeMost = 1e15

// decimal is a number with the fifteen digits that Excel has, without an exponent. From wholeMost on digits may be
// lost, which an exponent shows.
func decimal(n float64) string {
	if math.Abs(n) >= wholeMost {
		return strconv.FormatFloat(n, 'E', -1, 64)
	}
	n, _ = strconv.ParseFloat(strconv.FormatFloat(n, 'g', 15, 64), 64)
	text := strconv.FormatFloat(n, 'f', -1, 64)
	if text == "-0" {
		return "0"
	}
	return text
}

// day is a day number as a date, with a time if it has one; below one it is a time of day. "" for a number that is no
// date. In the epoch of 1900 day 60 is 29 February, which that year did not have: the days before it are one later.
func day(n float64, since epoch) string {
	const last = 2_958_465 // 31 December 9999, since 1900
	if n < 0 || n > last {
		return ""
	}
	first := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case since == since1904:
		first = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
	case n >= 60 && n < 61:
		return "1900-02-29"
	case n < 60:
		first = first.AddDate(0, 0, 1)
	}
	whole := math.Floor(n)
	seconds := math.Round((n - whole) * 86_400)
	at := first.AddDate(0, 0, int(whole)).Add(time.Duration(seconds) * time.Second)
	switch {
	case n < 1 && (n > 0 || since != since1904):
		return at.Format(time.TimeOnly)
	case seconds == 0 || seconds == 86_400:
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02T15:04:05")
}
