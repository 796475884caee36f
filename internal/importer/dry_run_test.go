package importer

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A dry run of orders asks the service, says of each order what would become of it, and stores nothing.
// Then the import proper does just that.
func TestDryRunOfOrdersAsksTheService(t *testing.T) {
	fake, c := service(t)
	fake.products["P-1"] = &fakeProduct{SKU: "P-1"}
	fake.owners["V-1"] = "P-1"
	base := Options{Kind: Orders, To: c, Map: []string{"order=externalReference", "cancels=originalReference"}, CreateMissing: true,
		File: write(t,
			"order,customer,sku,quantity,price,initialStatus,cancels\nOLD,Ada,P-1,1,5,DELIVERED,\n")}
	run(t, base)
	text := "order,customer,customerId,sku,quantity,price,cancels\n" +
		"OLD,Ada,,P-1,2,5,\n" + // taken, by another order
		"NEW,Ada,,P-1,1,5,\nNEW,Ada,,V-1,1,5,\n" + // a product and a variant
		"BAD,Ada,,NOPE,1,5,\nBAD,Ada,,P-1,1,5,\nBAD,Ada,,NOPE,1,5,\n" + // one SKU is not there
		"WHO,Ada,0190c0de-0000-7000-8000-00000000beef,P-1,1,5,\n" + // no such customer
		"FOR,Ada,0190c0de-0000-7000-8000-000000000001,P-1,1,5,\n" +
		"CN,Ada,,P-1,-1,5,OLD\n" // takes all of OLD back
	o := base
	o.File, o.DryRun, o.CreateMissing = write(t, text), true, false
	var faults []string
	o.OnFault = func(f Fault) { faults = append(faults, fmt.Sprint(f.Item, " ", f.Level, " ", f.Rows, " ", f.Code)) }
	before := len(fake.orders)
	s := run(t, o)
	want := "[OLD note 0 exists BAD refused 3 unknown_sku WHO refused 1 customer_refused CN note 0 original_moved]"
	if fmt.Sprint(faults) != want || s.Created != 2 || s.Existing != 1 || s.Moved != 1 || s.RowsRefused != 4 {
		t.Errorf("%v, want %s\n%+v", faults, want, s)
	}
	if len(fake.orders) != before || len(fake.products) != 1 || fake.orders["OLD"].Status != "DELIVERED" {
		t.Errorf("something was stored: %v", fake.orders)
	}
	o.CreateMissing = true
	if s := run(t, o); s.Missing != 1 || s.Codes["unknown_sku"] != 0 || len(fake.products) != 1 {
		t.Errorf("with --create-missing-products: %+v", s)
	}
	o.Channel = noChannel
	_, err := Run(t.Context(), o)
	if call, wrong := errors.AsType[*CallError](err); !wrong || !strings.Contains(call.Message, "no such channel") {
		t.Errorf("unknown channel: %v", err)
	}
}

// What a key may not read is not checked, and is said.
func TestDryRunWithAKeyOfOrdersAlone(t *testing.T) {
	fake, c := service(t)
	fake.before(func(w http.ResponseWriter, r *http.Request, _ int) bool {
		fake.answer(w, 403, map[string]any{"message": "forbidden", "code": "forbidden"})
		return true
	})
	var log strings.Builder
	s := run(t, Options{Kind: Orders, File: write(t, sales(10)), To: c, Map: salesMap, DryRun: true, Log: &log})
	if s.Stored != 10 || strings.Count(log.String(), "not checked: whether") != 2 {
		t.Errorf("%+v\n%s", s, log.String())
	}
}
