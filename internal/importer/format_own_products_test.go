package importer

import (
	"fmt"
	"strings"
	"testing"
)

// Objects with variants are passed on with them although they have a member that products have not; that is reported.
func TestVariantsAreKeptBesideForeignMembers(t *testing.T) {
	fake, c := service(t)
	s := run(t, Options{Kind: Products, To: c,
		File: write(t, `{"sku":"A","name":"a","price":1,"season":"2026","variants":[{"sku":"A-1","stock":4}]}`)})
	if a := fake.products["A"]; s.Created != 1 || len(a.Variants) != 1 || *a.Variants[0].Stock != 4 {
		t.Errorf("%+v", a)
	}
	if fmt.Sprint(s.NotImported) != "[season]" {
		t.Errorf("not imported: %v", s.NotImported)
	}
	run(t, Options{Kind: Products, To: c, File: write(t, `{"sku":"B","name":"b","price":1,"color":"red"}`)})
	if fake.products["B"].Attributes["color"] != "red" {
		t.Errorf("without variants, members are mapped: %+v", fake.products["B"])
	}
}

// The first object of a file may be longer than what is looked at to find out what the file is.
func TestLongFirstObject(t *testing.T) {
	fake, c := service(t)
	long := `{"sku":"%s","name":"a","price":1,"description":"` + strings.Repeat("長", sampleSize/3) + `"}`
	for i, text := range []string{long + "\n" + long, "[" + long + ",\n" + long + "]", `{"products":[` + long + "," + long + "]}"} {
		one, two := fmt.Sprint("A", i), fmt.Sprint("B", i)
		if s := run(t, Options{Kind: Products, To: c, File: write(t, fmt.Sprintf(text, one, two))}); s.Created != 2 {
			t.Errorf("%d: %+v", i, s)
		}
		if fake.products[two] == nil || !strings.HasPrefix(fake.products[two].Description, "長長") {
			t.Errorf("%d: %.100v", i, fake.products[two])
		}
	}
}
