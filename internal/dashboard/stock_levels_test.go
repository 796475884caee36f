package dashboard

import (
	"strings"
	"testing"
)

// What is on hand is typed in the rows of the list, and saved with thresholds in one go: all that was changed, or nothing.
func TestLevelsAreEditedInTheirRows(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		onHand := func(threshold string) string { return strings.Replace(threshold, "threshold-", "onHand-", 1) }
		mug, tea := s.level("MUG", "MAIN"), s.level("TEA", "MAIN")
		action, inputs := thresholdInputs(t, b.get("/stock"))
		inputs.Set(onHand(inputs.Get("MUG")), "41")
		inputs.Set(inputs.Get("MUG"), "9")
		inputs.Set(onHand(inputs.Get("TEA")), "-1")
		out := b.post(action, inputs)
		if out.status != 422 || strings.Count(out.words(), "ust be a whole number from 0 to 1000000000") != 2 {
			t.Fatalf("less than nothing: %d %s", out.status, out.words())
		}
		if s.level("MUG", "MAIN").OnHand != mug.OnHand || s.level("MUG", "MAIN").Threshold != nil && *s.level("MUG", "MAIN").Threshold == 9 {
			t.Error("half of it is stored")
		}
		action, again := thresholdInputs(t, out)
		if typed := again.Get(onHand(again.Get("MUG"))); typed != "41" {
			t.Errorf("what was typed is %q", typed)
		}
		again.Set(onHand(again.Get("TEA")), "7")
		page := b.follow(b.post(action, again))
		has(t, page, "Saved 2 levels", "Undo")
		now := s.level("MUG", "MAIN")
		if now.OnHand != 41 || now.Threshold == nil || *now.Threshold != 9 || s.level("TEA", "MAIN").OnHand != 7 {
			t.Errorf("%+v", now)
		}
		c.order("PROCESSING", nil, 1) // reserves one, which changes nothing that was typed
		_, page.body, _ = strings.Cut(page.body, `id="toasts"`)
		b.follow(b.sendForm(t, page, "/stock/levels"))
		if now := s.level("MUG", "MAIN"); now.OnHand != mug.OnHand || s.level("TEA", "MAIN").OnHand != tea.OnHand {
			t.Errorf("after the undo: %+v", now)
		}
		has(t, b.get("/stock/MUG"), "Set by")
	})
}

// What came or left meanwhile is not overwritten: the present number stands at the input. The script and the keyboard are not needed.
func TestLevelsThatChangedMeanwhile(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		action, inputs := thresholdInputs(t, b.get("/stock"))
		before := s.level("MUG", "MAIN").OnHand
		c.call("POST", "/inventory/movements", map[string]any{"sku": "MUG", "type": "receive", "quantity": 5})
		name := strings.Replace(inputs.Get("MUG"), "threshold-", "onHand-", 1)
		inputs.Set(name, "3")
		inputs.Set(inputs.Get("TEA"), "4")
		out := b.post(action, inputs)
		if out.status != 412 || !strings.Contains(out.words(), "hanged meanwhile: it is") {
			t.Fatalf("%d %s", out.status, out.words())
		}
		if l := s.level("TEA", "MAIN"); s.level("MUG", "MAIN").OnHand != before+5 || l.Threshold != nil && *l.Threshold == 4 {
			t.Error("it is stored all the same")
		}
		action, inputs = thresholdInputs(t, out)
		has(t, b.follow(b.post(action, inputs)), "Saved 2 levels")
		if s.level("MUG", "MAIN").OnHand != 3 {
			t.Error("it cannot be sent again")
		}
	})
}
