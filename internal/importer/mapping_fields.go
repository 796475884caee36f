package importer

import (
	"fmt"
	"slices"
	"strings"
)

// field is a member of a product or an order onto which columns can be mapped.
type field struct {
	name     string
	synonyms string // headers that are taken for it by themselves, normalised, space-separated
}

// productFields in the order in which they are described in docs/import.md. A name that ends in a
// dot stands for a family: attributes.material, option.Size.
var productFields = []field{
	{"sku", "sku variantsku itemsku sellersku articlenumber articleno itemnumber itemno productcode stockcode partnumber"},
	{"name", "name title productname itemname"},
	{"price", "price unitprice standardprice regularprice retailprice sellingprice"},
	{"salePrice", "saleprice specialprice"},
	{"saleFrom", "salefrom salefromdate salestart salestartdate salepricefrom salepricestart salepricestartdate datesalepricestarts " +
		"specialpricefrom specialpricefromdate specialfromdate salepriceeffectivedate"},
	{"saleUntil", "saleuntil saleenddate saleend saleto saletodate salepriceend salepriceenddate salepriceto datesalepriceends " +
		"specialpriceto specialpricetodate specialtodate"},
	{"compareAtPrice", "compareatprice listprice msrp"},
	{"description", "description bodyhtml longdescription productdescription"},
	{"status", "status"},
	{"categoryIds", "categoryids"},
	{"categories", "categories"},
	{"category", "category"},
	{"images", "images image imageurl imageurls imagesurl imagesrc imagelink picture mainimageurl"},
	{"stock.quantity", "stockquantity stock qty quantity onhand inventory"},
	{"stock.warehouseCode", "stockwarehousecode warehousecode warehouse"},
	{"parent", "parent parentsku"},
	{"gtin", "gtin"},
	{"weight", "weightkg weightinkg"},
	{"cost", "cost costprice costperitem unitcost purchaseprice wholesaleprice"},
	{"taxClass", "taxclass"},
	{"countryOfOrigin", "countryoforigin origincountry"},
	{"attributes.", ""},
	{"option.", ""},
}

// orderFields likewise.
var orderFields = []field{
	{"externalReference", "externalreference invoiceno invoicenumber orderid orderno ordernumber orderreference"},
	{"originalReference", "originalreference originalorder"},
	{"customerName", "customername customer"},
	{"customerEmail", "customeremail email emailaddress"},
	{"customerId", "customerid customerno customernumber"},
	{"customerPhone", "customerphone phone phonenumber telephone mobile"},
	{"customerCompany", "customercompany company companyname"},
	{"currency", "currency currencycode"},
	{"initialStatus", "initialstatus orderstatus"},
	{"date", "date orderdate invoicedate createdat"},
	{"notes", "notes note"},
	{"tags", "tags tag"},
	{"shippingAmount", "shippingamount shippingcost"},
	{"discountAmount", "discountamount"},
	{"taxAmount", "taxamount"},
	{"taxRate", "taxrate"},
	{"subtotal", ""},
	{"total", ""},
	{"dutiesAmount", ""},
	{"refundedAmount", "refundedamount amountrefunded totalrefunded"},
	{"cancelledAt", "cancelledat canceledat"},
	{"paymentStatus", ""},
	{"sku", "sku stockcode productid productcode articlenumber itemnumber"},
	{"quantity", "quantity qty"},
	{"unitPrice", "unitprice price itemprice"},
	{"lineTotal", "linetotal sales lineamount"},
	{"lineDiscount", ""},
	{"name", "name description productname itemname title"},
	{"shippingAddress.", ""},
	{"billingAddress.", ""},
	{"paymentMetadata.", ""},
}

// addressColumns are taken for parts of the shipping address.
var addressColumns = map[string]string{
	"line1": "line1", "address": "line1", "address1": "line1", "street": "line1", "addressline1": "line1",
	"line2": "line2", "address2": "line2", "addressline2": "line2",
	"city": "city", "town": "city", "state": "state", "province": "state",
	"postalcode": "postalCode", "postcode": "postalCode", "zip": "postalCode", "zipcode": "postalCode",
	"country": "country", "countrycode": "country",
}

// mapping says which expression each field is computed from.
type mapping struct {
	fields   []field
	exact    map[string]*expression
	families map[string][]namedExpression // by prefix, "attributes." for example
}

type namedExpression struct {
	name string
	*expression
}

func newMapping(fields []field) *mapping {
	return &mapping{fields: fields, exact: map[string]*expression{}, families: map[string][]namedExpression{}}
}

// set gives a field its expression. The first one stays, so that a person's mapping takes precedence over a format's,
// and both over what a header suggests.
func (m *mapping) set(name string, e expression) error {
	for _, f := range m.fields {
		if strings.EqualFold(f.name, name) && !strings.HasSuffix(f.name, ".") {
			if m.exact[f.name] == nil {
				m.exact[f.name] = &e
			}
			return nil
		}
		if strings.HasSuffix(f.name, ".") && len(name) > len(f.name) && strings.EqualFold(name[:len(f.name)], f.name) {
			member := name[len(f.name):]
			same := func(n namedExpression) bool { return n.name == member }
			if !slices.ContainsFunc(m.families[f.name], same) {
				m.families[f.name] = append(m.families[f.name], namedExpression{member, &e})
			}
			return nil
		}
	}
	return fmt.Errorf("there is no field %q; the fields are %s", name, m.names())
}

// takes reports whether there is such a field.
func (m *mapping) takes(name string) bool { return newMapping(m.fields).set(name, expression{}) == nil }

// turned reads FIELD=COLUMN, for a mapping that makes no sense as COLUMN=FIELD.
func (m *mapping) turned(text string, columns columnsOf) (e expression, field string, ok bool) {
	field, column, _ := strings.Cut(text, "=")
	field = strings.TrimSpace(field)
	e, _, err := parseExpression(column+"="+field, columns)
	return e, field, err == nil && m.takes(field)
}

func (m *mapping) names() string {
	var names []string
	for _, f := range m.fields {
		if strings.HasSuffix(f.name, ".") {
			names = append(names, f.name+"<name>")
		} else {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ", ")
}

// has reports whether any of the fields is mapped.
func (m *mapping) has(names ...string) bool {
	for _, name := range names {
		if m.exact[name] != nil || len(m.families[name]) > 0 {
			return true
		}
	}
	return false
}

// suggest maps headers with known names, for fields that have no expression yet.
func (m *mapping) suggest(header []string) {
	category := m.has("category", "categories", "categoryIds")
	for _, f := range m.fields {
		if m.exact[f.name] != nil || category && strings.HasPrefix(f.name, "categor") {
			continue
		}
		for _, synonym := range strings.Fields(f.synonyms) {
			column := slices.IndexFunc(header, func(h string) bool { return plainHeader(h) == synonym })
			if column >= 0 && !(tradeFields[f.name] && m.reads(header, column)) {
				e := columnExpression(header, column)
				m.exact[f.name] = &e
				break
			}
		}
	}
	for column, name := range header {
		if strings.Contains(name, ".") {
			// "attributes.color"; other names with a dot are no fields
			_ = m.set(name, columnExpression(header, column))
		}
	}
	if !m.knows("shippingAddress.") {
		return
	}
	for column, name := range header {
		if part := addressColumns[plainHeader(name)]; part != "" {
			_ = m.set("shippingAddress."+part, columnExpression(header, column)) // a known family: cannot fail
		}
	}
}

func (m *mapping) knows(name string) bool {
	return slices.ContainsFunc(m.fields, func(f field) bool { return f.name == name })
}

func columnExpression(header []string, column int) expression {
	return expression{text: header[column], alternatives: [][]term{{{column: column}}}}
}

// plainHeader keeps the letters and digits of a header, in lower case.
func plainHeader(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r > 127:
			return r
		}
		return -1
	}, name)
}

// reads reports whether an expression reads a column.
func (m *mapping) reads(header []string, column int) bool {
	return !slices.Contains(m.unused(header), header[column])
}

// unused are the columns that no expression reads.
func (m *mapping) unused(header []string) []string {
	used := make([]bool, len(header))
	look := func(e *expression) {
		for _, join := range e.alternatives {
			for _, t := range join {
				if t.column >= 0 && t.column < len(used) {
					used[t.column] = true
				}
			}
		}
	}
	for _, e := range m.exact {
		look(e)
	}
	for _, family := range m.families {
		for _, e := range family {
			look(e.expression)
		}
	}
	var left []string
	for i, name := range header {
		if !used[i] && name != "" {
			left = append(left, name)
		}
	}
	return left
}

// describe lists what is computed from what, for the person to check.
func (m *mapping) describe() string {
	var parts []string
	for _, f := range m.fields {
		if e := m.exact[f.name]; e != nil {
			parts = append(parts, f.name+" ← "+e.text)
		}
		for _, e := range m.families[f.name] {
			parts = append(parts, f.name+e.name+" ← "+e.text)
		}
	}
	return strings.Join(parts, "; ")
}
