package dashboard

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
)

// Of very many channels and categories one is chosen on a page of its own, which keeps the other filters; so the lists stay within the
// budget of elements, and no menu is higher than the screen. The page of channels has them all, in pages.
func TestFiltersOfVeryManyChoices(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	c.articles()
	c.order("PROCESSING", nil, 1)
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		for i := range mostInSelect + 1 {
			one := channels.Channel{ID: id.New[id.Channel](), Name: fmt.Sprintf("Shop %03d", i), Platform: channels.Custom,
				Status: channels.Active, Settings: "{}", Oversell: "allow"}
			one.Insert(tx)
		}
		return nil
	})
	top := c.call("POST", "/categories", map[string]any{"name": "Top"})["id"]
	for i := range mostInSelect {
		c.call("POST", "/categories", map[string]any{"name": fmt.Sprintf("Kind %03d", i+1), "parentId": top})
	}
	page := b.get("/channels")
	if n := len(anElement.FindAllString(page.body, -1)); n > mostElements || !strings.Contains(page.words(), "1–50 of 101 channels") {
		t.Errorf("channels: %d elements, %.300s", n, page.words())
	}
	has(t, b.get("/channels?page=3"), fmt.Sprintf("Shop %03d", mostInSelect))
	var queue []string
	for at, filter := range map[string]string{"/?days=7": "channelId", "/orders?status=PROCESSING": "channelId",
		"/products?search=MUG": "categoryId", "/products?search=THE": "channelId"} {
		page = b.get(at)
		if n := len(anElement.FindAllString(page.body, -1)); page.status != 200 || n > 700 {
			t.Errorf("%s: %d, %d elements", at, page.status, n)
		}
		kept := at[strings.Index(at, "?")+1:]
		to := regexp.MustCompile(`href="` + prefix + `([^"]*choose=` + filter + `[^"]*)"`).FindStringSubmatch(page.body)
		if to == nil {
			t.Errorf("%s leads to no choice of %s", at, filter)
			continue
		}
		choice := b.get(strings.ReplaceAll(to[1], "&amp;", "&"))
		if choice.status != 200 || !strings.Contains(choice.body, kept) || !strings.Contains(choice.words(), "Any ") {
			t.Errorf("%s: %d %.600s", to[1], choice.status, choice.words())
		}
		queue = append(queue, strings.ReplaceAll(to[1], "&amp;", "&"))
	}
	for _, at := range queue {
		found, want := b.get(at+"&find=shop+100"), "Shop 100"
		if strings.Contains(at, "categoryId") {
			found, want = b.get(at+"&find=kind+100"), "Kind 100 Top"
		}
		if !strings.Contains(found.words(), want) || strings.Contains(found.words(), "099") {
			t.Errorf("%s: %.600s", at, found.words())
		}
		links := regexp.MustCompile(`<li><a href="`+prefix+`([^"]*)"><span dir="auto">[SK]`).FindAllStringSubmatch(found.body, -1)
		if len(links) != 1 || strings.Contains(links[0][1], "choose") {
			t.Errorf("%s leads to %q", at, links)
			continue
		}
		if back := b.get(strings.ReplaceAll(links[0][1], "&amp;", "&")); back.status != 200 ||
			!strings.Contains(back.words(), strings.TrimSuffix(want, " Top")) {
			t.Errorf("%s: %d %.400s", links[0][1], back.status, back.words())
		}
	}
}
