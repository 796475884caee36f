package orders_test

import (
	"testing"

	"entrepot/internal/orders"
)

// A carrier is recognised by the form of its numbers; what several have is of none.
func TestCarrierOf(t *testing.T) {
	for number, want := range map[string]string{
		"1Z999AA10123456784": "UPS", "1z 999 aa1 01 2345 6784": "UPS", "9400111899223197428490": "USPS", "LX123456785US": "USPS",
		"420100019400111899223197428490": "USPS", "RM123456785GB": "Royal Mail", "6A12345678901": "La Poste", "8R12345678901": "La Poste",
		"LA123456785FR": "La Poste", "3SABCD1234567": "PostNL", "RR123456785NL": "PostNL", "JJD014600001234567": "DHL",
		"00340434161094042557": "DHL", "05308801234567": "DPD", "0530 8801 2345 67": "DPD", "123456789012": "FedEx", "61299998820821171811": "",
		"12345678901": "GLS", "1234567890": "", "T1": "", "": "", "DHL": "", "Colissimo": "", "Hermes": "", "XYZ": "",
	} {
		if got := orders.CarrierOf(number); got != want {
			t.Errorf("%s: %q, not %q", number, got, want)
		}
	}
}
