package money

import (
	"strings"

	"golang.org/x/text/currency"
)

// minorDigits lists the currencies of ISO 4217 by how many decimals its list of codes gives their minor unit. The
// tables of golang.org/x/text follow custom instead: none for some twenty currencies whose prices do have cents, such
// as COP and RSD. They also lack newer codes.
var minorDigits = map[int]string{
	0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
	2: "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP " +
		"CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD " +
		"KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR " +
		"PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU " +
		"UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG",
	3: "BHD IQD JOD KWD LYD OMR TND",
	4: "CLF UYW",
}

// digitsOf is minorDigits by currency.
var digitsOf = func() map[string]int {
	of := map[string]int{}
	for digits, codes := range minorDigits {
		for _, code := range strings.Fields(codes) {
			of[code] = digits
		}
	}
	return of
}()

// Digits reports how many minor digits a currency has: EUR 2, JPY 0, KWD 3. Unknown codes have 2.
func Digits(code string) int {
	if code == "EUR" || code == "USD" || code == "GBP" {
		return 2
	}
	if digits, ok := digitsOf[code]; ok {
		return digits
	}
	unit, err := currency.ParseISO(code)
	if err != nil {
		return 2
	}
	digits, _ := currency.Standard.Rounding(unit)
	return min(digits, 4)
}

// KnownCurrency reports whether code is an upper-case ISO 4217 currency, a withdrawn one included: orders of the past
// have them.
func KnownCurrency(code string) bool {
	if len(code) != 3 || strings.ToUpper(code) != code {
		return false
	}
	if _, ok := digitsOf[code]; ok {
		return true
	}
	_, err := currency.ParseISO(code)
	return err == nil
}
