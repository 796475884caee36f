package ebay_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/netguard"
	"entrepot/internal/connector/ebay"
)

const (
	keyPath   = "/commerce/notification/v1/public_key/" + kid
	tokenPath = "/identity/v1/oauth2/token"
)

// The vector is eBay's own.
func TestSignatureVector(t *testing.T) {
	const (
		sign = "eyJhbGciOiJlY2RzYSIsImtpZCI6Ijk5MzYyNjFhLTdkN2ItNDYyMS1hMGYxLTk2Y2NiNDI4YWY0OSIsInNpZ25hdHVyZSI6Ik1FWUNJUUNmeGZJV3V4bVdjSUJ" +
			"RSjljNS9YN2lHREpxczJSQ0dzQkVhQWppbnlycmZBSWhBSVY2d0djVGlCdVY1S0pVaWYyaG9reXJMK1E5c3NIa2FkK214Mm5FRTI1dyIsImRpZ2VzdCI6IlNIQTEifQ=="
		point = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEZhhxXKtR+TOvtDbgTPCkSof02qgBB7IsYOyf76ilExJ/upAa/vKIKheOoCyOpcLmi4t0b4uepb7LLjmMr90FUg=="
		body  = `{"metadata":{"topic":"MARKETPLACE_ACCOUNT_DELETION","schemaVersion":"1.0","deprecated":false},` +
			`"notification":{"notificationId":"49feeaeb-4982-42d9-a377-9645b8479411_33f7e043-fed8-442b-9d44-791923bd9a6d",` +
			`"eventDate":"2021-03-19T20:43:59.462Z","publishDate":"2021-03-19T20:43:59.679Z","publishAttemptCount":1,` +
			`"data":{"username":"test_user","userId":"ma8vp1jySJC","eiasToken":"nY+sHZ2PrBmdj6wVnY+sEZ2PrA2dj6wJnY+gAZGEpwmdj6x9nY+seQ=="}}}`
	)
	for _, c := range []struct {
		name, digest, body string
		good               bool
	}{
		{"as published", "SHA1", body, true},
		{"digest with a dash", "sha-1", body, true},
		{"no digest named", "", body, true},
		{"another digest", "SHA256", body, false},
		{"one byte changed", "SHA1", strings.Replace(body, "test_user", "test_usfr", 1), false},
		{"space added", "SHA1", strings.Replace(body, `":{"`, `": {"`, 1), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			f.keys["9936261a-7d7b-4621-a0f1-96ccb428af49"] = fmt.Sprintf(
				`{"key":"-----BEGIN PUBLIC KEY-----%s-----END PUBLIC KEY-----","algorithm":"ECDSA","digest":%q}`, point, c.digest)
			err := f.connector().Verify(context.Background(), f.channel(), signed([]byte(c.body), sign))
			if (err == nil) != c.good || err != nil && !apperr.Is(err, apperr.Invalid) {
				t.Errorf("Verify = %v", err)
			}
		})
	}
}

func TestSHA256Key(t *testing.T) {
	f := newFake(t)
	f.keys[kid] = keyAnswer(t, &f.pair.PublicKey, "SHA256")
	body := []byte(`{"a":1}`)
	if err := f.connector().Verify(context.Background(), f.channel(), signed(body, f.signSHA256(body))); err != nil {
		t.Error(err)
	}
	if err := f.connector().Verify(context.Background(), f.channel(), signed(body, f.sign(body))); !apperr.Is(err, apperr.Invalid) {
		t.Errorf("SHA1 under a SHA256 key: %v", err)
	}
}

// Ids of keys need not be UUIDs, and their case counts.
func TestNamesOfKeys(t *testing.T) {
	f := newFake(t)
	c, ch, body := f.connector(), f.channel(), []byte(`{"a":1}`)
	f.keys["Key.2_b-7"] = f.keys[kid]
	sum := sha1.Sum(body) //nolint:gosec // the digest eBay signs with
	if err := c.Verify(context.Background(), ch, signed(body, header("Key.2_b-7", f.signDigest(sum[:])))); err != nil {
		t.Error(err)
	}
	if err := c.Verify(context.Background(), ch, signed(body, header("key.2_b-7", f.signDigest(sum[:])))); !apperr.Is(err, apperr.Invalid) {
		t.Errorf("in another case: %v", err)
	}
}

// A header that cannot be a signature is refused before eBay is asked anything.
func TestMalformedHeaderAsksNothing(t *testing.T) {
	f := newFake(t)
	c, ch, body := f.connector(), f.channel(), []byte(`{"a":1}`)
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for _, value := range []string{
		"", "!", "{}", encode(""), encode("null"), encode("[]"), encode("{}"), encode(`{"alg":"ecdsa"}`),
		header("", "AAAA"), header("../../identity/v1/x", "AAAA"), header(kid+"/..", "AAAA"), header(kid+"?x=1", "AAAA"),
		header("..", "AAAA"), header("a b", "AAAA"), header(strings.Repeat("a", 129), "AAAA"), header(kid, "not base64"),
		encode(`{"alg":"none","kid":"` + kid + `","signature":"AAAA"}`), encode(`{"alg":"","kid":"` + kid + `","signature":"AAAA"}`),
		encode(`{"alg":"ecdsa","kid":7,"signature":"AAAA"}`), header(kid, strings.Repeat("A", 5000)),
	} {
		if err := c.Verify(context.Background(), ch, signed(body, value)); !apperr.Is(err, apperr.Invalid) {
			t.Errorf("Verify of %.60q = %v", value, err)
		}
	}
	if got := f.counts(); got != [2]int{0, 0} {
		t.Errorf("eBay was asked for %v tokens and keys", got)
	}
	for _, der := range []string{"", "AAAA", "MAYCAQACAQA="} { // well formed header, no signature of anything
		if err := c.Verify(context.Background(), ch, signed(body, header(kid, der))); !apperr.Is(err, apperr.Invalid) {
			t.Errorf("Verify of the signature %q = %v", der, err)
		}
	}
}

// The key and the token are asked for once while they live, also by many at once.
func TestLookUpsAreKept(t *testing.T) {
	f := newFake(t)
	c, ch, body := f.connector(), f.channel(), []byte(`{"a":1}`)
	value := f.sign(body)
	verify := func(want [2]int) {
		t.Helper()
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if err := c.Verify(context.Background(), ch, signed(body, value)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := f.counts(); got != want {
			t.Errorf("%v tokens and keys were asked for, want %v", got, want)
		}
	}
	verify([2]int{1, 1})
	f.set(func() { f.at = f.at.Add(59 * time.Minute) })
	verify([2]int{1, 1})
	f.set(func() { f.at = f.at.Add(2 * time.Minute) })
	verify([2]int{1, 2}) // the key is an hour old
	f.set(func() { f.at = f.at.Add(2 * time.Hour) })
	verify([2]int{2, 3}) // so is the token two
}

// Whatever keeps us from the key is not the signature's error, and the next notification tries again.
func TestKeyUnavailable(t *testing.T) {
	for name, c := range map[string]struct{ breaks, mends func(f *fake) }{
		"key look-up down":    {func(f *fake) { f.status[keyPath] = 503 }, func(f *fake) { delete(f.status, keyPath) }},
		"quota spent":         {func(f *fake) { f.status[keyPath] = 429 }, func(f *fake) { delete(f.status, keyPath) }},
		"forbidden":           {func(f *fake) { f.status[keyPath] = 403 }, func(f *fake) { delete(f.status, keyPath) }},
		"still unauthorized":  {func(f *fake) { f.status[keyPath] = 401 }, func(f *fake) { delete(f.status, keyPath) }},
		"token down":          {func(f *fake) { f.status[tokenPath] = 500 }, func(f *fake) { delete(f.status, tokenPath) }},
		"credentials refused": {func(f *fake) { f.status[tokenPath] = 401 }, func(f *fake) { delete(f.status, tokenPath) }},
		"answer is no JSON":   {func(f *fake) { f.keys[kid] = "<html>" }, nil},
		"answer is empty":     {func(f *fake) { f.keys[kid] = "{}" }, nil},
		"key is no base64":    {func(f *fake) { f.keys[kid] = `{"key":"????"}` }, nil},
		"unknown digest":      {func(f *fake) { f.keys[kid] = `{"key":"","digest":"MD5"}` }, nil},
		"answer is endless":   {func(f *fake) { f.keys[kid] = `{"pad":"` + strings.Repeat("A", 64<<10) + `",` + f.keys[kid][1:] }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			conn, ch, body := f.connector(), f.channel(), []byte(`{"a":1}`)
			n, answer := signed(body, f.sign(body)), f.keys[kid]
			f.set(func() { c.breaks(f) })
			if err := conn.Verify(context.Background(), ch, n); !apperr.Is(err, apperr.Unavailable) {
				t.Errorf("Verify = %v, want Unavailable", err)
			}
			f.set(func() {
				f.keys[kid] = answer
				if c.mends != nil {
					c.mends(f)
				}
			})
			if err := conn.Verify(context.Background(), ch, n); err != nil {
				t.Errorf("mended: %v", err)
			}
		})
	}
}

func TestNetworkFault(t *testing.T) {
	f := newFake(t)
	c, ch, body := f.connector(), f.channel(), []byte(`{"a":1}`)
	f.Close()
	if err := c.Verify(context.Background(), ch, signed(body, f.sign(body))); !apperr.Is(err, apperr.Unavailable) {
		t.Errorf("Verify = %v, want Unavailable", err)
	}
	ch.Credentials["baseUrl"] = "http://bad host"
	if err := c.Verify(context.Background(), ch, signed(body, f.sign(body))); !apperr.Is(err, apperr.Unavailable) {
		t.Errorf("bad address: Verify = %v, want Unavailable", err)
	}
}

// A key and a token are asked for once more, at once, after a failure that may pass: the notification is not refused then.
func TestKeysAreAskedForAgain(t *testing.T) {
	answer := func(status int, body string) func() (*http.Response, error) {
		return func() (*http.Response, error) {
			return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}, nil
		}
	}
	for name, c := range map[string]struct {
		fails func() (*http.Response, error)
		again bool
	}{
		"down": {answer(503, ""), true}, "slow": {answer(408, ""), true}, "before it": {answer(522, "<html>"), true},
		"a page": {answer(200, "<html>"), true}, "reset": {func() (*http.Response, error) { return nil, syscall.ECONNRESET }, true},
		"quota spent": {answer(429, ""), false}, "forbidden": {answer(403, ""), false},
		"no address": {func() (*http.Response, error) { return nil, &netguard.Refused{Reason: "private"} }, false},
	} {
		for _, path := range []string{keyPath, tokenPath} {
			f := newFake(t)
			asked := 0
			client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == path {
					if asked++; asked == 1 {
						return c.fails()
					}
				}
				return f.Client().Transport.RoundTrip(r)
			})}
			body := []byte(`{"a":1}`)
			err := ebay.New(client, f.now).Verify(context.Background(), f.channel(), signed(body, f.sign(body)))
			if c.again != (err == nil) || !c.again && !apperr.Is(err, apperr.Unavailable) || (asked == 2) != c.again {
				t.Errorf("%s at %s: %v after %d requests", name, path, err, asked)
			}
		}
	}
}

// A key that is no ECDSA key cannot have signed anything.
func TestOtherKindOfKey(t *testing.T) {
	f := newFake(t)
	pair, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	f.keys[kid] = keyAnswer(t, &pair.PublicKey, "SHA1")
	body := []byte(`{"a":1}`)
	if err := f.connector().Verify(context.Background(), f.channel(), signed(body, f.sign(body))); !apperr.Is(err, apperr.Unavailable) {
		t.Errorf("Verify = %v, want Unavailable", err)
	}
}

// A token that eBay took back early is replaced once.
func TestRevokedToken(t *testing.T) {
	f := newFake(t)
	c, ch, body := f.connector(), f.channel(), []byte(`{"a":1}`)
	if err := c.Verify(context.Background(), ch, signed(body, f.sign(body))); err != nil {
		t.Fatal(err)
	}
	f.set(func() { f.token = "another"; f.at = f.at.Add(61 * time.Minute) })
	if err := c.Verify(context.Background(), ch, signed(body, f.sign(body))); err != nil {
		t.Error(err)
	}
	if got := f.counts(); got != [2]int{2, 3} {
		t.Errorf("%v tokens and keys were asked for", got)
	}
}

// A channel whose baseUrl is its owner's own server must not give keys to other channels.
func TestKeysStayWithTheirAddress(t *testing.T) {
	honest, forger := newFake(t), newFake(t)
	c, body := honest.connector(), []byte(`{"a":1}`)
	forged := signed(body, forger.sign(body))
	if err := c.Verify(context.Background(), forger.channel(), forged); err != nil {
		t.Fatal(err)
	}
	if err := c.Verify(context.Background(), honest.channel(), forged); !apperr.Is(err, apperr.Invalid) {
		t.Errorf("a planted key verifies elsewhere: %v", err)
	}
}

// Made-up key ids must not spend the application's quota, nor keep known keys from working.
func TestGuessesAreBounded(t *testing.T) {
	f := newFake(t)
	c, ch, body := f.connector(), f.channel(), []byte(`{"a":1}`)
	good := signed(body, f.sign(body))
	if err := c.Verify(context.Background(), ch, good); err != nil {
		t.Fatal(err)
	}
	guess := func(i int) error {
		return c.Verify(context.Background(), ch, signed(body, header(fmt.Sprintf("%08d-0000-0000-0000-000000000000", i), "AAAA")))
	}
	for i := range 60 {
		if err := guess(i); !apperr.Is(err, apperr.Invalid) {
			t.Fatalf("guess %d: %v", i, err)
		}
	}
	for i := range 100 {
		if err := guess(100 + i); !apperr.Is(err, apperr.Unavailable) {
			t.Fatalf("guess %d: %v", 100+i, err)
		}
	}
	if got := f.counts(); got != [2]int{1, 61} {
		t.Errorf("%v tokens and keys were asked for", got)
	}
	if err := c.Verify(context.Background(), ch, good); err != nil {
		t.Errorf("a known key: %v", err)
	}
	f.set(func() { f.at = f.at.Add(time.Hour) })
	if err := guess(300); !apperr.Is(err, apperr.Invalid) {
		t.Errorf("an hour later: %v", err)
	}
}

// Without a baseUrl eBay itself is asked, over https.
func TestDefaultAddress(t *testing.T) {
	var asked []string
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		asked = append(asked, r.Method+" "+r.URL.String())
		text := `{"access_token":"t","expires_in":7200}`
		if r.Method == http.MethodGet {
			text = "{}"
		}
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
	})}
	f := newFake(t)
	ch := f.channel()
	delete(ch.Credentials, "baseUrl")
	_ = ebay.New(client, f.now).Verify(context.Background(), ch, signed(nil, f.sign(nil)))
	want := "POST https://api.ebay.com" + tokenPath + ", GET https://api.ebay.com" + keyPath
	if got := strings.Join(asked, ", "); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Keys of a curve other than P-256 are taken as well.
func TestOtherCurve(t *testing.T) {
	f := newFake(t)
	pair, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	f.pair, f.keys[kid] = pair, keyAnswer(t, &pair.PublicKey, "SHA256")
	body := []byte(`{"a":1}`)
	if err := f.connector().Verify(context.Background(), f.channel(), signed(body, f.signSHA256(body))); err != nil {
		t.Error(err)
	}
}
