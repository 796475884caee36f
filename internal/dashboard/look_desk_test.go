package dashboard

import (
	"bytes"
	"fmt"
	"image/png"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

const longName = "Samsung Galaxy Express 3 4G LTE with 8GB Memory, Protective Cover and Charger - Midnight Blue (Unlocked)"

// A list gives most of its room to what its rows are about: the name of a product, not its number.
func TestNamesHaveTheRoom(t *testing.T) {
	s := newSite(t, "sqlite")
	s.product(`{"sku":"4812426","name":"` + longName + `","price":12.5,"stock":{"quantity":7}}`)
	b := s.window(t, s.owner)
	b.look(1440, "light")
	for path, cell := range map[string]string{"/products": "[data-at=name]", "/stock": "[data-at=who]"} {
		b.open(path)
		part := eval[float64](b, fmt.Sprintf(
			"(list => list.querySelector('td%s').offsetWidth / list.offsetWidth)(document.querySelector('.rows'))", cell))
		if part < 0.35 {
			t.Errorf("%s: the name has %.0f %% of the list", path, 100*part)
		}
	}
}

// Beside a long name the units of a line stay on one line, and so does what the file of an import calls a column.
func TestFiguresAreOnOneLine(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	order := c.call("POST", "/orders", map[string]any{"customerName": "Ada", "items": []any{map[string]any{"sku": "MUG", "quantity": 2,
		"unitPrice": "10.00", "name": longName + ", " + longName}}})["id"].(string)
	b := s.window(t, s.owner)
	b.look(1440, "light")
	lines := func(css string) int {
		return eval[int](b, fmt.Sprintf(`(() => { const text = document.createRange();
			text.selectNodeContents(document.querySelector(%q).lastChild);
			return text.getClientRects().length })()`, css))
	}
	b.open("/orders/" + order)
	if n := lines("#lines .gauge"); n != 1 {
		t.Errorf("the units are broken over %d lines", n)
	}
	p := s.product(`{"sku":"WH11","name":"Hoodie","price":54,"variants":[{"sku":"WH11-S-Blue","name":"Eos V-Neck Hoodie-S-Blue","price":54}]}`)
	b.open("/products/" + string(p.ID))
	hidden := eval[float64](b, "(e => e.scrollWidth - e.clientWidth)(document.querySelector('#card-variants td:nth-child(2) input'))")
	if hidden > 0 {
		t.Errorf("%v pixels of a variant's name do not fit into its input", hidden)
	}
	given := s.as(s.owner).give("list.csv", strings.NewReader("Artikelbezeichnung;SKU;Price\n"+longName+", "+longName+";A-1;12.50\n"))
	b.open(importOf(given))
	if n := lines("td.column bdi"); n != 1 {
		t.Errorf("the name of a column is broken over %d lines", n)
	}
}

// In the place of an image that does not come there is a plain field, not the browser's torn picture.
func TestImagesThatDoNotCome(t *testing.T) {
	s := newSite(t, "sqlite")
	const gone = "https://127.0.0.1:9" // where no browser looks
	s.product(`{"sku":"MUG","name":"Mug","price":1,"images":[{"url":"` + gone + `/mug.jpg"}]}`)
	b := s.window(t, s.owner)
	b.hosts = []string{gone}
	b.look(1440, "light")
	b.open("/products")
	b.until("document.querySelector('img.thumb')?.complete")
	box := eval[[]float64](b, "(r => [r.x, r.y, r.width, r.height])(document.querySelector('img.thumb').getBoundingClientRect())")
	shot := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Clip: &page.Viewport{X: box[0] + 4, Y: box[1] + 4, Width: box[2] - 8, Height: box[3] - 8, Scale: 1}})
	picture, err := png.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		t.Fatal(err)
	}
	colours := map[string]bool{}
	for x := range picture.Bounds().Dx() {
		for y := range picture.Bounds().Dy() {
			colours[fmt.Sprint(picture.At(x, y))] = true
		}
	}
	if len(colours) != 1 {
		t.Errorf("the field has %d colours", len(colours))
	}
	b.complaints() // the image
}

// What must be copied exactly is written in letters that cannot be mistaken; buttons look like buttons also where they are links in a
// text; what passes by has the same room at both ends; nothing stands beside the figures of an account that has only begun.
func TestSmallThingsOfTheLook(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	b.look(1440, "light")
	b.open("/")
	if widths := eval[[]float64](b, "['#needs', '#figures'].map(css => document.querySelector(css).offsetWidth)"); widths[0] != widths[1] {
		t.Errorf("beside the figures there is a hole: %v", widths)
	}
	b.open("/products/import")
	if weight := eval[string](b, "getComputedStyle(document.querySelector('.drop .hint')).fontWeight"); weight != "400" {
		t.Errorf("the hint of the field for files has the weight %s", weight)
	}
	b.open("/webhooks/new")
	b.fill("[name=url]", "https://shop.example/hooks")
	b.clickOn("[name=events][value='*']")
	b.press("Add endpoint")
	b.until("document.querySelector('#once-secret')")
	if font := eval[string](b, "getComputedStyle(document.querySelector('#once-secret')).fontFamily"); !strings.Contains(font, "monospace") {
		t.Errorf("a secret in %s", font)
	}
	if line := eval[string](b, "getComputedStyle(document.querySelector('.once p .btn')).textDecorationLine"); line != "none" {
		t.Errorf("a button with a line: %s", line)
	}
	b.clickOn(".once p .btn")
	b.press("Pause")
	b.until("document.querySelector('.toast')")
	room := eval[[]string](b, "(style => [style.paddingLeft, style.paddingRight])(getComputedStyle(document.querySelector('.toast')))")
	if room[0] != room[1] {
		t.Errorf("a message has room of %v", room)
	}
}

// Of many categories a product's page shows those that it is in; the others are folded, and ticked there.
func TestManyCategoriesAreFolded(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	for i := range 30 {
		c.call("POST", "/categories", map[string]any{"name": fmt.Sprintf("Shelf %02d", i), "externalId": fmt.Sprintf("shelf-%02d", i)})
	}
	p := s.product(`{"sku":"MUG","name":"Mug","price":1,"categoryIds":["shelf-07"]}`)
	b := s.window(t, s.owner)
	b.open("/products/" + string(p.ID))
	b.shows("29 more")
	shown := `[...document.querySelectorAll("#card-categories label")].filter(e => e.checkVisibility()).map(e => e.innerText.trim())`
	if got := eval[[]string](b, shown); fmt.Sprint(got) != "[Shelf 07]" {
		t.Errorf("shown at once: %q", got)
	}
	b.clickOn("#card-categories summary")
	b.act(`[...document.querySelectorAll("#card-categories label")].find(e => e.innerText.trim() === "Shelf 21")`, "el.click()")
	b.press("Save")
	b.shows("28 more")
	b.open("/products/" + string(p.ID))
	if got := eval[[]string](b, shown); fmt.Sprint(got) != "[Shelf 07 Shelf 21]" {
		t.Errorf("shown after saving: %q", got)
	}
}

// A replay proposes to begin an hour ago, and counts nothing before it is asked to.
func TestAReplayProposesItsBeginning(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	page := s.as(s.owner).get("/webhooks/replay/" + s.samples["/webhooks"])
	value := regexp.MustCompile(`name="from" type="datetime-local" step="1" value="([^"]*)"`).FindStringSubmatch(page.body)
	if value == nil {
		t.Fatalf("%.600s", page.words())
	}
	at, err := time.Parse("2006-01-02T15:04:05", value[1])
	if before := time.Since(at); err != nil || before < time.Hour-time.Minute || before > 2*time.Hour || at.Second() != 0 {
		t.Errorf("it begins at %q", value[1])
	}
	if strings.Contains(page.words(), " again ") && strings.Contains(page.words(), "Send ") {
		t.Error("it is counted already")
	}
}

// A job of a channel is called after it, in the list of deliveries as in the event log; one of a file by the end of its id.
func TestJobsAreCalledAfterTheirChannel(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.seed()
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			own := jobs.Insert(tx, jobs.Job{Type: jobs.StockPush, Channel: id.Channel(s.samples["/channels"])})
			file := jobs.Insert(tx, jobs.Job{Type: jobs.ProductImport, Input: "{}"})
			channel, err := channels.ByID(tx, own.Channel)
			if err != nil {
				return err
			}
			names := map[string]string{}
			err = jobNames(tx, []string{string(own.ID), string(file.ID)}, func(which, name string, _ bool) { names[which] = name })
			if want := "…" + string(file.ID)[30:]; names[string(own.ID)] != channel.Name || names[string(file.ID)] != want {
				t.Errorf("%v, wanted %s and %s", names, channel.Name, want)
			}
			return err
		})
	})
}

// On a phone the buttons above a list are one row, forms as links, which scrolls where it has no room; keys that it does not have are not
// shown.
func TestButtonsOfAPhone(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	b.look(360, "light")
	call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	call(b, emulation.SetEmitTouchEventsForMouse, emulation.SetEmitTouchEventsForMouseParams{Enabled: true, Configuration: "mobile"})
	b.open("/orders")
	if tops := eval[[]float64](b, `[...new Set([...document.querySelectorAll("#orders-do .btn")].filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect().top))]`); len(tops) != 1 {
		t.Errorf("the rows of buttons begin at %v", tops)
	}
	b.until("document.querySelector('#orders-do').scrollWidth > document.querySelector('#orders-do').clientWidth && document.documentElement.scrollWidth <= innerWidth")
	b.until("matchMedia('(pointer: coarse)').matches")
	if b.is("document.querySelector('.search kbd').checkVisibility()") {
		t.Error("the search shows a key")
	}
}

// Without a script the field for a file shows which was chosen, and nothing promises keys or news that only the script has.
func TestWithoutScriptNothingIsPromised(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.withoutScript(t, s.owner)
	b.open("/products/import")
	input := eval[string](b, "(style => style.opacity + ' ' + style.position)(getComputedStyle(document.querySelector('.drop input')))")
	if input != "1 static" {
		t.Errorf("the input for a file is %s", input)
	}
	b.open("/orders")
	shown := eval[[]string](b, "[...document.querySelectorAll('kbd, .live')].filter(e => e.checkVisibility()).map(e => e.innerText)")
	if len(shown) > 0 {
		t.Errorf("without a script there are %q", shown)
	}
}

// The packing slips have a button to print them, which is not on the paper.
func TestSlipsArePrinted(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	c.order("PROCESSING", nil, 1)
	b := s.window(t, s.owner)
	b.open("/orders/slip")
	b.do(chromedp.Evaluate[chromedp.Void]("print = () => document.body.dataset.printed = 'yes'"))
	b.press("Print")
	b.until("document.body.dataset.printed === 'yes'")
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	if b.is("document.querySelector('[data-print]').checkVisibility()") {
		t.Error("the button is on the paper")
	}
}

// A job that found nothing to do says so.
func TestAJobWithNothingToDo(t *testing.T) {
	s := newSite(t, "sqlite")
	var done, failed jobs.Job
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		done = jobs.Finish(tx, jobs.Insert(tx, jobs.Job{Type: jobs.StockPush}), false)
		failed = jobs.Insert(tx, jobs.Job{Type: jobs.StockPush})
		failed.Errors = `[{"error":"the shop does not answer"}]`
		failed = jobs.Finish(tx, failed, true)
		return nil
	})
	b := s.as(s.owner)
	has(t, b.get("/jobs/"+string(done.ID)), "Progress Nothing to do.")
	has(t, b.get("/jobs/"+string(failed.ID)), "Progress Nothing done.", "the shop does not answer")
}

// What is typed or pressed in a card stands apart from its edge, in every part that an address opens and where a form was refused.
func TestNothingTouchesTheEdgeOfItsCard(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	c := s.shopper(t)
	order := "/orders/" + c.order("PROCESSING", nil, 3)
	b := s.window(t, s.owner)
	touching := func() string {
		return eval[string](b, `[...document.querySelectorAll('main .card :is(input:not([type=hidden]), select, textarea, button, .callout)')]
			.filter(el => { if (!el.checkVisibility()) return false;
				const box = el.getBoundingClientRect(), card = el.closest('.card').getBoundingClientRect();
				return box.left < card.left + 8 || box.right > card.right - 8 }).map(el => el.name || el.innerText).join(', ')`)
	}
	for _, width := range []int64{1440, 390} {
		b.look(width, "light")
		for _, path := range []string{order, order + "?open=lines", order + "?open=movements", "/products/" + s.samples["/products"], "/stock",
			"/customers/" + s.samples["/customers"], "/settings/account", "/webhooks/" + s.samples["/webhooks"]} {
			b.open(path)
			if found := touching(); found != "" {
				t.Errorf("%s at %d: %s", path, width, found)
			}
		}
		b.open(order + "?open=lines")
		b.fill("[name='items[1].sku']", "NONE")
		b.press("Save lines")
		b.shows("2 things are wrong")
		if found := touching(); found != "" {
			t.Errorf("lines that were refused, at %d: %s", width, found)
		}
	}
}
