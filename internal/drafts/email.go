package drafts

import (
	"net/mail"
	"strings"

	"entrepot/internal/apijson"
	"entrepot/internal/limits"
	"entrepot/internal/patch"
)

// readEmail reads an e-mail address.
func readEmail(o *apijson.Object, name string, rule apijson.Text) patch.Field[string] {
	rule.Max, rule.Format = limits.MaxEmail, "email"
	f := o.Text(name, rule)
	if f.Given() && !o.Describing() && f.Value != "" && !validEmail(f.Value) {
		o.AddError(name, "must be an e-mail address such as ada@example.com")
	}
	return f
}

// validEmail reports whether text is a bare address: local@domain.tld, no display name, no quotes, at most 254 characters.
func validEmail(text string) bool {
	local, domain, ok := strings.Cut(text, "@")
	if !ok || local == "" || len(local) > 64 || len(text) > limits.MaxEmail || strings.ContainsAny(text, " \t\r\n\"(),:;<>[]\\") {
		return false
	}
	if !strings.Contains(domain, ".") || strings.HasPrefix(domain, ".") || strings.HasSuffix(domain, ".") || strings.Contains(domain, "..") {
		return false
	}
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text
}
