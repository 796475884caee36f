package dashboard

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"

	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// Every control has a name in Chromium's accessibility tree, and no two buttons of a page have the same: without the row or the card around
// them, what they do is in their names alone.
func TestControlsHaveNamesOfTheirOwn(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	s.channel("Second shop")
	controls := []string{"button", "link", "textbox", "checkbox", "combobox", "searchbox", "radio", "spinbutton", "dialog", "navigation"}
	b, named := s.window(t, s.owner), 0
	for _, path := range s.pages() {
		b.open(path)
		b.settle()
		buttons := map[string]bool{}
		for _, node := range call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
			if node.Ignored || node.Role == nil || node.Name == nil {
				continue
			}
			role, name := strings.Trim(string(node.Role.Value), `"`), strings.Trim(string(node.Name.Value), `"`)
			if slices.Contains(controls, role) && strings.TrimSpace(name) == "" {
				t.Errorf("%s: a %s without a name", path, role)
			}
			if role == "button" {
				same := strings.Contains(name, " picker ") || // Chromium's own, in inputs of times
					strings.HasPrefix(name, "Log out a test") // which all logged in within a second
				if buttons[name] && !same && path != "/_parts" {
					t.Errorf("%s: two buttons are called %q", path, name)
				}
				buttons[name] = true
			}
		}
		named += len(buttons)
	}
	if named < 100 {
		t.Errorf("%d buttons", named)
	}
}

// A job of a channel that was deleted says so, and leads to no page of it.
func TestJobOfADeletedChannel(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.channel("Gone")
	var job jobs.Job
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		job = jobs.Insert(tx, jobs.Job{Type: jobs.OrderPull, Channel: c.ID})
		_, err := s.Commerce.DeleteChannel(tx, s.caller(), c.ID, commerce.Expected{}, true, nil)
		return err
	})
	page := s.as(s.owner).get("/jobs/" + string(job.ID))
	if !strings.Contains(page.words(), "Deleted channel") || strings.Contains(page.body, "/channels/"+string(c.ID)) {
		t.Error(page.words())
	}
	has(t, s.as(s.owner).get("/jobs"), "Order pull Deleted channel")
}
