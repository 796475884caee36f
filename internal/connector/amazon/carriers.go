package amazon

import "entrepot/internal/connector"

// carriers are Amazon's codes of carriers, by their names in small letters and digits.
var carriers = map[string]string{
	"amazonlogistics": "Amazon Shipping", "bpost": "Bpost", "brt": "BRT", "canadapost": "Canada Post", "chronopost": "Chronopost",
	"colissimo": "Colissimo", "correos": "Correos", "correosexpress": "Correos Express", "deutschepost": "Deutsche Post", "dhl": "DHL",
	"dhlexpress": "DHL Express", "dpd": "DPD", "evri": "Evri", "fedex": "FedEx", "gls": "GLS", "hermes": "Hermes", "inpost": "InPost",
	"japanpost": "Japan Post", "laposte": "La Poste", "mondialrelay": "Mondial Relay", "ontrac": "OnTrac", "posteitaliane": "Poste Italiane",
	"postnl": "PostNL", "postnord": "PostNord", "royalmail": "Royal Mail", "sagawa": "Sagawa", "sda": "SDA", "seur": "Seur", "tnt": "TNT",
	"ups": "UPS", "usps": "USPS", "yamatotransport": "Yamato Transport", "yodel": "Yodel",
}

// carrier is Amazon's name of a carrier. Amazon has codes for some hundred carriers; others are sent by name.
func carrier(name string) (code, shown string) {
	if code, known := carriers[connector.Letters(name)]; known {
		return code, name
	}
	if name == "" {
		name = "Other"
	}
	return "Other", name
}
