package drafts

import (
	"slices"

	"entrepot/internal/base/apijson"
	"entrepot/internal/customers"
	"entrepot/internal/limits"
)

// ReadCustomer reads the body of POST and PATCH; at creation null counts as absent.
func ReadCustomer(o *apijson.Object, to Purpose) customers.Change {
	o.Record(to.named("CreateCustomer", "UpdateCustomer"))
	c := customers.Change{
		Email:     readEmail(o, "email", apijson.Text{Required: to.makes(), Filled: true}),
		FirstName: o.Text("firstName", apijson.Text{}),
		LastName:  o.Text("lastName", apijson.Text{}),
		Phone:     o.Text("phone", apijson.Text{}),
		Company:   o.Text("company", apijson.Text{}),
		Siret:     o.Text("siret", apijson.Text{}),
		VAT:       o.Text("vatIntracomNumber", apijson.Text{Max: limits.MaxVAT}),
		Tags:      o.Texts("tags", false, limits.MaxTags, apijson.Text{}),
		Metadata:  o.Free("metadata", true),
	}
	if !to.makes() {
		o.NotNull("email")
	}
	o.Describe("siret", apijson.Like(`^[0-9]{14}$`))
	if c.Siret.Given() && !o.HasError("siret") && !isSiret(c.Siret.Value) {
		o.AddError("siret", "must be exactly 14 digits")
	}
	derived := 0 // addresses that a read has taken from orders: they are not in the book
	list := o.List("addresses", apijson.List{Max: limits.MaxAddresses + limits.MaxDerived}, func(_ int, entry *apijson.Object) {
		if entry.IsTrue("_derived") {
			derived++
			return
		}
		c.Addresses.Value = append(c.Addresses.Value, readBookEntry(entry))
	})
	o.Describe("addresses", func(s *apijson.Schema) { s.MaxItems = limits.MaxAddresses })
	if len(c.Addresses.Value) > limits.MaxAddresses {
		o.AddError("addresses", "must have at most %d entries, not %d", limits.MaxAddresses, len(c.Addresses.Value))
	}
	c.Addresses.Set = list.Set && (derived == 0 || len(c.Addresses.Value) > 0)
	return c
}

func isSiret(text string) bool {
	return len(text) == 14 && !slices.ContainsFunc([]byte(text), func(c byte) bool { return c < '0' || c > '9' })
}

// ReadSegment reads the body of POST and PATCH; absent members are nil. Rules are replaced whole.
func ReadSegment(o *apijson.Object, to Purpose) (name *string, rules *customers.Rules) {
	o.Record(to.named("CreateSegment", "UpdateSegment"))
	f := neededText(o, "name", to, apijson.Text{})
	read := o.Object("rules", func(o *apijson.Object) {
		r := readRules(o)
		rules = &r
	})
	if read.Null {
		rules = &customers.Rules{}
	}
	if f.Set {
		name = &f.Value
	}
	return name, rules
}

// maxRuleTags bounds a list of tags in a rule.
const maxRuleTags = 100

// readRules reads the rules of a segment.
func readRules(o *apijson.Object) (r customers.Rules) {
	o.Record("SegmentRulesInput")
	tags := func(name string) []string {
		if list := o.Texts(name, false, maxRuleTags, apijson.Text{}).Value; len(list) > 0 {
			return customers.Distinct(list)
		}
		return nil
	}
	r.TagsAny, r.TagsAll = tags("tagsAny"), tags("tagsAll")
	r.MinOrders = o.Int("minOrders", apijson.Int{Max: 1_000_000_000}).Ptr()
	r.MinTotalSpent = o.Money("minTotalSpent", apijson.Money{}).Ptr()
	country := o.Text("country", apijson.Text{})
	o.Describe("country", apijson.Like(countryCode))
	if country.Given() && !o.HasError("country") {
		code, ok := customers.Country(country.Value)
		if !ok {
			o.AddError("country", "%s", customers.BadCountry)
		}
		r.Country = code
	}
	moment := func(name string) *int64 {
		f := o.Time(name, false)
		if !f.Given() {
			return nil
		}
		micros := f.Value.UnixMicro()
		return &micros
	}
	r.CreatedAfter, r.LastOrderAfter, r.LastOrderBefore = moment("createdAfter"), moment("lastOrderAfter"), moment("lastOrderBefore")
	return r
}
