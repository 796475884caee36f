package dashboard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// What a check has found needs a person first: the refused rows stand above the changes, of which the first few show how the columns were
// read, and their number leads to them. After the import a button leads to what was stored.
func TestACheckShowsRefusedRowsFirst(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		list, first := "sku;name;price\n", "sku;name;price\n"
		for i := range 30 {
			first += fmt.Sprintf("CUP-%02d;Cup;%d,50\n", i, i+1)
			list += fmt.Sprintf("CUP-%02d;Cup;%d,90\n", i, i+1)
		}
		b := s.as(s.owner)
		for _, file := range []string{first, list + "BOWL;Bowl;auf Anfrage\n"} {
			given := b.give("cups.csv", strings.NewReader(file))
			b.follow(b.submit(t, b.follow(given), importOf(given)+"/check"))
			s.runImports()
			page := b.get(importOf(given))
			if file != first {
				refused, changes, rest := strings.Index(page.body, `id="card-refused"`), strings.Index(page.body, `id="card-changes"`),
					strings.Index(page.body, "Show 22 more")
				if refused < 0 || changes < refused || rest < changes || strings.Count(page.body[changes:rest], "<del>") != 8 {
					t.Errorf("refused at %d, changes at %d, the rest at %d: %.900s", refused, changes, rest, page.words())
				}
				has(t, page, "Changes 30 prices rise, by 27 % at most.")
				if !strings.Contains(page.body, `<a href="#refused">row refused</a>`) {
					t.Error("the number of refused rows does not lead to them")
				}
			}
			b.follow(b.submit(t, page, importOf(given)+"/run"))
			s.runImports()
			has(t, b.get(importOf(given)), "See the products")
		}
	})
}

// What is imported is what was checked: a page on which a column was chosen anew since then offers to check again, and not to import. When
// the columns then lack something, rows that an earlier check refused are not shown.
func TestChangedColumnsAreCheckedAgain(t *testing.T) {
	s := newSite(t, "sqlite")
	at := s.checkedImport("printemps.csv")
	b := s.window(t, s.owner)
	b.open(at)
	visible := func(words string) bool {
		return b.is(fmt.Sprintf("[...document.querySelectorAll('button')].some(e => e.checkVisibility() && e.innerText.trim().startsWith(%q))",
			words))
	}
	if !visible("Import ") || visible("Check again") {
		t.Fatal("a file that was checked cannot be imported")
	}
	b.act("document.querySelector('#choices select')", "el.value = '', el.dispatchEvent(new Event('input', {bubbles: true}))")
	if visible("Import ") || !visible("Check again") {
		t.Fatal("columns that were not checked can be imported")
	}
	b.press("Check again")
	b.shows("Something has to be chosen")
	if words := b.text(); strings.Contains(words, "auf Anfrage\" is not") || strings.Contains(words, "Refused rows") {
		t.Errorf("rows of an earlier check: %s", words)
	}
}

// Of a file with many columns the button to check it is in sight from the beginning, and what the check has found stands at the top of the
// page, with the columns folded below.
func TestAFileWithManyColumns(t *testing.T) {
	s := newSite(t, "sqlite")
	names, values := "sku;name;price", "CUP;Cup;3,50"
	for i := range 30 {
		names += fmt.Sprintf(";extra %d", i)
		values += ";x"
	}
	at := importOf(s.as(s.owner).give("cups.csv", strings.NewReader(names+"\n"+values+"\n")))
	b := s.window(t, s.owner)
	b.look(1440, "light")
	b.open(at)
	if low := eval[float64](b, "document.querySelector('#choices > footer button').getBoundingClientRect().bottom - innerHeight"); low > 0 {
		t.Errorf("the button is %v pixels below the window", low)
	}
	b.do(chromedp.Evaluate[chromedp.Void]("scrollTo(0, document.body.scrollHeight)"))
	b.press("Check what would happen")
	b.shows("Checking the file")
	s.runImports()
	b.shows("Import 1 product")
	if down := eval[float64](b, "scrollY"); down != 0 || b.is("document.querySelector('#choices select').checkVisibility()") {
		t.Errorf("%v pixels down, or the columns are not folded", down)
	}
}
