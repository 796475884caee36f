package dashboard

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/connector/woocommerce/fakeshop"
	"entrepot/internal/db"
)

// A shop's channel: what is missing and what the shop refuses is said beside the input, good credentials are tested; when the shop asks to
// sign in again the overview leads to the channel; deleting it takes exactly what the question counted.
func TestStoryOfAShopsChannel(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	kept := c.order("PENDING", map[string]any{"channelId": string(s.channel("Other").ID)}, 1)
	shop := fakeshop.New("ck_good", "cs_good")
	server := httptest.NewServer(shop)
	defer server.Close()
	b := s.window(t, s.owner)
	b.open("/channels/new?platform=WOOCOMMERCE")
	field := func(name string) string { return "[name=\"credentials." + name + "\"]" }
	b.fill("[name=name]", "Paris shop")
	b.fill(field("url"), "http://10.0.0.1/shop")
	b.fill(field("consumerKey"), "ck_good")
	b.fill(field("consumerSecret"), "cs_wrong")
	b.press("Create and test")
	b.until("document.activeElement.name === 'credentials.url' && document.activeElement.getAttribute('aria-invalid') === 'true'")
	b.fill(field("url"), server.URL)
	b.fill(field("consumerSecret"), "cs_wrong")
	b.press("Create and test")
	b.shows("Created Paris shop. The connection does not work")
	b.shows("Sign in again")
	if made := slices.DeleteFunc(c.list("/channels"), func(one map[string]any) bool { return one["name"] != "Paris shop" }); len(made) != 1 ||
		made[0]["status"] != "needs_reauth" || !strings.HasPrefix(b.path(), prefix+"/channels/"+made[0]["id"].(string)) {
		t.Errorf("at %s there are %v", b.path(), made)
	}
	beside := "document.querySelector('" + field("consumerSecret") + "').closest('.field').innerText"
	b.until(beside + ".includes('Invalid signature')")

	test := func(secret string) {
		b.fill(field("consumerSecret"), secret)
		b.press("Save and test")
	}
	test("cs_bad")
	b.shows("Saved. The connection does not work")
	b.until("document.querySelectorAll('main .callout').length === 1")
	b.until(beside + ".includes('Invalid signature')")
	test("cs_good")
	b.shows("Saved. Connected to")
	b.shows("Notifies of")
	b.until("!" + beside + ".includes('Invalid')")
	if eval[bool](b, "document.documentElement.outerHTML.includes('cs_good')") {
		t.Error("the page shows a credential")
	}
	channel := eval[string](b, "location.pathname.split('/')[3]")

	shop.Secret = "cs_newer"
	b.press("Test the connection")
	b.shows("Sign in again")
	b.open("/")
	b.shows("Reconnect Paris shop")
	b.press("Reconnect")
	b.until("location.pathname.endsWith('" + channel + "')")
	b.open("/channels")
	b.press("Reconnect")
	b.until("location.pathname.endsWith('" + channel + "')")
	b.until("document.querySelector('main .cols form').action.endsWith('" + channel + "')") // the form to mend it is the first one
	test("cs_newer")
	b.shows("Saved. Connected to")
	b.open("/")
	b.until("!document.body.innerText.includes('Reconnect')")
	b.open("/channels/" + channel)
	b.press("Deactivate")
	b.shows("Deactivated the channel")
	b.fill(field("consumerSecret"), "cs_newer")
	b.press("Save")
	b.shows("Saved")
	b.shows("Inactive") // it stays as it is
	b.press("Activate")
	b.shows("Activated the channel")

	for range 2 {
		c.order("PENDING", map[string]any{"channelId": channel}, 1)
	}
	c.call("POST", "/channels/"+channel+"/publications", map[string]any{"skus": []string{"MUG"}})
	b.open("/channels/" + channel)
	b.press("Delete channel…")
	b.shows("This deletes 2 orders and 1 publication here")
	b.fill("#delete-channel [name=name]", "the shop")
	b.press("Delete channel")
	b.shows("is not the channel's name")
	b.fill("#delete-channel [name=name]", "Paris shop")
	b.press("Delete channel")
	b.shows("Deleted the channel")
	if left := c.list("/orders"); len(left) != 1 || left[0]["id"] != kept {
		t.Errorf("the orders that are left: %v", left)
	}
	if err := s.DB.Read(t.Context(), s.account.Tenant, func(tx *db.Tx) error {
		if _, err := channels.ByID(tx, id.Channel(channel)); err == nil {
			t.Error("the channel is there")
		}
		var n int64
		err := tx.Row("SELECT count(*) FROM publications WHERE tenant_id = $1", []any{tx.Tenant}, &n)
		if n != 0 {
			t.Errorf("%d publications are left", n)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
