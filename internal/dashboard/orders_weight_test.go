package dashboard

import (
	"fmt"
	"regexp"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
)

var rowOfOrder = regexp.MustCompile(`<tr role="row" id="o-`)

// The fullest list of orders stays within the bound of elements: every row has all that a row can have, every filter is set, and there are
// as many channels as a menu offers and as many saved views as a user keeps.
func TestTheFullestListOfOrdersIsLight(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	c.articles()
	channel := ""
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		_, all, err := channels.List(tx, 1, 0)
		for i := int(all); i < mostInMenu; i++ {
			one := channels.Channel{ID: id.New[id.Channel](), Name: fmt.Sprint("Shop ", i), Platform: channels.Custom, Status: channels.Active,
				Settings: "{}", Oversell: "allow"}
			one.Insert(tx)
			channel = string(one.ID)
		}
		return err
	})
	for i := range perPage + 1 {
		c.order("PENDING", map[string]any{"externalReference": fmt.Sprint("WEB-", i), "channelId": channel, "tags": []string{"gift", "late"},
			"shippingAddress": map[string]any{"country": "FR"}}, 1, 1)
	}
	path := "/orders?search=ada&status=PENDING,PROCESSING&channelId=" + channel + "&country=FR&minTotal=1&maxTotal=9999&placed=90d" +
		"&customerEmail=ada@example.com&tag=gift&assignedTo=none&sort=total:desc"
	for i := range accounts.MaxViews {
		b.post("/orders/views", map[string][]string{"_key": {fmt.Sprint("view-", i)}, "name": {fmt.Sprint("View ", i)}, "status": {"PENDING"},
			"country": {"FR"}, "search": {fmt.Sprint(i)}})
	}
	page := b.get(path)
	rows := len(rowOfOrder.FindAllString(page.body, -1))
	n := len(anElement.FindAllString(page.body, -1))
	t.Logf("%d rows, %d elements", rows, n)
	if rows != perPage || n > mostElements {
		t.Errorf("%d rows, %d elements", rows, n)
	}
}
