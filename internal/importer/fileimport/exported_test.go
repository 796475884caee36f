package fileimport_test

import (
	"strings"
	"testing"

	"entrepot/internal/base/workbook"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/exports"
	"entrepot/internal/importer/fileimport"
	"entrepot/internal/imports"
	"entrepot/internal/stock"
)

// exported is a file of all records of a kind.
func (s *shop) exported(kind exports.Kind, format exports.Format) string {
	s.Helper()
	var file strings.Builder
	rows := &commerce.ExportRows{Store: s.store, Tenant: s.tenant, Draft: commerce.ExportDraft{Kind: kind, Format: format,
		ExportFilter: commerce.ExportFilter{Products: &catalog.Filter{Sort: catalog.ByCreation}, Inventory: &stock.Filter{}}}}
	if _, err := rows.Write(s.Context(), &file); err != nil {
		s.Fatal(err)
	}
	return file.String()
}

// rich are products with everything that their CSV has, and with what is hard to write: formulas, quotes, lines, signs of lists.
const rich = `{"sku":"=R-1","name":"+Jug, \"large\"","description":"Two\nlines; one|sign","status":"DRAFT","price":1.125,"compareAtPrice":1250.5,` +
	`"categoryIds":["kitchen","gifts"],"images":[{"url":"https://img.example/a1.jpg?x=1,2","position":1},{"url":"https://img.example/b.jpg","position":2}],` +
	`"gtin":"4006381333931","weight":0.3505,"cost":4.1,"taxClass":"standard","countryOfOrigin":"PT","attributes":{"colour":"blue","size":5},"stock":{"quantity":3}}
{"sku":"0012","name":"Jar","price":1000,"variants":[{"sku":"-V","name":"Small","price":5.25,"compareAtPrice":6,"gtin":"4006381333948","weight":1.5,"stock":1},` +
	`{"sku":"V-2","name":"","attributes":{"size":"L"},"stock":2}]}
{"sku":"3E10","name":"Bare","price":0}
`

// What is exported and imported again changes nothing, in each format.
func TestWhatIsExportedIsImportedWithoutAChange(t *testing.T) {
	engines(t, func(s *shop) {
		first := s.upload(rich, fileimport.Options{})
		s.check(first.ID)
		s.run()
		s.begin(first.ID)
		if job := s.run(); job.Created != 3 || job.Failed != 0 {
			s.Fatalf("%+v", job)
		}
		for _, format := range exports.Formats {
			file := s.exported(exports.Products, format)
			if format == exports.XLSX {
				file = asCSV(s, file)
			}
			again := s.upload(file, fileimport.Options{})
			s.check(again.ID)
			s.run()
			if c := s.checked(again); c.Unchanged != 3 || c.Created+c.Updated+c.RowsRefused != 0 || len(c.NotImported) != 0 {
				s.Errorf("%s: %+v %q\n%s\n%s", format, c.Counts, c.NotImported, strings.Join(changes(c), "\n"), file)
			}
		}
		levels := s.uploadOf(imports.Stock, s.exported(exports.Inventory, exports.CSV), fileimport.Options{})
		s.check(levels.ID)
		s.run()
		if c := s.checked(levels); c.Unchanged != 3 || c.Created+c.Updated+c.RowsRefused != 0 {
			s.Errorf("stock: %+v\n%s", c.Counts, strings.Join(changes(c), "\n"))
		}
	})
}

// asCSV is the sheet of a workbook as CSV, as a person saves it.
func asCSV(s *shop, file string) string {
	s.Helper()
	book, err := workbook.Open(strings.NewReader(file), int64(len(file)), 16<<20)
	if err != nil {
		s.Fatal(err)
	}
	defer book.Close()
	var out strings.Builder
	var table workbook.Table
	err = book.Rows(book.Sheets()[0], func(_ int, cells []workbook.Cell) (err error) {
		var header []string
		var row []workbook.Value
		for _, c := range cells {
			header, row = append(header, c.Text), append(row, workbook.Own(c.Text))
		}
		if table == nil {
			table, err = workbook.NewCSV(&out, ',', header...)
			return err
		}
		for len(row) < len(exports.ProductColumns) {
			row = append(row, workbook.Own(""))
		}
		return table.Row(row...)
	})
	if err == nil {
		err = table.Close()
	}
	if err != nil {
		s.Fatal(err)
	}
	return out.String()
}
