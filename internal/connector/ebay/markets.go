package ebay

import "strings"

// market is what goes with a marketplace.
type market struct{ id, language, currency, site string }

// locale is the language as requests about several items name it.
func (m market) locale() string { return strings.ReplaceAll(m.language, "-", "_") }

var markets = map[string]market{
	"EBAY_US":        {language: "en-US", currency: "USD", site: "www.ebay.com"},
	"EBAY_CA":        {language: "en-CA", currency: "CAD", site: "www.ebay.ca"},
	"EBAY_GB":        {language: "en-GB", currency: "GBP", site: "www.ebay.co.uk"},
	"EBAY_IE":        {language: "en-IE", currency: "EUR", site: "www.ebay.ie"},
	"EBAY_AU":        {language: "en-AU", currency: "AUD", site: "www.ebay.com.au"},
	"EBAY_DE":        {language: "de-DE", currency: "EUR", site: "www.ebay.de"},
	"EBAY_AT":        {language: "de-AT", currency: "EUR", site: "www.ebay.at"},
	"EBAY_CH":        {language: "de-CH", currency: "CHF", site: "www.ebay.ch"},
	"EBAY_FR":        {language: "fr-FR", currency: "EUR", site: "www.ebay.fr"},
	"EBAY_BE":        {language: "fr-BE", currency: "EUR", site: "www.befr.ebay.be"},
	"EBAY_IT":        {language: "it-IT", currency: "EUR", site: "www.ebay.it"},
	"EBAY_ES":        {language: "es-ES", currency: "EUR", site: "www.ebay.es"},
	"EBAY_HK":        {language: "zh-HK", currency: "HKD", site: "www.ebay.com.hk"},
	"EBAY_SG":        {language: "en-SG", currency: "SGD", site: "www.ebay.com.sg"},
	"EBAY_MY":        {language: "en-MY", currency: "MYR", site: "www.ebay.com.my"},
	"EBAY_PH":        {language: "en-PH", currency: "PHP", site: "www.ebay.ph"},
	"EBAY_MOTORS_US": {language: "en-US", currency: "USD", site: "www.ebay.com"},
	"EBAY_NL":        {language: "nl-NL", currency: "EUR", site: "www.ebay.nl"},
	"EBAY_PL":        {language: "pl-PL", currency: "PLN", site: "www.ebay.pl"},
}
