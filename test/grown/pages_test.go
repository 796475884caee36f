package grown

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"entrepot/test/blackbox/harness"
)

// pagesOf are the pages of the dashboard that a merchant opens all day, and lists by what a filter finds.
var pagesOf = []string{"/", "/?days=90", "/orders", "/orders?status=PROCESSING", "/orders?search=mug", "/orders?placed=30d", "/returns", "/products",
	"/products?search=mug", "/stock", "/stock?view=low", "/customers", "/customers?search=ada", "/channels", "/jobs", "/webhooks", "/events",
	"/settings/audit", "/search?q=mug"}

// detail finds the address of the first record of a list.
var detail = regexp.MustCompile(`<a class="hit[^"]*"[^>]* href="([^"]+)"`)

// pages measures pages of the dashboard. Each is opened once so that it finds what it needs in memory.
func pages(t *testing.T, s *harness.Server, client harness.Client) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: time.Minute}
	person := map[string]string{"email": "grown@example.com", "password": "a long enough pass phrase"}
	body := fmt.Sprintf(`{"email":%q,"name":"Grace","role":"admin","password":%q}`, person["email"], person["password"])
	if answer, err := client.Call("POST", "/api/v1/users", body); err != nil || answer.Status != 201 {
		t.Fatalf("no user: %v %v", answer, err)
	}
	open := func(path string) (string, time.Duration) {
		t.Helper()
		began := time.Now()
		response, err := browser.Get(s.Base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v", path, response.StatusCode, err)
		}
		return string(text), time.Since(began)
	}
	door, _ := open("/dashboard/login")
	sent := url.Values{"email": {person["email"]}, "password": {person["password"]}, "_key": {hiddenKey(t, door)}}
	response, err := browser.PostForm(s.Base+"/dashboard/login", sent)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	list := pagesOf
	for _, of := range []string{"/orders", "/products", "/stock", "/customers"} {
		page, _ := open("/dashboard" + of)
		if found := detail.FindStringSubmatch(page); found != nil {
			list = append(list, strings.TrimPrefix(strings.ReplaceAll(found[1], "&amp;", "&"), "/dashboard"))
		}
	}
	for _, path := range list {
		open("/dashboard" + path)
		var took []time.Duration
		for range *times {
			_, one := open("/dashboard" + path)
			took = append(took, one)
		}
		half, most := quantiles(took)
		t.Logf("%9.1f %9.1f ms  %s", ms(half), ms(most), path)
	}
}

// hiddenKey is the key of the form of a page.
func hiddenKey(t *testing.T, page string) string {
	t.Helper()
	found := regexp.MustCompile(`name="_key" value="([^"]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the page of the login has no form")
	}
	return found[1]
}
