package customers

import (
	"strings"

	"golang.org/x/text/language"
)

// notAssigned are country codes in use elsewhere that ISO 3166-1 has withdrawn, only reserved, or left to users. XK is not among them:
// shops and carriers use it for Kosovo, which has no other code.
const notAssigned = " AC AN CP CQ CS DG EA EZ FQ IC NT PC SU TA UN YU "

// BadCountry is the message for a country that is not in ISO 3166-1, and not XK.
const BadCountry = "must be an ISO 3166-1 alpha-2 country such as FR"

// Country converts an ISO 3166-1 alpha-2 code, or XK, to capitals; ok is false for anything else.
func Country(text string) (code string, ok bool) {
	code = strings.ToUpper(strings.TrimSpace(text))
	if len(code) != 2 || strings.Contains(notAssigned, " "+code+" ") {
		return "", false
	}
	region, err := language.ParseRegion(code)
	if err != nil || !region.IsCountry() || region.String() != code || region.Canonicalize() != region {
		return "", false
	}
	return code, true
}
