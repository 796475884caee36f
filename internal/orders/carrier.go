package orders

import (
	"regexp"
	"strings"
	"unicode"
)

// carriers are the forms of tracking numbers that only one carrier has, as far as a form can tell; the first form that
// fits counts. Numbers of other forms, such as ten digits, belong to several carriers. check computes whether the check
// digit is right, where the form has one that every number of it must have.
var carriers = []struct {
	name  string
	form  *regexp.Regexp
	check func(number string) bool
}{
	{"UPS", regexp.MustCompile(`^1Z[0-9A-Z]{15}[0-9]$`), checkUPS},
	{"USPS", regexp.MustCompile(`^(?:420[0-9]{5}(?:[0-9]{4})?)?9[1-5][0-9]{20}$`), checkUSPS},
	{"USPS", regexp.MustCompile(`^[A-Z]{2}[0-9]{9}US$`), checkPost},
	{"Royal Mail", regexp.MustCompile(`^[A-Z]{2}[0-9]{9}GB$`), checkPost},
	{"La Poste", regexp.MustCompile(`^[A-Z]{2}[0-9]{9}FR$`), checkPost},
	{"La Poste", regexp.MustCompile(`^[5-9][A-Z][0-9]{11}$`), nil},
	{"PostNL", regexp.MustCompile(`^[A-Z]{2}[0-9]{9}NL$`), checkPost},
	{"PostNL", regexp.MustCompile(`^3S[A-Z]{2,6}[0-9]{6,11}$`), nil},
	{"DHL", regexp.MustCompile(`^[A-Z]{2}[0-9]{9}DE$`), checkPost},
	{"DHL", regexp.MustCompile(`^00340[0-9]{15}$`), checkGS1},
	{"DHL", regexp.MustCompile(`^(?:JJD[0-9A-Z]{9,21}|JVGL[0-9]{8,20}|JD[0-9]{18})$`), nil},
	{"DPD", regexp.MustCompile(`^(?:0[0-9]{13}|[0-9]{14}[A-Z]?)$`), nil},
	{"FedEx", regexp.MustCompile(`^[0-9]{12}$`), checkFedEx},
	{"FedEx", regexp.MustCompile(`^(?:96[0-9]{5})?[0-9]{15}$`), checkFedExGround},
	{"GLS", regexp.MustCompile(`^(?:[0-9]{11}|[YZ][0-9A-Z]{7})$`), nil},
}

// CarrierOf returns the carrier whose tracking numbers have the form of number, written with or without spaces and
// hyphens; "" for none, and for a number whose check digit is wrong.
func CarrierOf(number string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '-' {
			return -1
		}
		return unicode.ToUpper(r)
	}, number)
	for _, c := range carriers {
		if c.form.MatchString(plain) && (c.check == nil || c.check(plain)) {
			return c.name
		}
	}
	return ""
}

// weighted is the sum of the digits of a text, each times its weight; the weights begin anew after the last one.
func weighted(digits string, weights ...int) (sum int) {
	for i := range len(digits) {
		sum += int(digits[i]-'0') * weights[i%len(weights)]
	}
	return sum
}

// last is the value of the last digit.
func last(number string) int { return int(number[len(number)-1] - '0') }

// checkUPS checks 1Z and 16 signs: a letter counts as a digit, A as 2, B as 3, and so on; every second one counts twice.
func checkUPS(number string) bool {
	sum := 0
	for i, r := range number[2:17] {
		value := int(r - '0')
		if r >= 'A' {
			value = int(r-'A'+2) % 10
		}
		sum += value * (1 + i%2)
	}
	return (10-sum%10)%10 == last(number)
}

// checkPost checks the numbers of the Universal Postal Union (S10): two letters, eight digits, the check digit, the
// country.
func checkPost(number string) bool {
	check := 11 - weighted(number[2:10], 8, 6, 4, 2, 3, 5, 9, 7)%11
	switch check {
	case 10:
		check = 0
	case 11:
		check = 5
	}
	return int(number[10]-'0') == check
}

// checkGS1 checks digits whose last is that of GS1: from the right every second one counts three times.
func checkGS1(number string) bool {
	sum := 0
	for i := len(number) - 2; i >= 0; i -= 2 {
		sum += 3 * int(number[i]-'0')
	}
	for i := len(number) - 3; i >= 0; i -= 2 {
		sum += int(number[i] - '0')
	}
	return (10-sum%10)%10 == last(number)
}

// checkUSPS is checkGS1 of the last 22 digits: the postal code before them is no part of the number.
func checkUSPS(number string) bool { return checkGS1(number[len(number)-22:]) }

// checkFedExGround is checkGS1 of the last 15 digits, before which the service and the shipper may stand.
func checkFedExGround(number string) bool { return checkGS1(number[len(number)-15:]) }

// checkFedEx checks twelve digits of FedEx Express.
func checkFedEx(number string) bool { return weighted(number[:11], 3, 1, 7)%11%10 == last(number) }
