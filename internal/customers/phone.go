package customers

import (
	"slices"
	"strings"
	"unicode"

	"entrepot/internal/search"
)

// A search finds a phone number by its digits, however the record and the search write it (interface §4.4). The text of a record therefore
// ends with the number in one form: phoneMark, a + if the number begins with a calling code, and the digits without leading zeros.

// phoneMark begins the phone number in the text of a record.
const phoneMark = "☎"

// Digits that a search needs in order to be one for a phone number, and that a part of it needs in order to be looked for.
const (
	leastPhone  = 4
	leastDigits = 3
	fullPhone   = 10 // a term of so many digits may begin with a calling code although it has no + or 00
)

// phoneSigns removes what people write between the digits of a phone number; "(0)" is left out of a call from abroad.
var phoneSigns = strings.NewReplacer("(0)", "", " ", "", "\u00a0", "", "-", "", "(", "", ")", "", "/", "", ".", "")

// phoneForm returns the form in which the text of a record has a phone number; "" for a phone without any digit but 0.
func phoneForm(phone string) string {
	number, begins := phoneNumber(phone)
	switch {
	case !strings.ContainsAny(number, "123456789"):
		return ""
	case begins == withCode:
		return phoneMark + "+" + number
	}
	return phoneMark + number
}

// beginning is how a phone number begins.
type beginning int

const (
	plain    beginning = iota // with a digit other than 0
	national                  // with the 0 of calls within the country
	withCode                  // with + or 00, so with a calling code
)

// phoneNumber returns a phone number without signs and leading zeros, and how it began.
func phoneNumber(phone string) (number string, begins beginning) {
	number = phoneSigns.Replace(phone)
	switch {
	case strings.HasPrefix(number, "+") || strings.HasPrefix(number, "00"):
		begins = withCode
	case strings.HasPrefix(number, "0"):
		begins = national
	}
	return strings.TrimLeft(number, "+0"), begins
}

// phoneTerms returns the texts to look for when a search looks like a phone number, none if it does not.
func phoneTerms(term string) (list []string) {
	digits := 0
	for _, c := range term {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case !unicode.IsSpace(c) && !strings.ContainsRune("+-()/.", c):
			return nil
		}
	}
	if digits < leastPhone {
		return nil
	}
	number, begins := phoneNumber(strings.Join(strings.Fields(term), ""))
	number = strings.ReplaceAll(number, "+", "")
	if len(number) >= leastDigits {
		list = append(list, number)
	}
	if begins == withCode || begins == plain && len(number) >= fullPhone {
		if home := strings.TrimLeft(number[callingCode(number):], "0"); len(home) >= leastDigits {
			list = append(list, phoneMark+home)
		}
	}
	return list
}

// callingCode returns the length of the country's calling code with which a number begins (ITU-T E.164): one digit for
// zones 1 and 7, two for the countries below, three for all others.
func callingCode(number string) int {
	const two = "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 " +
		"60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98"
	switch {
	case number == "":
		return 0
	case number[0] == '1' || number[0] == '7':
		return 1
	case len(number) >= 2 && slices.Contains(strings.Fields(two), number[:2]):
		return 2
	}
	return min(3, len(number))
}

// wantedTerms returns the texts of which one must be in the text of a record that a search finds. One that contains
// another is left out.
func wantedTerms(term string) []string {
	all := append([]string{search.Fold(term)}, phoneTerms(term)...)
	var least []string
	for i, one := range all {
		if !slices.ContainsFunc(all[i+1:], func(other string) bool { return strings.Contains(one, other) }) {
			least = append(least, one)
		}
	}
	return least
}
