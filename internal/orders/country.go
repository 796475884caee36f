package orders

import (
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/jsonvalue"
)

// Country is the country of a shipping address as two capital letters; "" if the address has no country code. Lists
// filter by it.
func Country(address string) string {
	if address == "" {
		return ""
	}
	v, err := jsonvalue.Parse([]byte(address))
	if err != nil {
		return ""
	}
	code, _ := CountryCode(v.Member("country").Text())
	return code
}

// CountryCode converts a code of two letters to capitals; ok is false for any other text.
func CountryCode(text string) (code string, ok bool) {
	code = strings.ToUpper(strings.TrimSpace(text))
	if len(code) != 2 || code[0] < 'A' || code[0] > 'Z' || code[1] < 'A' || code[1] > 'Z' {
		return "", false
	}
	return code, true
}

// SaveCountry queues storing anew by which country lists find an order, unless its address is not the given one any more.
func SaveCountry(w db.Writer, number int64, address string) {
	w.Queue("UPDATE orders SET country = $4 WHERE tenant_id = $1 AND number = $2 AND coalesce(shipping_address, '') = $3",
		w.TenantID(), number, address, db.Null(Country(address)))
}
