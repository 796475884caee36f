package dashboard

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A tree of more categories than a page has room for is folded: a branch opens by an address, with what is above it, and every page of the
// tree stays within the bound of elements.
func TestLargeTreesAreFolded(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.manyCategories(maxTree)
		id := func(external string) string { return c.list("/categories?externalId=" + external)[0]["id"].(string) }
		light := func(page reply) reply {
			n := len(anElement.FindAllString(page.body, -1))
			if t.Logf("%d elements", n); n > mostElements {
				t.Errorf("%d elements", n)
			}
			return page
		}
		page := light(b.get("/categories"))
		has(t, page, "group-0", "group-9", "10 lines of the tree, 1,000 categories in all")
		if strings.Contains(page.body, "thing-") || strings.Count(page.body, `aria-expanded="false"`) != 10 {
			t.Errorf("a folded tree: %s", page.words())
		}
		group := id("g3")
		page = light(b.get("/categories?open=" + group))
		has(t, page, "thing-13", "thing-953", "1–100 of 109 lines")
		if strings.Contains(page.body, "thing-14<") || strings.Count(page.body, `aria-expanded="true"`) != 1 {
			t.Errorf("another branch is open: %s", page.words())
		}
		// The form of a category has its branch open, on the page that it is on.
		one := "/categories/" + id("t993")
		has(t, light(b.get(one)), "thing-993", "group-9", "101–109 of 109 lines", "It is in group-3")
		has(t, light(b.get("/categories?open="+group+"&page=2")), "thing-973 in group-3", "thing-993", "group-9")
		// What is saved is in sight.
		moved := b.follow(b.submit(t, b.get(one), one, "parent", "thing-13"))
		has(t, light(moved), "Saved thing-993", "thing-13", "thing-993")
		if !strings.Contains(moved.body, `class="depth-2"`) {
			t.Error("the moved category is not below the other")
		}
		has(t, light(b.get("/categories?search=thing-993")), "thing-993 in group-3 › thing-13")
		// Of no more than a page has room for, all is shown.
		small := newSite(t, "sqlite")
		small.shopper(t).manyCategories(wholeTree)
		page = light(small.as(small.owner).get("/categories"))
		if strings.Contains(page.body, "aria-expanded") || strings.Count(page.body, "data-branch") != wholeTree {
			t.Errorf("a small tree is folded: %s", page.words())
		}
	})
}

// A category is dragged in a folded tree, too.
func TestCategoriesAreDraggedInAFoldedTree(t *testing.T) {
	s := newSite(t, "sqlite")
	s.shopper(t).manyCategories(wholeTree + 10)
	w := s.window(t, s.owner)
	w.open("/categories")
	w.click("tbody tr:first-child a.twist")
	w.shows("thing-10")
	w.until("document.activeElement.matches('a.twist[aria-expanded=true]')")
	w.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const row = name => [...document.querySelectorAll('tr a.hit')].find(a => a.innerText === name);
		const send = (el, kind) => el.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: new DataTransfer() }));
		send(row('thing-20'), 'dragstart'); send(row('group-5'), 'dragover'); send(row('group-5'), 'drop') })()`))
	w.shows("Saved thing-20")
	if twists := eval[int](w, "document.querySelectorAll('a.twist').length"); twists != 10 {
		t.Errorf("%d branches can be opened or closed", twists)
	}
	w.until("document.querySelector('main').innerText.includes('thing-15')") // the branch that it is in now is open
	w.look(390, "light")                                                     // a long name stays beside what opens its branch
	if below := eval[[]string](w, `[...document.querySelectorAll('a.hit')].filter(a => {
		a.textContent = 'A long name of a category '.repeat(4);
		return a.getBoundingClientRect().left < a.previousElementSibling.getBoundingClientRect().right;
	}).map(a => a.href)`); len(below) > 0 {
		t.Errorf("names below what opens their branches: %v", below)
	}
}

// Names stand in the order of the user's language.
func TestCategoriesStandInTheOrderOfTheLanguage(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	for _, name := range []string{"Zebra", "apple", "Öl", "Ähre", "Size 10", "Size 9"} {
		b.follow(b.submit(t, b.get("/categories"), "/categories", "name", name))
	}
	for language, want := range map[string]string{"de": "Ähre apple Öl Size 9 Size 10 Zebra", "sv": "apple Size 9 Size 10 Zebra Ähre Öl",
		"": "Ähre apple Öl Size 9 Size 10 Zebra"} {
		b.header.Set("Accept-Language", language)
		var names []string
		for _, found := range strings.Split(b.get("/categories").body, `<a class="hit"`)[1:] {
			_, name, _ := strings.Cut(found, ">")
			name, _, _ = strings.Cut(name, "<")
			names = append(names, name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q: %s", language, got)
		}
	}
}
