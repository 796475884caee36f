package dashboard

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// A person tags an order and assigns it on its page, finds it by both in the list, and does the same to many at once.
func TestTagsOfOrders(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c := s.shopper(t)
		c.articles()
		one, two := c.order("PENDING", nil, 1), c.order("PENDING", map[string]any{"tags": []any{"late"}}, 2)
		b := s.as(s.owner)
		me, page := string(s.owner.ID), "/orders/"+one
		b.follow(b.submit(t, b.get(page), page+"/tags", "add", "gift, Fragile, GIFT"))
		b.follow(b.submit(t, b.get(page), page+"/assign", "assignedTo", me))
		shown := b.get(page)
		has(t, shown, "gift", "Fragile", "Details edited tags", "Details edited assigned person")
		if out := b.submit(t, shown, page+"/tags", "add", strings.Repeat("x", 65)); out.status != 422 || !strings.Contains(out.words(), "64 characters") {
			t.Errorf("a long tag: %d %.300s", out.status, out.words())
		}
		b.follow(b.submit(t, b.get(page), page+"/tags", "remove", "Fragile"))
		if text := c.send("GET", "/api/v1/orders/"+one, nil, "").body; !strings.Contains(text, `"tags":["gift"],"assignedTo":"`+me+`"`) {
			t.Errorf("the order: %.400s", text)
		}
		for query, want := range map[string]string{"tag=GIFT": one, "tag=late": two, "assignedTo=" + me: one, "assignedTo=none": two} {
			list := b.get("/orders?" + query)
			if other := one + two; strings.Contains(list.body, `id="o-`+strings.Replace(other, want, "", 1)) || !strings.Contains(list.body, `id="o-`+want) {
				t.Errorf("%s: %.600s", query, list.words())
			}
		}
		has(t, b.get("/orders?tag=gift&assignedTo=none,"+me), "Tag: gift", "Assigned to: nobody, ")
		if out := b.get("/orders?assignedTo=nobody"); out.status != 400 || !strings.Contains(out.words(), "the id of a user, or none") {
			t.Errorf("no such user: %d %s", out.status, out.words())
		}

		has(t, b.get("/orders?status=PENDING&choose=tag"), "Choose a tag", "Any tag", "gift", "late", "2 tags")
		has(t, b.get("/orders?choose=assignedTo&find=olg"), "Choose a user", "Olga Owner (me)", "1 user")

		sheet := b.post("/orders/bulk-tag", url.Values{"id": {one, two}})
		has(t, sheet, "Tag or assign 2 orders", "Change 2 orders")
		values := sheet.inputs(t, "/orders/bulk-tag")
		if out := b.post("/orders/bulk-tag", values); out.status != 422 || !strings.Contains(out.words(), "Say what changes") {
			t.Errorf("nothing to change: %d %.300s", out.status, out.words())
		}
		values["add"], values["remove"], values["assign"] = []string{"rush"}, []string{"LATE"}, []string{nobody}
		out := b.post("/orders/bulk-tag", values)
		s.work()
		has(t, b.follow(out), "Tag or assign", "2 done, 0 refused")
		for _, order := range []string{one, two} {
			s.do(s.account.Tenant, func(tx *db.Tx) error {
				o, err := orders.ByID(tx, id.Order(order))
				if tags := strings.Join(o.Tags, " "); o.AssignedTo != "" || tags != map[string]string{one: "gift rush", two: "rush"}[order] {
					t.Errorf("%s is assigned to %q, its tags are %q", order, o.AssignedTo, tags)
				}
				return err
			})
		}
		s.newUser("vera@test.example", accounts.Viewer)
		viewed := s.as(accounts.User{Email: "vera@test.example"}).get(page)
		if has(t, viewed, "Tags and assignment gift rush Assigned to nobody."); strings.Contains(viewed.body, page+"/tags") {
			t.Error("a viewer is offered to tag an order")
		}
		csv := b.post("/orders/export", url.Values{"list": {"tag=rush"}})
		if !regexp.MustCompile(`,tags,assignedTo\r?\n`).MatchString(csv.body) || !strings.Contains(csv.body, `"gift, rush",`) {
			t.Errorf("the export: %s", csv.body)
		}
	})
}
