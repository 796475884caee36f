package orders

import (
	"errors"
	"strings"

	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/db"
)

// Country returns the country of a shipping address as two capital letters; "" if the address has no country code.
// Lists filter by it.
func Country(address string) string {
	if address == "" {
		return ""
	}
	text, flat := flatCountry(address)
	if !flat {
		v, err := jsonvalue.Parse([]byte(address))
		if err != nil {
			return ""
		}
		text = v.Member("country").Text()
	}
	code, _ := CountryCode(text)
	return code
}

// flatCountry returns the country of an address of the usual form: an object without objects, lists and escapes in it.
// The country of each order is needed twice, and parsing its address takes twenty times as long. flat is false for all
// other texts.
func flatCountry(address string) (text string, flat bool) {
	const name = `"country"`
	if address[0] != '{' || strings.ContainsAny(address[1:], `{[\`) {
		return "", false
	}
	before, after, found := strings.Cut(address, name) // without escapes, no string has a quote in it
	if !found {
		return "", true
	}
	before, after = strings.TrimRight(before, " \t\r\n"), strings.TrimLeft(after, " \t\r\n")
	if !strings.HasSuffix(before, "{") && !strings.HasSuffix(before, ",") || !strings.HasPrefix(after, ":") || strings.Contains(after, name) {
		return "", false
	}
	after = strings.TrimLeft(after[1:], " \t\r\n")
	if !strings.HasPrefix(after, `"`) {
		return "", false
	}
	text, _, flat = strings.Cut(after[1:], `"`)
	return text, flat
}

// CountryCode converts a code of two letters to capitals; ok is false for any other text.
func CountryCode(text string) (code string, ok bool) {
	code = strings.ToUpper(strings.TrimSpace(text))
	if len(code) != 2 || code[0] < 'A' || code[0] > 'Z' || code[1] < 'A' || code[1] > 'Z' {
		return "", false
	}
	return code, true
}

// RepairCountry corrects the country by which lists find the order with a number, and the country's count, if the
// order's address has another country.
func RepairCountry(tx *db.Tx, number int64) error {
	var o Order
	var found string
	err := tx.Row("SELECT id, status, channel_id, shipping_address, country FROM orders WHERE tenant_id = $1 AND number = $2 FOR UPDATE",
		[]any{tx.Tenant, number}, &o.ID, &o.Status, db.Opt(&o.Channel), db.Opt(&o.ShippingAddress), db.Opt(&found))
	if errors.Is(err, db.ErrNoRow) {
		return nil
	}
	named := Country(o.ShippingAddress)
	if err != nil || named == found {
		return err
	}
	tx.Queue(`UPDATE orders SET country = $3 WHERE tenant_id = $1 AND id = $2::UUID AND status = $4 AND coalesce(country, '') = $5
		AND coalesce(shipping_address, '') = $6`, tx.Tenant, o.ID, db.Null(named), string(o.Status), found, o.ShippingAddress).Rows(1, nil)
	o.tallyIn(tx, found, -1)
	o.tallyIn(tx, named, 1)
	return nil
}
