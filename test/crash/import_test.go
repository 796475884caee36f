package crash

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

// TestImportKilled imports a file of products on the dashboard and kills the service three times in the middle: in the end every row is
// stored or reported, once.
func TestImportKilled(t *testing.T) {
	killImport(t, "/products/import", "/products", 6_000, func(n int, wrong bool) string {
		price := "12,50"
		if wrong {
			price = "auf Anfrage"
		}
		return fmt.Sprintf("IMP-%05d;Article %d;%s;3\n", n, n, price)
	}, "sku;name;price;stock\n")
}

// TestImportOfOrdersKilled likewise for a file of orders, whose products are there.
func TestImportOfOrdersKilled(t *testing.T) {
	killImport(t, "/orders/import", "/orders", 3_000, func(n int, wrong bool) string {
		sku := "FIRST"
		if wrong {
			sku = "LOST"
		}
		return fmt.Sprintf("OLD-%05d;Ada Byron;ada%d@test.example;%s;2;12,50\n", n, n%11, sku)
	}, "externalReference;customerName;customerEmail;sku;quantity;unitPrice\n")
}

// killImport imports a file on the dashboard and kills the service three times in the middle. A hundredth of the rows is wrong; each of the
// others becomes one record of a list of the API.
func killImport(t *testing.T, path, list string, rows int, line func(n int, wrong bool) string, header string) {
	t.Helper()
	dbtest.Long(t, "the service is killed in the middle of an import")
	wrong := rows / 100
	var file strings.Builder
	file.WriteString(header)
	for n := range rows {
		file.WriteString(line(n, n%100 == 7))
	}
	harness.Each(t, func(t *testing.T, engine harness.Engine) {
		server := harness.Start(t, engine, harness.Options{})
		account := server.FirstAccount(t)
		if list == "/orders" {
			answer, err := account.Key.Call(http.MethodPost, "/api/v1/products", map[string]any{"sku": "FIRST", "name": "First", "price": 12.5})
			if err != nil || answer.Status != http.StatusCreated {
				t.Fatal(err, answer)
			}
		}
		d := logIn(t, server, account)
		at := d.upload(path, "list.csv", file.String())
		d.submit(at, "/check")
		dbtest.Until(t, "the check is made", func() bool { return strings.Contains(d.open(at), at+`/run"`) })
		d.submit(at, "/run")
		kills, before := 0, int64(0)
		for range 3 {
			var now int64
			dbtest.Until(t, "more rows are stored", func() bool { now = total(t, account.Key, list); return now > before })
			if now == int64(rows-wrong) {
				break
			}
			kills++
			server.Kill()
			server.Launch()
			before = total(t, account.Key, list)
		}
		for moved, last := time.Now(), before; !strings.Contains(d.open(at), "Imported"); time.Sleep(50 * time.Millisecond) {
			if now := total(t, account.Key, list); now > last {
				moved, last = time.Now(), now
			} else if time.Since(moved) > 5*time.Minute {
				t.Fatalf("the import does not end: %d records are stored", now)
			}
		}
		t.Logf("%s: %d kills in the middle", server.Engine, kills)
		if kills == 0 {
			t.Error("no kill came in the middle of the import")
		}
		if n := total(t, account.Key, list); n != int64(rows-wrong) {
			t.Errorf("%d records are stored, want %d", n, rows-wrong)
		}
		if page := strings.Join(strings.Fields(tags.ReplaceAllString(d.open(at), " ")), " "); !strings.Contains(page,
			fmt.Sprintf("%s created 0 ", thousands(rows-wrong))) {
			t.Errorf("the page does not count each record once: %.900s", page)
		}
		d.reported(at, wrong)
		if out, err := server.Command("verify"); err != nil {
			t.Errorf("verify: %v\n%s", err, out)
		}
	})
}

var tags = regexp.MustCompile(`<[^>]*>`)

// thousands writes a number from 1,000 to 999,999 as the pages do.
func thousands(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }

// reported checks that the report names each of the wrong rows once.
func (d *dashboard) reported(at string, wrong int) {
	d.Helper()
	reported := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(d.open(at+"/report")), "\n")[1:] {
		row, _, _ := strings.Cut(line, ",")
		reported[row]++
	}
	if len(reported) != wrong {
		d.Errorf("%d rows are reported, want %d", len(reported), wrong)
	}
	for row, n := range reported {
		if n != 1 {
			d.Errorf("row %s is reported %d times", row, n)
		}
	}
}

// total is how many records a list of the API has.
func total(t *testing.T, key harness.Client, list string) int64 {
	t.Helper()
	answer, err := key.Call(http.MethodGet, "/api/v1"+list+"?limit=1", nil)
	if err != nil || answer.Status != http.StatusOK {
		t.Fatalf("reading %s: %v %s", list, err, answer)
	}
	return answer.Count("meta", "total")
}

// dashboard is a logged in browser that runs no script.
type dashboard struct {
	*testing.T
	base   string
	client *http.Client
}

func logIn(t *testing.T, server *harness.Server, account *harness.Account) *dashboard {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	d := &dashboard{T: t, base: server.Base + "/dashboard", client: &http.Client{Jar: jar, Timeout: 5 * time.Minute}}
	d.post("/login", url.Values{"email": {account.Email}, "password": {account.Password}})
	return d
}

// open reads a page, and tries again while the service is starting.
func (d *dashboard) open(path string) (page string) {
	d.Helper()
	dbtest.Until(d.T, path+" is shown", func() bool {
		answer, err := d.client.Get(d.base + path)
		if err != nil {
			return false
		}
		page = d.read(answer)
		return answer.StatusCode == http.StatusOK
	})
	return page
}

// post sends a form and returns the path of the page that answers.
func (d *dashboard) post(path string, values url.Values) string {
	d.Helper()
	answer, err := d.client.PostForm(d.base+path, values)
	if err != nil {
		d.Fatal(err)
	}
	return d.pathOf(answer)
}

func (d *dashboard) pathOf(answer *http.Response) string {
	d.Helper()
	if text := d.read(answer); answer.StatusCode != http.StatusOK {
		d.Fatalf("%s: %d %.600s", answer.Request.URL, answer.StatusCode, text)
	}
	return strings.TrimPrefix(answer.Request.URL.Path, "/dashboard")
}

func (d *dashboard) read(answer *http.Response) string {
	d.Helper()
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		d.Fatal(err)
	}
	return string(text)
}

// upload sends a file to a page and returns the path of its import.
func (d *dashboard) upload(path, name, text string) string {
	d.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = io.WriteString(part, text)
	}
	if err != nil || form.Close() != nil {
		d.Fatal(err)
	}
	answer, err := d.client.Post(d.base+path, form.FormDataContentType(), &body)
	if err != nil {
		d.Fatal(err)
	}
	return d.pathOf(answer)
}

var (
	inputs   = regexp.MustCompile(`<input [^>]*>`)
	selects  = regexp.MustCompile(`(?s)<select [^>]*name="([^"]+)".*?</select>`)
	options  = regexp.MustCompile(`<option value="([^"]*)"( selected)?`)
	nameOf   = regexp.MustCompile(` name="([^"]+)"`)
	valueOf  = regexp.MustCompile(` value="([^"]*)"`)
	unticked = regexp.MustCompile(`type="(checkbox|radio)"`)
)

// submit sends the form that a page has for an action as it stands there: of boxes only the ticked ones, of a list the chosen entry or the
// first.
func (d *dashboard) submit(at, action string) {
	d.Helper()
	page := d.open(at)
	_, form, found := strings.Cut(page, `action="/dashboard`+at+action+`"`)
	if form, _, _ = strings.Cut(form, "</form>"); !found {
		d.Fatalf("%s has no form for %s: %.900s", at, action, page)
	}
	values := url.Values{}
	for _, input := range inputs.FindAllString(form, -1) {
		name, value := nameOf.FindStringSubmatch(input), valueOf.FindStringSubmatch(input)
		if name == nil || value == nil || unticked.MatchString(input) && !strings.Contains(input, " checked") {
			continue
		}
		values.Add(name[1], html.UnescapeString(value[1]))
	}
	for _, list := range selects.FindAllStringSubmatch(form, -1) {
		var chosen string
		for i, option := range options.FindAllStringSubmatch(list[0], -1) {
			if i == 0 || option[2] != "" {
				chosen = html.UnescapeString(option[1])
			}
		}
		values.Add(list[1], chosen)
	}
	d.post(at+action, values)
}
