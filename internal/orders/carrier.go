package orders

import (
	"regexp"
	"strings"
	"unicode"
)

// carriers are the forms of tracking numbers that only one carrier has, as far as a form can tell; the first form that
// fits counts. Numbers of other forms, such as ten digits, belong to several carriers.
var carriers = []struct {
	name string
	form *regexp.Regexp
}{
	{"UPS", regexp.MustCompile(`^1Z[0-9A-Z]{16}$`)},
	{"USPS", regexp.MustCompile(`^((420[0-9]{5}([0-9]{4})?)?9[1-5][0-9]{20}|[A-Z]{2}[0-9]{9}US)$`)},
	{"Royal Mail", regexp.MustCompile(`^[A-Z]{2}[0-9]{9}GB$`)},
	{"La Poste", regexp.MustCompile(`^([A-Z]{2}[0-9]{9}FR|[5-9][A-Z][0-9]{11})$`)},
	{"PostNL", regexp.MustCompile(`^(3S[A-Z]{2,6}[0-9]{6,11}|[A-Z]{2}[0-9]{9}NL)$`)},
	{"DHL", regexp.MustCompile(`^(JJD[0-9A-Z]{9,21}|JVGL[0-9]{8,20}|JD[0-9]{18}|00340[0-9]{15}|[A-Z]{2}[0-9]{9}DE)$`)},
	{"DPD", regexp.MustCompile(`^(0[0-9]{13}|[0-9]{14}[A-Z]?)$`)},
	{"FedEx", regexp.MustCompile(`^([0-9]{12}|[0-9]{15}|96[0-9]{20})$`)},
	{"GLS", regexp.MustCompile(`^([0-9]{11}|[YZ][0-9A-Z]{7})$`)},
}

// CarrierOf returns the carrier whose tracking numbers have the form of number, written with or without spaces and
// hyphens; "" for none.
func CarrierOf(number string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '-' {
			return -1
		}
		return unicode.ToUpper(r)
	}, number)
	for _, c := range carriers {
		if c.form.MatchString(plain) {
			return c.name
		}
	}
	return ""
}
