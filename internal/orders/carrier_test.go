package orders_test

import (
	"strings"
	"testing"

	"entrepot/internal/orders"
)

// A carrier is recognised by the form of its numbers and by their check digit; what several have is of none.
func TestCarrierOf(t *testing.T) {
	for _, c := range []struct{ want, numbers, wrong string }{
		{"UPS", "1Z999AA10123456784,1z 999 aa1 01 2345 6784,1Z5R89390357567127,1Z879E930346834440", "1Z999AA10123456785"},
		{"USPS", "9400111899223197428497,9205590164917312751089,420100019400111899223197428497,LX473124829US",
			"9400111899223197428490,420100019400111899223197428490,LX473124828US"},
		{"Royal Mail", "RM473124829GB,RM 1234 5678 5 GB", "RM473124820GB"},
		{"La Poste", "LA473124829FR,6A12345678901,8R12345678901", "LA473124825FR,4A12345678901"},
		{"PostNL", "3SABCD1234567,RR473124829NL", "RR473124827NL,3SABCD12"},
		{"DHL", "JJD014600001234567,JVGL0123456789,JD014600001234567890,00340434161094042557,00340434292135100186,RR473124829DE",
			"00340434161094042558,RR473124821DE"},
		{"DPD", "05308801234567,0530 8801 2345 67,05308801234567A", ""},
		{"FedEx", "986578788855,477179081230,799531274483,041441760228964,568283610012000,9611020987654312345672",
			"986578788850,041441760228965,9611020987654312345673"},
		{"GLS", "12345678901,Z1234567,YABCDEFG", "A1234567"},
		{"", "", "61299998820821171811,1234567890,T1,DHL,Colissimo,Hermes,XYZ"},
	} {
		for _, list := range []struct{ numbers, want string }{{c.numbers, c.want}, {c.wrong, ""}} {
			for number := range strings.SplitSeq(list.numbers, ",") {
				if got := orders.CarrierOf(number); got != list.want && number != "" {
					t.Errorf("%s: %q, not %q", number, got, list.want)
				}
			}
		}
	}
}
