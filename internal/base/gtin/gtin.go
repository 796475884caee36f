// Package gtin checks Global Trade Item Numbers: EAN-8, UPC-A, EAN-13 and GTIN-14 (interface §2.7.1).
package gtin

import "fmt"

// Check returns what is wrong with a GTIN, "" for nothing: it has 8, 12, 13 or 14 digits, of which the last follows from
// the others.
func Check(text string) string {
	n, sum := len(text), 0
	wrong := n != 8 && (n < 12 || n > 14)
	for i := range n {
		digit := int(text[i] - '0')
		if wrong = wrong || digit < 0 || digit > 9; i == n-1 {
			break
		}
		if (n-i)%2 == 0 { // every second digit counts three times, from the one before the check digit
			digit *= 3
		}
		sum += digit
	}
	if wrong {
		return "must be a GTIN (EAN, UPC): 8, 12, 13 or 14 digits"
	}
	if check := byte('0' + (10-sum%10)%10); text[n-1] != check {
		return fmt.Sprintf("must end in the check digit %c, not %c", check, text[n-1])
	}
	return ""
}
