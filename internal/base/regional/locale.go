package regional

import "golang.org/x/text/language"

// Languages are the languages of the dashboard.
var Languages = []string{"en", "de", "fr"}

// MaxLocale is the largest length of a locale, in bytes.
const MaxLocale = 35

// Locale parses a language and, usually, a region (BCP 47), such as fr or de-CH, and returns its usual spelling. It
// reports whether there is such a language.
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

// By the Unicode locale data, the regions where English writes the month before the day, and those with a twelve-hour
// clock.
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
