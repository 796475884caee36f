package connector_test

import (
	"strings"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"

	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	p := connector.Profile{Platform: "P", Fields: []connector.Field{
		{Name: "url", Required: true, Form: connector.Target, Note: "the address"},
		{Name: "key", Required: true, Note: "the key"},
		{Name: "token", Required: true, Or: []string{"id", "secret"}, Form: connector.Secret, Note: "the token"},
		{Name: "id"},
		{Name: "secret", Form: connector.Secret},
		{Name: "header", Form: connector.Header},
		{Name: "own", Form: connector.Address},
	}}
	good := connector.Credentials{"url": "https://shop.example/folder", "key": "k", "token": "t"}
	const takes = "is not a credential of P; it takes url, key, token, id, secret, header, own, baseUrl"
	for _, c := range []struct {
		name   string
		change connector.Credentials // "-" takes the field away
		dev    bool
		want   []apperr.Detail
	}{
		{name: "good"},
		{name: "unknown beside complete ones", change: connector.Credentials{"keyy": "x"}},
		{name: "stand-ins", change: connector.Credentials{"token": "-", "id": "i", "secret": "s"}},
		{name: "all required missing, and an unknown one", change: connector.Credentials{"url": "-", "key": "-", "token": "-", "keyy": "x"},
			want: []apperr.Detail{
				{Path: "credentials.url", Message: "is required: the address"},
				{Path: "credentials.key", Message: "is required: the key"},
				{Path: "credentials.token", Message: "is required (or id and secret in its place): the token"},
				{Path: "credentials.keyy", Message: takes},
			}},
		{name: "blank is missing", change: connector.Credentials{"key": " \n"},
			want: []apperr.Detail{{Path: "credentials.key", Message: "is required: the key"}}},
		{name: "one stand-in is missing", change: connector.Credentials{"token": "-", "id": "i"},
			want: []apperr.Detail{{Path: "credentials.token", Message: "is required (or id and secret in its place): the token"}}},
		{name: "pasted with a line end", change: connector.Credentials{"key": "k\n"},
			want: []apperr.Detail{{Path: "credentials.key", Message: "begins or ends with white space; copy it again without"}}},
		{name: "longest", change: connector.Credentials{"key": strings.Repeat("k", 8192)}},
		{name: "too long", change: connector.Credentials{"key": strings.Repeat("k", 8193)},
			want: []apperr.Detail{{Path: "credentials.key", Message: "is longer than 8192 bytes"}}},
		{name: "header", change: connector.Credentials{"header": "X-Hook-Sign"}},
		{name: "no header", change: connector.Credentials{"header": "X Hook:"},
			want: []apperr.Detail{{Path: "credentials.header", Message: "must be the name of an HTTP header, such as X-PrestaShop-Signature"}}},
		{name: "own address over http", change: connector.Credentials{"own": "http://here.test"}},
		{name: "shop over http", change: connector.Credentials{"url": "http://shop.test"},
			want: []apperr.Detail{{Path: "credentials.url", Message: "must begin with https://"}}},
		{name: "shop over http in development", change: connector.Credentials{"url": "http://shop.test"}, dev: true},
		{name: "base over https", change: connector.Credentials{"baseUrl": "HTTPS://api.sandbox.example"}},
		{name: "base over http", change: connector.Credentials{"baseUrl": "http://127.0.0.1:8080"},
			want: []apperr.Detail{{Path: "credentials.baseUrl", Message: "must begin with https://"}}},
		{name: "base over http in development", change: connector.Credentials{"baseUrl": "http://127.0.0.1:8080"}, dev: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			credentials := connector.Credentials{}
			for name, value := range good {
				credentials[name] = value
			}
			for name, value := range c.change {
				if credentials[name] = value; value == "-" {
					delete(credentials, name)
				}
			}
			if diff := cmp.Diff(c.want, p.Check(credentials, c.dev)); diff != "" {
				t.Errorf("faults (- want, + got):\n%s", diff)
			}
		})
	}
}

func TestCheckAddress(t *testing.T) {
	p := connector.Profile{Platform: "P"}
	for _, value := range []string{
		"shop.example", "//shop.example", "ftp://shop.example", "https://", "https://:443", "https://user:pw@shop.example",
		"https://shop.example/#top", "https://shop.example/%zz", "javascript:alert(1)", "https:shop.example",
	} {
		if faults := p.Check(connector.Credentials{"baseUrl": value}, true); len(faults) != 1 {
			t.Errorf("%q passes as an address", value)
		}
	}
}

func TestValue(t *testing.T) {
	ch := connector.Channel{
		Credentials: connector.Credentials{"a": "credential", "b": ""},
		Settings:    map[string]string{"a": "setting", "b": "setting"},
	}
	for name, want := range map[string]string{"a": "credential", "b": "setting", "c": ""} {
		if got := ch.Value(name); got != want {
			t.Errorf("Value(%s) = %q, want %q", name, got, want)
		}
	}
}

// What names the shop is compared wherever it is given; secrets and the spelling with a slash at the end make no other shop of it.
func TestSameShop(t *testing.T) {
	p := connector.Profile{Platform: "P", Fields: []connector.Field{{Name: "url", Shop: true}, {Name: "key", Form: connector.Secret}}}
	channel := func(url, key, base string) connector.Channel {
		return connector.Channel{Credentials: connector.Credentials{"url": url, "key": key}, Settings: map[string]string{"baseUrl": base}}
	}
	at := channel("https://a.example", "1", "")
	for other, want := range map[*connector.Channel]bool{
		new(channel("https://a.example/", "2", "")): true, new(channel("https://b.example", "1", "")): false,
		new(channel("https://a.example", "1", "https://sandbox.example")): false,
	} {
		if got := p.SameShop(at, *other); got != want {
			t.Errorf("%+v: %v, not %v", *other, got, want)
		}
	}
}
