package dashboard

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// workbookOf is a workbook whose sheets are a name and its rows.
func workbookOf(t *testing.T, sheets ...any) []byte {
	t.Helper()
	f := excelize.NewFile()
	for i := 0; i < len(sheets); i += 2 {
		name := sheets[i].(string)
		if i == 0 {
			_ = f.SetSheetName("Sheet1", name)
		} else if _, err := f.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		for n, row := range sheets[i+1].([][]any) {
			place, _ := excelize.CoordinatesToCellName(1, n+1)
			if err := f.SetSheetRow(name, place, &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	buf, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// A workbook is given; of its two sheets one is chosen, checked and imported, and the refused row has its line in the sheet.
func TestImportOfAWorkbook(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		file := workbookOf(t, "Notes", [][]any{{"what", "who"}, {"call", "Ada"}}, "Goods", [][]any{{"sku", "name", "price"},
			{"0012", "Mug", 12.5}, {}, {4006381333931, "Bowl", 8}, {"POT", "Pot", "on request"}})
		given := b.give("spring.xlsx", bytes.NewReader(file))
		at := importOf(given)
		page := b.follow(given)
		has(t, page, "Spring.xlsx has several sheets with rows: Notes, Goods. Choose the one to import", "Excel workbook, sheet “Notes”", "Sheet")
		if strings.Contains(page.words(), "Cells are separated by") {
			t.Error("the page asks what separates the cells of a workbook")
		}
		b.follow(b.submit(t, page, at+"/check", "sheet", "Goods"))
		s.runImports()
		page = b.get(at)
		has(t, page, "Checked, not imported", "Excel workbook, sheet “Goods”", "2 new products", "1 row refused", "on request", "0012 Mug")
		if mended := b.get(at + "/refused?as=xlsx"); mended.status != 200 || b.give("mended.xlsx", strings.NewReader(mended.body)).status != 303 {
			t.Errorf("the refused rows cannot be given again: %d", mended.status)
		}
		b.follow(b.submit(t, page, at+"/run"))
		s.runImports()
		has(t, b.get(at), "Done, some refused", "2 created")
		has(t, b.get("/products"), "0012", "4006381333931", "€12.50")
	})
}
