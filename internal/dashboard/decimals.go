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

// typedDecimal is a decimal number as people type it, with a point before its decimals: they write a point or a comma there, and points,
// commas, spaces or apostrophes between groups of three digits. What can be read in two ways, such as 1,250, is not guessed: unclear asks
// which is meant. Before as many decimals as its currency has, a point is clear. What is no number stays as it was typed.
func typedDecimal(said string, digits int) (number, unclear string) {
	said = strings.TrimSpace(said)
	if found := spacedGroups.FindStringSubmatch(said); found != nil {
		whole := found[1] + strings.Map(digitsOnly, found[2])
		return whole + strings.Replace(found[3], ",", ".", 1), ""
	}
	switch {
	case oneGroup.MatchString(said):
		number = strings.Replace(said, ",", ".", 1)
		if number == said && digits == 3 {
			return number, ""
		}
		exact := strings.TrimSuffix(number, "0")
		if exact == number {
			exact += "0"
		}
		return number, fmt.Sprintf("may be %s or %s: type one of these", strings.Replace(number, ".", "", 1), exact)
	case pointGroups.MatchString(said) && (strings.Count(said, ".") > 1 || strings.Contains(said, ",")):
		return strings.Replace(strings.ReplaceAll(said, ".", ""), ",", ".", 1), ""
	case commaGroups.MatchString(said) && (strings.Count(said, ",") > 1 || strings.Contains(said, ".")):
		return strings.ReplaceAll(said, ",", ""), ""
	case strings.Count(said, ",") == 1 && !strings.Contains(said, "."):
		return strings.Replace(said, ",", ".", 1), ""
	}
	return said, ""
}

func digitsOnly(c rune) rune {
	if c >= '0' && c <= '9' {
		return c
	}
	return -1
}
