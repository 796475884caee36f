package amazon

// carriers are Amazon's codes of carriers, by their names in small letters and digits.
var carriers = map[string]string{
	"amazonlogistics": "Amazon Shipping", "bpost": "Bpost", "brt": "BRT", "canadapost": "Canada Post", "chronopost": "Chronopost",
	"colissimo": "Colissimo", "correos": "Correos", "correosexpress": "Correos Express", "deutschepost": "Deutsche Post", "dhl": "DHL",
	"dhlexpress": "DHL Express", "dpd": "DPD", "evri": "Evri", "fedex": "FedEx", "gls": "GLS", "hermes": "Hermes", "inpost": "InPost",
	"japanpost": "Japan Post", "laposte": "La Poste", "mondialrelay": "Mondial Relay", "ontrac": "OnTrac", "posteitaliane": "Poste Italiane",
	"postnl": "PostNL", "postnord": "PostNord", "royalmail": "Royal Mail", "sagawa": "Sagawa", "sda": "SDA", "seur": "Seur", "tnt": "TNT",
	"ups": "UPS", "usps": "USPS", "yamatotransport": "Yamato Transport", "yodel": "Yodel",
}
