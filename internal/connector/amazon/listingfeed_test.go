package amazon_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/amazon/fakeshop"
	"entrepot/internal/connector/connectortest"
)

// mugs are products that Amazon has, without variants.
func mugs(n int) (list []connector.Product) {
	for i := range n {
		p := mug()
		p.SKU = fmt.Sprintf("SKU-%03d", i)
		p.Attributes = attributes("EAN", fmt.Sprintf("40063813%05d", i))
		list = append(list, p)
	}
	return list
}

// Many products go as one feed: new ones, which are live later than the feed is done, changed ones and those with a variant less.
func TestManyProductsAreOneFeed(t *testing.T) {
	for name, faults := range map[string]fakeshop.Faults{
		"a good day": {}, "answers are lost": {LoseAnswer: 3}, "done and 500": {FailAfterWrite: 4}, "broken": {Broken: 4},
		"throttled": {TooMany: 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.Working, s.Settle = 25*time.Minute, 10*time.Minute
			s.upsert(t, shirt())
			less := shirt()
			less.Variants = less.Variants[:1]
			less.Dropped = []connector.Item{s.item("SHIRT-M")}
			s.Own("SKU-000", "B0OWN", 3, false)
			before := s.Calls()
			s.Faults = faults
			s.upsert(t, append(mugs(60), less)...)
			for i := range 60 {
				s.offers(t, fmt.Sprintf("SKU-%03d", i), "7.90", 9)
			}
			own, made := s.ids["SKU-000"].Product, s.ids["SKU-001"].Product
			if s.Listings() != 61 || len(s.failed) != 0 || own != "B0OWN" || !strings.HasPrefix(made, "B0") {
				t.Errorf("%d listings, %v, %v", s.Listings(), s.failed, made)
			}
			calls := s.Calls()
			if faults == (fakeshop.Faults{}) && (calls["createFeed"] != 1 || calls["getFeedDocument"] != 1 || calls["patchListing"] != 0 ||
				calls["putListing"] != before["putListing"]) {
				t.Errorf("%v", calls)
			}
		})
	}
}

// What a feed's report refuses fails with its reason, by the number of the message alone. Of a product that is refused in part, what the
// feed has made is named, so that it does not stay on sale; the others of the feed are published.
func TestAFeedRefusesSome(t *testing.T) {
	s := newShop(t)
	products := mugs(30)
	products[7].Price = 0
	half := shirt()
	half.Variants[1].Price = 0
	nameless := mug()
	nameless.SKU, nameless.Attributes = "NAMELESS", nil
	s.Own("SKU-009", "B0OWN", 3, false)
	products[9].Price = 0
	results := connectortest.Must(s.session.Upsert(t.Context(), append(products, half, nameless)))(t)
	s.take(results)
	operation := s.operations["SHIRT-S"]
	if operation == "" || operation != s.operations["SHIRT"] || operation == s.operations["SKU-001"] || s.failed["NAMELESS"] == "" {
		t.Fatalf("%v, %v", s.operations, s.failed)
	}
	s.Pass(time.Hour)
	named := map[string]string{}
	for _, r := range connectortest.Must(s.session.Poll(t.Context(), []string{operation}))(t) {
		named[r.SKU] = r.State + " " + r.Error
	}
	if named["SHIRT-S"] != "live " || !strings.Contains(named["SHIRT-M"], "failed The field") || len(named) != 3 {
		t.Errorf("%q", named)
	}
	s.poll(t)
	if !strings.HasPrefix(s.failed["SKU-007"], connector.Failed) || !strings.HasPrefix(s.failed["SKU-009"], connector.Failed) ||
		s.failed["SHIRT-M"] == "" || len(s.failed) != 4 {
		t.Errorf("%v", s.failed)
	}
	s.offers(t, "SKU-029", "7.90", 9)
}

// A feed that Amazon gives up is sent again.
func TestAFeedThatEndsFatally(t *testing.T) {
	s := newShop(t)
	s.LoseFeed = 1
	s.take(connectortest.Must(s.session.Upsert(t.Context(), mugs(30)))(t))
	s.Pass(time.Hour)
	for _, r := range connectortest.Must(s.session.Poll(t.Context(), []string{s.operations["SKU-003"]}))(t) {
		if r.State != connector.Failed || !r.Again || r.SKU != "" || !strings.Contains(r.Error, "FATAL") {
			t.Errorf("%+v", r)
		}
	}
}

// A feed that Amazon takes into process and never ends keeps nothing back for good: after some hours what it was about is sent again, and
// Amazon is asked to leave the feed.
func TestAFeedThatNeverEnds(t *testing.T) {
	s := newShop(t)
	s.Working = 10_000 * time.Hour
	s.take(connectortest.Must(s.session.Upsert(t.Context(), mugs(30)))(t))
	operation := s.operations["SKU-003"]
	s.Pass(5 * time.Hour)
	if results := connectortest.Must(s.session.Poll(t.Context(), []string{operation}))(t); len(results) != 0 || s.Calls()["cancelFeed"] != 0 {
		t.Errorf("after five hours: %+v, %v", results, s.Calls())
	}
	s.Pass(2 * time.Hour)
	results := connectortest.Must(s.session.Poll(t.Context(), []string{operation, s.operations["SKU-004"]}))(t)
	for _, r := range results {
		if r.State != connector.Failed || !r.Again || r.SKU != "" || !strings.Contains(r.Error, "sent again") {
			t.Errorf("%+v", r)
		}
	}
	if len(results) != 2 || s.Calls()["cancelFeed"] != 1 {
		t.Errorf("%d results, %v", len(results), s.Calls())
	}
	s.Working = time.Minute
	s.upsert(t, mugs(30)...)
	s.offers(t, "SKU-029", "7.90", 9)
}

// A report is read piece by piece, however much Amazon writes beside what it refuses: 71 MB here, packed to some KB.
func TestALongReport(t *testing.T) {
	s := newShop(t)
	s.Wordy = 1_000_000
	products := mugs(71)
	products[7].Price = 0
	s.take(connectortest.Must(s.session.Upsert(t.Context(), products))(t))
	s.Pass(time.Hour)
	s.poll(t)
	if !strings.HasPrefix(s.failed["SKU-007"], connector.Failed) || len(s.failed) != 1 {
		t.Errorf("%v", s.failed)
	}
	s.offers(t, "SKU-070", "7.90", 9)
}

// A report beyond any bound is not read, and that is said of all that it is about: what was refused is unknown.
func TestAReportThatIsTooLarge(t *testing.T) {
	s := newShop(t)
	s.Wordy = 3_000_000
	s.take(connectortest.Must(s.session.Upsert(t.Context(), mugs(30)))(t))
	s.Pass(time.Hour)
	for _, r := range connectortest.Must(s.session.Poll(t.Context(), []string{s.operations["SKU-003"]}))(t) {
		if r.State != connector.Failed || r.Again || r.SKU != "" || !strings.Contains(r.Error, "too large to be read") {
			t.Errorf("%+v", r)
		}
	}
}

// Amazon takes five feeds of listings in five minutes: more wait, and are not refused. Changes that are too many for one feed are more.
func TestFiveFeedsInFiveMinutes(t *testing.T) {
	s := newShop(t)
	s.Working = time.Second
	products := mugs(30 * 8)
	for i := range 8 {
		wave := products[30*i : 30*i+30]
		results, err := s.session.Upsert(t.Context(), wave)
		f := connector.FailureOf(err)
		if wait := f != nil && f.Kind == connector.Throttled && f.After > time.Minute; wait != (i >= 5) || !wait && len(results) != 30 {
			t.Errorf("wave %d: %d results, %v", i, len(results), err)
		}
	}
	if calls := s.Calls(); calls["429"] != 0 || calls["createFeed"] != 5 {
		t.Errorf("%v", calls)
	}
}

// More changes than a feed has room for are several feeds.
func TestMoreThanOneFeedHasRoomFor(t *testing.T) {
	s := newShop(t)
	products := mugs(600)
	for i := range products {
		for n := range 44 {
			v := connector.Variant{SKU: fmt.Sprintf("%s-%02d", products[i].SKU, n), Price: 10000, Quantity: 1,
				Attributes: attributes("EAN", fmt.Sprintf("4%06d%06d", i, n), "Size", fmt.Sprint(n))}
			products[i].Variants = append(products[i].Variants, v)
		}
	}
	results := connectortest.Must(s.session.Upsert(t.Context(), products))(t)
	feeds := map[string]int{}
	for _, r := range results {
		if r.State == connector.Waiting {
			feeds[strings.Fields(r.Operation)[1]]++
		}
	}
	if len(results) != 600*45 || len(feeds) != 2 {
		t.Errorf("%d results, feeds %v", len(results), feeds)
	}
}
