package dashboard

import (
	"regexp"
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/orders"
)

// The messages of rules name members of requests and kinds of JSON, because they are the API's. This file says the
// same to people.

// sampleDecimal is the number that messages show; at an input it is written in the user's locale.
const sampleDecimal = "12.50"

// restatements are patterns of messages, and what pages say instead.
var restatements = []struct {
	pattern *regexp.Regexp
	words   string
}{
	{regexp.MustCompile(`must be an integer(, not .*)?( from|, |$)`), "must be a whole number$2"},
	{regexp.MustCompile(`must be a number or a decimal string, not .*`), "must be a number such as " + sampleDecimal},
	{regexp.MustCompile(`must be a decimal number$`), "must be a number such as " + sampleDecimal},
	{regexp.MustCompile(`must be a string or a number, not .*`), "must be text or a number"},
	{regexp.MustCompile(`must be a string, not .*`), "must be text"},
	{regexp.MustCompile(`must be true or false, not .*`), "must be true or false"},
	{regexp.MustCompile(`must be an array.*`), "must be a list"},
	{regexp.MustCompile(`must be an object.*`), "cannot be read"},
	{regexp.MustCompile(`must be a UUID`), "is not the id of a record"},
	{regexp.MustCompile(`must be a date \(2026-01-31\) or an ISO 8601 time \(.*\)`), "must be a date such as 2026-01-31"},
	{regexp.MustCompile(`must be an ISO 3166-1 (alpha-2 country|code of two letters) such as FR`),
		"must be a country's two letters, such as FR"},
	{regexp.MustCompile(`must be an ISO 4217 (code|currency) such as EUR`), "must be a currency's three letters, such as EUR"},
	{regexp.MustCompile(`must be valid UTF-8 without the character U\+0000|must not contain the character U\+0000`),
		"has characters that cannot be read"},
	{regexp.MustCompile(`must be a meta\.nextCursor of an earlier page`), "belongs to no page of this list"},
	{regexp.MustCompile(`must be at most 64 KiB of JSON`), "is too long"},
	{regexp.MustCompile(`must not be null`), "must not be empty"},
	{regexp.MustCompile(`11 integer digits`), "11 digits before the point"},
	{regexp.MustCompile(`must be (?:one of createdAt, total, orderNumber, updatedAt|name, sku, price, createdAt or updatedAt, with :asc or :desc behind it)`), "is nothing that the list is sorted by"},
	{regexp.MustCompile(`must be another warehouse than fromWarehouseCode`), "must be another warehouse than the one it comes from"},
}

// namedMembers are the members that messages mention by name.
var namedMembers = regexp.MustCompile(`\b(externalReference|externalId|currentPassword|warehouseCode|postalCode|sku)\b`)

// restated is a message in the words of pages.
func restated(message string) string {
	for _, r := range restatements {
		message = r.pattern.ReplaceAllString(message, r.words)
	}
	if list, ok := strings.CutPrefix(message, "must be one of "); ok {
		message = "must be one of " + withStatuses(list)
	}
	return namedMembers.ReplaceAllStringFunc(message, func(name string) string {
		if words := memberWords(name); words != "SKU" {
			return strings.ToLower(words)
		}
		return "SKU"
	})
}

// statusToken is the name of an order's status in messages.
var statusToken = regexp.MustCompile(`\b[A-Z]+(_[A-Z]+)*\b`)

// withStatuses replaces the names of statuses by the words of pages.
func withStatuses(message string) string {
	return statusToken.ReplaceAllStringFunc(message, func(name string) string {
		if words := statusWords[orders.Status(name)].Word; words != "" {
			return "“" + words + "”"
		}
		return name
	})
}

// said is an error as a sentence for people.
func said(e *apperr.Error) string {
	switch e.Code {
	case "transition_not_allowed":
		return whyNotMoved(e.Message)
	case "order_not_shippable", "shipment_locked", "order_not_editable":
		return sentence(withStatuses(e.Message))
	}
	if len(e.Details) == 0 {
		return sentence(restated(e.Message))
	}
	var parts []string
	for _, d := range e.Details {
		parts = append(parts, pathSaid(d))
	}
	return sentence(strings.Join(parts, "; "))
}

// saidOf is said of any error.
func saidOf(err error) string {
	if e, ok := apperr.As(err); ok {
		return said(e)
	}
	return sentence(err.Error())
}

// pathSaid is an error of a member for which the page has no input: the member in words, and the message.
func pathSaid(d apperr.Detail) string {
	var name []string
	for _, step := range steps(d.Path) {
		if n, err := strconv.Atoi(step); err == nil && len(name) > 0 {
			name[len(name)-1] += " " + strconv.Itoa(n+1)
		} else {
			name = append(name, memberWords(step))
		}
	}
	return about(strings.Join(name, ", "), restated(d.Message))
}
