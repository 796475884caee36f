package dashboard

import (
	"net/url"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
)

// caller is the site's owner.
func (s *site) caller() accounts.Caller {
	return accounts.Caller{Tenant: s.account.Tenant, Account: s.account.ID, Currency: "EUR", User: s.owner.ID, Role: accounts.Owner}
}

// product makes a product of the JSON that the API takes.
func (s *site) product(document string) (p *catalog.Product) {
	s.t.Helper()
	o := apijson.Read(mustParse(s.t, document))
	draft := drafts.ReadProduct(o, drafts.ToCreate)
	if err := o.Err(); err != nil {
		s.t.Fatal(err)
	}
	s.do(s.account.Tenant, func(tx *db.Tx) (err error) {
		p, err = s.Commerce.CreateProduct(tx, s.caller(), draft)
		return err
	})
	return p
}

// channel makes a custom channel.
func (s *site) channel(name string) (c channels.Channel) {
	s.t.Helper()
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		c = channels.Channel{ID: id.New[id.Channel](), Name: name, Platform: channels.Custom, Oversell: "allow",
			Status: channels.Active, Settings: "{}"}
		c.Insert(tx)
		return nil
	})
	return c
}

// unfinishedChannel makes the channel of a shop that is not switched on yet.
func (s *site) unfinishedChannel(name string) (c channels.Channel) {
	s.t.Helper()
	s.do(s.account.Tenant, func(tx *db.Tx) (err error) {
		c, _, _, err = s.Commerce.CreateChannel(tx, accounts.Caller{}, commerce.ChannelDraft{Name: &name, Platform: channels.WooCommerce,
			Status: new(channels.Inactive)})
		return err
	})
	return c
}

// stored reads a product's current state.
func (s *site) stored(product id.Product) (p *catalog.Product, places []catalog.Publication) {
	s.t.Helper()
	err := s.DB.Read(s.t.Context(), s.account.Tenant, func(tx *db.Tx) (err error) {
		if p, err = catalog.ByID(tx, product); err != nil {
			return err
		}
		shown, err := commerce.ProductRecords(tx, "EUR", []*catalog.Product{p})
		places = shown.Publications[product]
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return p, places
}

// submit sends the form that a page has for an action, with what is typed in turns of name and value.
func (b *browser) submit(t testing.TB, page reply, action string, typed ...string) reply {
	t.Helper()
	values := url.Values{"_key": {page.key(t, action)}}
	for i := 0; i < len(typed); i += 2 {
		values.Add(typed[i], typed[i+1])
	}
	return b.post(action, values)
}

// has fails the test unless a page has status 200 and all the words.
func has(t testing.TB, page reply, words ...string) {
	t.Helper()
	if page.status != 200 {
		t.Fatalf("%d %.500s", page.status, page.words())
	}
	for _, one := range words {
		if !strings.Contains(page.words(), one) {
			t.Errorf("%q is not in: %.1500s", one, page.words())
		}
	}
}
