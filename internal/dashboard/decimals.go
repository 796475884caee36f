package dashboard

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	spacedGroups = regexp.MustCompile(`^(-?[0-9]{1,3})((?:[ \x{a0}\x{202f}\x{2009}'’][0-9]{3})+)([.,][0-9]+)?$`)
	pointGroups  = regexp.MustCompile(`^-?[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?$`)
	commaGroups  = regexp.MustCompile(`^-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)
	oneGroup     = regexp.MustCompile(`^-?[1-9][0-9]{0,2}[.,][0-9]{3}$`)
)

// typedDecimal is a decimal number as people type it, with a point before its decimals: they write a point or a comma
// there, and points, commas, spaces or apostrophes between groups of three digits. What can be read in two ways, such
// as 1,250, is not guessed: unclear asks which is meant, in the writing of a locale, whose sign before decimals is
// point. Before as many decimals as its currency has, that sign is clear. What is no number stays as it was typed.
func typedDecimal(said, point string, digits int) (number, unclear string) {
	said = strings.TrimSpace(said)
	if found := spacedGroups.FindStringSubmatch(said); found != nil {
		whole := found[1] + strings.Map(digitsOnly, found[2])
		return whole + strings.Replace(found[3], ",", ".", 1), ""
	}
	switch {
	case oneGroup.MatchString(said):
		number = strings.Replace(said, ",", ".", 1)
		if digits == 3 && strings.Contains(said, point) {
			return number, ""
		}
		exact := strings.TrimSuffix(number, "0")
		if exact == number {
			exact += "0"
		}
		return number, fmt.Sprintf("may be %s or %s: type one of these", strings.Replace(number, ".", "", 1),
			strings.Replace(exact, ".", point, 1))
	case pointGroups.MatchString(said) && (strings.Count(said, ".") > 1 || strings.Contains(said, ",")):
		return strings.Replace(strings.ReplaceAll(said, ".", ""), ",", ".", 1), ""
	case commaGroups.MatchString(said) && (strings.Count(said, ",") > 1 || strings.Contains(said, ".")):
		return strings.ReplaceAll(said, ",", ""), ""
	case strings.Count(said, ",") == 1 && !strings.Contains(said, "."):
		return strings.Replace(said, ",", ".", 1), ""
	}
	return said, ""
}

// typedWhole is a whole number as people type it, with the separators between groups of three digits that
// typedDecimal takes, and the minus that pages show. The locale's decimal sign separates no groups: 1,000 is asked
// about where it may be 1.
func typedWhole(said, point string) (number, unclear string) {
	said = strings.Replace(strings.TrimPrefix(strings.TrimSpace(said), "+"), "−", "-", 1)
	number, unclear = typedDecimal(said, point, 0)
	switch {
	case unclear == "":
		return number, ""
	case !strings.Contains(said, point):
		return strings.Replace(number, ".", "", 1), ""
	case strings.HasSuffix(number, ".000"):
		return number, fmt.Sprintf("may be %s or %s: type one of these", strings.Replace(number, ".", "", 1), strings.TrimSuffix(number, ".000"))
	}
	return said, ""
}

func digitsOnly(c rune) rune {
	if c >= '0' && c <= '9' {
		return c
	}
	return -1
}

// point is the locale's decimal sign.
func (f format) point() string {
	if f.separators.decimal == "," {
		return ","
	}
	return "."
}

// typing is a number as the locale writes it in an input, without separators between its thousands; anything else
// stays.
func (f format) typing(number string) string {
	if numeral.MatchString(number) {
		return strings.Replace(number, ".", f.point(), 1)
	}
	return number
}

// fill lets an input of a decimal number show its value as the locale writes it.
func (f format) fill(in *field) {
	if in.Kind == "decimal" && in.exact == "" {
		in.exact, in.Value = in.Value, f.typing(in.Value)
	}
}
