package limits

import (
	"net/mail"
	"strings"
)

// BadEmail is the error of an e-mail address, "" for none: it must be local@domain.tld without a display name or
// quotes, and no longer than MaxEmail.
func BadEmail(text string) string {
	if _, domain, _ := strings.Cut(text, "@"); !strings.Contains(domain, ".") {
		return badEmail
	}
	return BadLogin(text)
}

// BadLogin is BadEmail for the address of a login, whose domain may be one name, such as localhost.
func BadLogin(text string) string {
	local, domain, ok := strings.Cut(text, "@")
	if !ok || local == "" || len(local) > 64 || len(text) > MaxEmail || strings.ContainsAny(text, " \t\r\n\"(),:;<>[]\\") {
		return badEmail
	}
	if domain == "" || strings.HasPrefix(domain, ".") || strings.HasSuffix(domain, ".") || strings.Contains(domain, "..") {
		return badEmail
	}
	if parsed, err := mail.ParseAddress(text); err != nil || parsed.Address != text {
		return badEmail
	}
	return ""
}

const badEmail = "must be an e-mail address such as ada@example.com"
