package api

import (
	"net/mail"
	"strings"
)

// validEmail reports whether text is a bare address: local@domain.tld, no display name, no quotes, at most 254 characters.
func validEmail(text string) bool {
	local, domain, ok := strings.Cut(text, "@")
	if !ok || local == "" || len(local) > 64 || len(text) > 254 || strings.ContainsAny(text, " \t\r\n\"(),:;<>[]\\") {
		return false
	}
	if !strings.Contains(domain, ".") || strings.HasPrefix(domain, ".") || strings.HasSuffix(domain, ".") || strings.Contains(domain, "..") {
		return false
	}
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text
}
