package dashboard

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/webhooks"
)

var emptyList = regexp.MustCompile(`(?s)<div class="empty">.*?<a class="btn primary" href="([^"]+)">.*?<pre[^>]*>([^<]+)</pre>`)

// shellWords splits a command as a shell does, as far as the commands of pages need it.
func shellWords(command string) (words []string) {
	for i, part := range strings.Split(strings.ReplaceAll(command, "\\\n", " "), "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// curl runs a command of a page as curl would: as it stands on the page that the button beside it leads to, with a new key in it.
func (c *shopper) curl(t *testing.T, page reply) reply {
	t.Helper()
	made := c.s.as(c.s.owner).post("/keys/new", page.inputs(t, "/keys/new"))
	found := regexp.MustCompile(`<pre[^>]* aria-label="Command">([^<]+)</pre>`).FindStringSubmatch(made.body)
	if found == nil {
		t.Fatalf("no command with a key: %d %.900s", made.status, made.words())
	}
	command := html.UnescapeString(found[1])
	if shown := html.UnescapeString(emptyList.FindStringSubmatch(page.body)[2]); !strings.Contains(shown, "'X-API-Key: <API_KEY>'") ||
		regexp.MustCompile(`'X-API-Key: pk_[^']+'`).ReplaceAllString(command, "'X-API-Key: <API_KEY>'") != shown {
		t.Errorf("the command with a key is another one: %s", command)
	}
	token := c.header
	defer func() { c.header = token }()
	words := shellWords(command)
	method, at, body := "GET", "", ""
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "-X":
			i++
			method = words[i]
		case "-H":
			i++
			switch key, is := strings.CutPrefix(words[i], "X-API-Key: "); {
			case is:
				c.header = http.Header{"X-Api-Key": {key}}
			case words[i] == "Content-Type: application/json":
			default:
				t.Errorf("a header that no call has: %s", words[i])
			}
		case "-d":
			i++
			if body = words[i]; method == "GET" {
				method = "POST"
			}
		default:
			at = words[i]
		}
	}
	u, err := url.Parse(at)
	if err != nil || u.Scheme+"://"+u.Host != c.s.url {
		t.Fatalf("not an address of the service: %q in %s", at, command)
	}
	return c.send(method, u.RequestURI(), strings.NewReader(body), "application/json")
}

// An empty list says what is done first: a button, and a command that works as it is written, with real ids where there are some.
func TestEmptyListsGiveTheFirstStep(t *testing.T) {
	for _, path := range []string{"/orders", "/products", "/categories", "/attributes", "/stock", "/customers", "/segments", "/channels",
		"/jobs", "/webhooks", "/webhooks/deliveries", "/events", "/keys"} {
		t.Run(strings.ReplaceAll(path[1:], "/", "-"), func(t *testing.T) {
			s := newSite(t, "sqlite")
			page := s.as(s.owner).get(path)
			found := emptyList.FindStringSubmatch(page.body)
			if found == nil {
				t.Fatalf("no button, or no command: %.900s", page.words())
			}
			if to := found[1]; strings.HasPrefix(to, "#") && !strings.Contains(page.body, ` id="`+to[1:]+`"`) ||
				!strings.HasPrefix(to, "#") && s.as(s.owner).send("GET", html.UnescapeString(to), nil, "").status != 200 {
				t.Errorf("the button leads to %s", to)
			}
			out := s.shopper(t).curl(t, page)
			if out.status >= 300 || strings.Contains(out.body, `"success":false`) {
				t.Errorf("%s: %d %s", found[2], out.status, out.body)
			}
			if path == "/keys" {
				return // for admins only
			}
			s = newSite(t, "sqlite")
			s.newUser("vera@test.example", accounts.Viewer)
			if page := s.as(accounts.User{Email: "vera@test.example"}).get(path); !strings.Contains(page.body, `<div class="empty">`) ||
				strings.Contains(page.body, `<a class="btn primary"`) {
				t.Errorf("a viewer is offered what he may not do: %.400s", page.words())
			}
		})
	}
}

// The commands of empty lists name what exists: the newest product, the channel, the endpoint.
func TestFirstStepsHaveRealIDs(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.product(`{"sku":"MUG","name":"Mug","price":10}`)
		c := s.shopper(t)
		channel := c.call("POST", "/channels", map[string]any{"platform": "CUSTOM", "name": "ERP"})["channel"].(map[string]any)["id"].(string)
		target := map[string]any{"url": "http://127.0.0.1:9/hooks", "events": []string{"stock.low"}}
		endpoint := c.call("POST", "/developer/webhooks", target)["id"].(string)
		for _, list := range []struct {
			path   string
			wanted []string
		}{{"/webhooks/deliveries", []string{"/developer/webhooks/" + endpoint + "/test"}}, {"/stock", []string{`"sku":"MUG"`}},
			{"/orders", []string{channel, `"sku":"MUG"`}}} {
			path, wanted := list.path, list.wanted
			page := s.as(s.owner).get(path)
			found := emptyList.FindStringSubmatch(page.body)
			if found == nil {
				t.Errorf("%s: %.600s", path, page.words())
				continue
			}
			command := html.UnescapeString(found[2])
			for _, part := range wanted {
				if !strings.Contains(command, part) {
					t.Errorf("%s: no %s in %s", path, part, command)
				}
			}
			if out := c.curl(t, page); out.status >= 300 || strings.Contains(out.body, `"success":false`) {
				t.Errorf("%s: %d %s", command, out.status, out.body)
			}
		}
	})
}

// Who subscribes to events sees a sample of each: what the endpoint would be sent.
func TestEventsHaveSamples(t *testing.T) {
	s := newSite(t, "sqlite")
	page := s.as(s.owner).get("/webhooks/new")
	shown := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?s)<pre[^>]* aria-label="Sample of ([^"]+)">(.*?)</pre>`).FindAllStringSubmatch(page.body, -1) {
		var event struct {
			ID, Event, Timestamp string
			Data                 map[string]any
		}
		if err := json.Unmarshal([]byte(html.UnescapeString(found[2])), &event); err != nil || event.Event != found[1] || event.ID == "" ||
			event.Timestamp == "" || len(event.Data) == 0 {
			t.Errorf("%s: %v %s", found[1], err, found[2])
		}
		shown[found[1]] = true
	}
	for _, name := range webhooks.EventNames {
		if !shown[name] {
			t.Errorf("no sample of %s", name)
		}
	}
}

// How many customers a segment has is counted as its rules are typed, before it has a name.
func TestSegmentsAreCountedAsTheyAreTyped(t *testing.T) {
	s := newSite(t, "sqlite")
	s.customer("ada@example.com", "Lovelace", "vip")
	s.customer("bob@example.com", "Byron", "b2b")
	b := s.window(t, s.owner)
	b.open("/segments")
	b.fill("[name=any]", "vip")
	b.shows("1 customer is in it now")
	b.keys(", b2b")
	b.shows("2 customers are in it now")
	if at := eval[string](b, "document.activeElement.name + ' ' + document.activeElement.value"); at != "any vip, b2b" {
		t.Errorf("the cursor is in %q", at)
	}
	b.fill("[name='rules.country']", "ZZ") // no country: the rules do not say a number
	b.until("!document.querySelector('#count').innerText")
	b.fill("[name='rules.country']", "FR")
	b.shows("0 customers are in it now")
	b.fill("[name=name]", "Very important")
	b.press("Create")
	b.shows("Created the segment")
}

// Deleting an address is asked first, and the question names it.
func TestDeletingAnAddressAsks(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	home := "/customers/" + string(s.customer("ada@example.com", "Lovelace"))
	for _, street := range []string{"1 rue X", "2 rue Y"} {
		b.follow(b.submit(t, b.get(home), home+"/addresses", "line1", street, "zip", "75001", "city", "Paris", "country", "fr"))
	}
	w := s.window(t, s.owner)
	w.open(home)
	w.click(".line [command=show-modal]")
	w.shows("Delete this address?")
	if words := eval[string](w, "document.querySelector('dialog[open]').innerText"); !strings.Contains(words, "1 rue X") {
		t.Errorf("the question: %s", words)
	}
	w.press("Delete address")
	w.shows("Deleted the address")
	if words := w.text(); strings.Contains(words, "1 rue X") || !strings.Contains(words, "2 rue Y") {
		t.Errorf("%s", words)
	}
}

// Who may look only is told so, not that somebody else may not change owners; and a list of customers is filtered by a tag that is typed.
func TestWordsForViewers(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.seed()
		s.customer("vip@example.com", "Byron", "gold")
		b := s.as(accounts.User{Email: "vera@test.example"})
		if page := b.get("/settings/users/" + string(s.owner.ID)); page.status != 200 || strings.Contains(page.words(), "Only an owner") ||
			!strings.Contains(page.words(), "Your role may look") {
			t.Errorf("%d %.600s", page.status, page.words())
		}
		if page := b.get("/customers?tag=gold"); !strings.Contains(page.words(), "1 customer") ||
			!regexp.MustCompile(`<input [^>]*name="tag"[^>]* value="gold"`).MatchString(page.body) {
			t.Errorf("%.600s", page.words())
		}
	})
}

// Commands of a page are for the address at which the browser has it; without encryption only on this machine.
func TestAddressOfCommands(t *testing.T) {
	for host, want := range map[string]string{"127.0.0.1:8080": "http://127.0.0.1:8080", "localhost:8080": "http://localhost:8080",
		"shop.example": "https://shop.example"} {
		r := &request{d: &Dashboard{}, http: httptest.NewRequestWithContext(t.Context(), "GET", "http://"+host+prefix+"/", nil)}
		if got := r.base(); got != want {
			t.Errorf("%s: %s", host, got)
		}
	}
	r := &request{d: &Dashboard{Config: Config{PublicURL: "https://shop.example/"}},
		http: httptest.NewRequestWithContext(t.Context(), "GET", "http://127.0.0.1:8080"+prefix+"/", nil)}
	if got := r.base(); got != "https://shop.example" {
		t.Errorf("with a public address: %s", got)
	}
}
