package regional

import (
	"golang.org/x/text/language"
)

// MaxLocale is the length of a locale, in bytes.
const MaxLocale = 35

// Locale reads the name of a language and, mostly, a region (BCP 47), such as fr or de-CH, in its usual spelling. It reports whether
// there is such a language.
func Locale(text string) (string, bool) {
	if text == "" || len(text) > MaxLocale {
		return "", false
	}
	tag, err := language.Parse(text)
	if err != nil || tag.IsRoot() {
		return "", false
	}
	return tag.String(), true
}

// Of a locale's region: the countries in which English writes the month before the day, and those in which a day has two times twelve
// hours, by the Unicode locale data.
var (
	monthFirst  = regions("US", "PH", "PR", "GU", "AS", "VI", "UM", "MP", "FM", "MH", "PW")
	twelveHours = regions("US", "CA", "AU", "NZ", "IN", "PH", "PK", "BD", "MY", "SG", "EG", "SA", "AE", "JO", "KW", "CO", "MX",
		"PR", "GU", "AS", "VI", "UM", "MP", "KR", "HK")
)

func regions(codes ...string) map[string]bool {
	set := map[string]bool{}
	for _, code := range codes {
		set[code] = true
	}
	return set
}

// Dates says how a locale writes dates in English words, and times of day.
func Dates(tag language.Tag) (monthBeforeDay, twelve bool) {
	region, confidence := tag.Region()
	if confidence == language.No {
		return false, false
	}
	code := region.String()
	return monthFirst[code], twelveHours[code]
}
