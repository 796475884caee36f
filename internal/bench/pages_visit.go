package bench

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// visitor is a browser without a screen: it keeps cookies, accepts compressed answers and follows no redirect.
type visitor struct {
	base   string
	client *http.Client
}

func newVisitor(base string) (*visitor, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	return &visitor{base: strings.TrimSuffix(base, "/"), client: &http.Client{Jar: jar, Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// logIn sends the form of the login page.
func (v *visitor) logIn(ctx context.Context, email, password string) error {
	body := url.Values{"email": {email}, "password": {password}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, v.base+"/dashboard/login", strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	out, err := v.do(request)
	if err != nil {
		return err
	}
	if out.status != http.StatusSeeOther {
		return fmt.Errorf("%s cannot log in: the login page answered %d", email, out.status)
	}
	return nil
}

// read reads a page by its address relative to the base.
func (v *visitor) read(ctx context.Context, address string) (timed, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.base+address, nil)
	if err != nil {
		return timed{}, err
	}
	return v.do(request)
}

func (v *visitor) do(request *http.Request) (out timed, err error) {
	request.Header.Set("Accept-Encoding", "gzip") // set here, the client does not decompress, so that the bytes can be counted
	request.Header.Set("Accept", "text/html")
	began := time.Now()
	response, err := v.client.Do(request)
	if err != nil {
		return out, err
	}
	defer response.Body.Close()
	sent, err := io.ReadAll(response.Body)
	out.took, out.status, out.wire, out.text = time.Since(began), response.StatusCode, len(sent), string(sent)
	if err != nil || response.Header.Get("Content-Encoding") != "gzip" {
		return out, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(sent))
	if err != nil {
		return out, err
	}
	text, err := io.ReadAll(unpacked)
	out.text = string(text)
	return out, err
}

var pageLink = regexp.MustCompile(`href="(/dashboard[^"#]*)"`)

// find lists pages, one of each kind, starting from the first page. It does not follow links of pages with a query,
// since they lead to the same pages with other queries.
func (v *visitor) find(ctx context.Context, also []string, most int) (list []PageTime, err error) {
	known := map[string]bool{}
	add := func(address string) {
		kind := kindOf(address)
		if len(list) < most && !known[kind] && !strings.HasPrefix(address, "/dashboard/static/") {
			known[kind] = true
			list = append(list, PageTime{Page: kind, Address: address})
		}
	}
	add("/dashboard/")
	for _, address := range also {
		if !strings.HasPrefix(address, "/dashboard") {
			return nil, &CallError{fmt.Errorf("--also %q is no address below /dashboard", address)}
		}
		add(address)
	}
	for at := 0; at < len(list); at++ {
		if strings.Contains(list[at].Address, "?") {
			continue
		}
		out, err := v.read(ctx, list[at].Address)
		if err != nil {
			return nil, err
		}
		if at == 0 && out.status != http.StatusOK {
			return nil, errors.New("the first page cannot be read: " + http.StatusText(out.status))
		}
		for _, found := range pageLink.FindAllStringSubmatch(out.text, -1) {
			add(html.UnescapeString(found[1]))
		}
	}
	return list, nil
}

var (
	oneID    = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	anyDigit = regexp.MustCompile(`[0-9]`)
)

// kindOf is an address without the parts that name a record: of addresses of one kind only one is read.
func kindOf(address string) string {
	path, query, asked := strings.Cut(address, "?")
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if anyDigit.MatchString(segment) {
			segments[i] = "{}"
		}
	}
	path = strings.TrimSuffix(strings.Join(segments, "/"), "/")
	if !asked {
		return path
	}
	parts := strings.Split(query, "&")
	for i, part := range parts {
		if name, value, _ := strings.Cut(part, "="); oneID.MatchString(value) || len(value) > 40 {
			parts[i] = name + "={}"
		}
	}
	slices.Sort(parts)
	return path + "?" + strings.Join(parts, "&")
}
