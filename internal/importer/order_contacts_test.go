package importer

import (
	"fmt"
	"strings"
	"testing"
)

// Phones and companies of an order file reach the customer records, once a customer, and overwrite
// nothing; orders without an e-mail keep them in the address.
func TestCustomersKeepPhoneAndCompany(t *testing.T) {
	fake, c := service(t)
	fake.products["A"] = &fakeProduct{SKU: "A"}
	fake.customers["customer-1"] = map[string]string{"id": "customer-1", "email": "bob@example.com", "phone": "old"}
	text := "order id,customer,email,phone,company,sku,quantity,price\n" +
		"1,Ada King Lovelace,ada@example.com,,Engines,A,1,5\n2,Ada Byron,ADA@example.com,+44 1,,A,1,5\n" +
		"3,Bob,bob@example.com,new,Builders,A,1,5\n4,Cy,,+33 2,Cie,A,1,5\n5,Di,no-mail,+1 3,,A,1,5\n6,Eve,eve@example.com,,,A,1,5\n"
	s := run(t, Options{Kind: Orders, File: write(t, text), To: c})
	if s.Stored != 6 || s.Codes["customer_refused"] != 1 || len(fake.customers) != 2 {
		t.Fatalf("%+v, %v", s, fake.customers)
	}
	for id, want := range map[string]string{
		"customer-1": "map[company:Builders email:bob@example.com id:customer-1 phone:old]",
		"customer-2": "map[company:Engines email:ada@example.com firstName:Ada id:customer-2 lastName:King Lovelace phone:+44 1]",
	} {
		if got := fmt.Sprint(fake.customers[id]); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if address := fake.orders["4"].ShippingAddress; address["phone"] != "+33 2" || address["company"] != "Cie" {
		t.Errorf("%v", address)
	}
	again := run(t, Options{Kind: Orders, File: write(t, text), To: c})
	if again.Existing != 6 || len(fake.customers) != 2 {
		t.Errorf("the second time: %+v", again)
	}
}

// Customers that have only an id can be linked by a placeholder address; the log says how.
func TestCustomersWithoutEmail(t *testing.T) {
	fake, c := service(t)
	fake.products["A"] = &fakeProduct{SKU: "A"}
	var log strings.Builder
	o := Options{Kind: Orders, To: c, Log: &log,
		File: write(t, "order id,customer,customer id,sku,quantity,price\n1,Ada,C-7,A,1,5\n2,Guest,,A,1,5\n")}
	run(t, o)
	flag := `customer id+"@customers.invalid"=customerEmail`
	if !strings.Contains(log.String(), "--map '"+flag+"'") || fake.orders["1"].CustomerEmail != "" {
		t.Errorf("%s", log.String())
	}
	fake.orders, fake.keys = map[string]*fakeOrder{}, map[string]string{}
	o.Map = []string{flag}
	run(t, o)
	if fake.orders["1"].CustomerEmail != "C-7@customers.invalid" || fake.orders["2"].CustomerEmail != "" {
		t.Errorf("%+v, %+v", fake.orders["1"], fake.orders["2"])
	}
}
