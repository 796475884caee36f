package amazon

import "strings"

// Hosts of the Selling Partner API, one for each region.
const (
	northAmerica = "https://sellingpartnerapi-na.amazon.com"
	europe       = "https://sellingpartnerapi-eu.amazon.com"
	farEast      = "https://sellingpartnerapi-fe.amazon.com"
)

// login is where access tokens come from, for all regions.
const login = "https://api.amazon.com"

// market has the properties of a marketplace.
type market struct {
	id, host, site, currency string
	language                 string // of texts of a listing, such as de_DE
	taxOnTop                 bool   // prices are shown without tax
}

// markets are the marketplaces by their ids.
var markets = map[string]market{
	"ATVPDKIKX0DER":  {host: northAmerica, site: "www.amazon.com", currency: "USD", language: "en_US", taxOnTop: true},
	"A2EUQ1WTGCTBG2": {host: northAmerica, site: "www.amazon.ca", currency: "CAD", language: "en_CA", taxOnTop: true},
	"A1AM78C64UM0Y8": {host: northAmerica, site: "www.amazon.com.mx", currency: "MXN", language: "es_MX"},
	"A2Q3Y263D00KWC": {host: northAmerica, site: "www.amazon.com.br", currency: "BRL", language: "pt_BR"},
	"A1F83G8C2ARO7P": {host: europe, site: "www.amazon.co.uk", currency: "GBP", language: "en_GB"},
	"A1PA6795UKMFR9": {host: europe, site: "www.amazon.de", currency: "EUR", language: "de_DE"},
	"A13V1IB3VIYZZH": {host: europe, site: "www.amazon.fr", currency: "EUR", language: "fr_FR"},
	"APJ6JRA9NG5V4":  {host: europe, site: "www.amazon.it", currency: "EUR", language: "it_IT"},
	"A1RKKUPIHCS9HS": {host: europe, site: "www.amazon.es", currency: "EUR", language: "es_ES"},
	"A1805IZSGTT6HS": {host: europe, site: "www.amazon.nl", currency: "EUR", language: "nl_NL"},
	"AMEN7PMS3EDWL":  {host: europe, site: "www.amazon.com.be", currency: "EUR", language: "fr_BE"},
	"A2NODRKZP88ZB9": {host: europe, site: "www.amazon.se", currency: "SEK", language: "sv_SE"},
	"A1C3SOZRARQ6R3": {host: europe, site: "www.amazon.pl", currency: "PLN", language: "pl_PL"},
	"A28R8C7NBKEWEA": {host: europe, site: "www.amazon.ie", currency: "EUR", language: "en_IE"},
	"A33AVAJ2PDY3EV": {host: europe, site: "www.amazon.com.tr", currency: "TRY", language: "tr_TR"},
	"A2VIGQ35RCS4UG": {host: europe, site: "www.amazon.ae", currency: "AED", language: "en_AE"},
	"A17E79C6D8DWNP": {host: europe, site: "www.amazon.sa", currency: "SAR", language: "en_AE"},
	"ARBP9OOSHTCHU":  {host: europe, site: "www.amazon.eg", currency: "EGP", language: "en_AE"},
	"AE08WJ6YKNBMC":  {host: europe, site: "www.amazon.co.za", currency: "ZAR", language: "en_ZA"},
	"A21TJRUUN4KGV":  {host: europe, site: "www.amazon.in", currency: "INR", language: "en_IN"},
	"A1VC38T7YXB528": {host: farEast, site: "www.amazon.co.jp", currency: "JPY", language: "ja_JP"},
	"A39IBJ37TRP1C6": {host: farEast, site: "www.amazon.com.au", currency: "AUD", language: "en_AU"},
	"A19VAU5U5O7RUS": {host: farEast, site: "www.amazon.sg", currency: "SGD", language: "en_SG"},
}

// marketOf is the marketplace of an id; known is false for one that this service does not know.
func marketOf(id string) (m market, known bool) {
	id = strings.ToUpper(id)
	m, known = markets[id]
	m.id = id
	return m, known
}
