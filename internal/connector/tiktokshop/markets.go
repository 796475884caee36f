package tiktokshop

// market is what goes with a shop's region.
type market struct {
	currency string
	net      bool // prices are without tax
	parcels  bool // a part of an order can be shipped without splitting its package first
	pounds   bool // weights and lengths in pounds and inches
	second   bool // the second version of categories
}

func (m market) weight() string { return either(m.pounds, "POUND", "KILOGRAM") }

func (m market) length() string { return either(m.pounds, "INCH", "CENTIMETER") }

func (m market) categories() string { return either(m.second, "v2", "v1") }

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

var markets = map[string]market{
	"US": {currency: "USD", net: true, parcels: true, pounds: true, second: true},
	"GB": {currency: "GBP", parcels: true}, "DE": {currency: "EUR", parcels: true}, "FR": {currency: "EUR", parcels: true},
	"IT": {currency: "EUR", parcels: true}, "ES": {currency: "EUR", parcels: true}, "IE": {currency: "EUR", parcels: true},
	"JP": {currency: "JPY", parcels: true}, "MX": {currency: "MXN"}, "BR": {currency: "BRL"},
	"ID": {currency: "IDR", second: true}, "MY": {currency: "MYR", second: true}, "PH": {currency: "PHP", second: true},
	"SG": {currency: "SGD", second: true}, "TH": {currency: "THB", second: true}, "VN": {currency: "VND", second: true},
}
