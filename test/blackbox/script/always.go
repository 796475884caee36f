package script

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"entrepot/test/blackbox/harness"
)

// leaks match internal details that no answer may show (interface §7).
var leaks = regexp.MustCompile(`(?i)SQLSTATE|sqlite|\bpgx\b|\bpq:|goroutine |/internal/|\.go:\d+|UNIQUE constraint|panic|/tmp/|nil pointer`)

var codeForm = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// Always lists what is wrong with an answer to any request: the one error shape, the headers of every answer, the one
// envelope, times in one form, and no internal details (interface §7, §8).
func Always(answer harness.Answer) []string {
	method, path, _ := strings.Cut(answer.Request, " ")
	path, _, _ = strings.Cut(path, "?")
	if !strings.HasPrefix(path, "/api/v1/") {
		return nil
	}
	var faults []string
	complain := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if answer.Header.Get("X-Request-Id") == "" {
		complain("header X-Request-Id is missing")
	}
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		if _, err := strconv.ParseInt(answer.Header.Get(name), 10, 64); err != nil {
			complain("header %s is %q, not a whole number", name, answer.Header.Get(name))
		}
	}
	if answer.Status == http.StatusNotModified {
		if len(answer.Body) > 0 {
			complain("a 304 has a body")
		}
		return faults
	}
	if found := leaks.Find(answer.Body); found != nil && answer.Status >= 400 {
		complain("the answer shows something of the inside: %q", found)
	}
	if method == http.MethodHead {
		return faults
	}
	if kind := answer.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		complain("Content-Type is %q", kind)
	}
	if answer.Status >= 400 {
		return append(faults, errorShape(answer)...)
	}
	if method == http.MethodGet && !strings.Contains(path, "/webhooks/platform/") && !strings.HasSuffix(path, "/openapi.json") {
		if !regexp.MustCompile(`^"[^"]+"$`).MatchString(answer.Header.Get("ETag")) {
			complain("ETag is %q, not a strong one", answer.Header.Get("ETag"))
		}
		if control := answer.Header.Get("Cache-Control"); control != "private, no-cache" {
			complain("Cache-Control is %q", control)
		}
	}
	if value, ok := answer.Value().(map[string]any); !ok {
		complain("the answer is no JSON object")
	} else {
		if _, wrapped := value["data"]; !wrapped && !bare(path) {
			complain("the answer has no \"data\"")
		}
		if !strings.HasSuffix(path, "/openapi.json") {
			faults = append(faults, times("", value)...)
		}
	}
	return faults
}

// bare says which answers are not wrapped in "data".
func bare(path string) bool {
	return strings.Contains(path, "/webhooks/platform/") || strings.HasSuffix(path, "/openapi.json") ||
		strings.HasSuffix(path, "/products/bulk-import")
}

// errorShape checks the one shape of every refusal (interface §7).
func errorShape(answer harness.Answer) []string {
	var faults []string
	want := map[string]any{"message": "<text>", "error": http.StatusText(answer.Status), "code": "<text>", "requestId": "<text>"}
	faults = append(faults, harness.MatchValue(want, answer.Value(), harness.Vars{})...)
	if answer.Count("statusCode") != int64(answer.Status) {
		faults = append(faults, fmt.Sprintf("statusCode in the body is not %d", answer.Status))
	}
	if code := answer.Text("code"); code != "" && !codeForm.MatchString(code) {
		faults = append(faults, fmt.Sprintf("code %q is not snake_case", code))
	}
	if id := answer.Header.Get("X-Request-Id"); id != answer.Text("requestId") {
		faults = append(faults, fmt.Sprintf("requestId in the body %q is not the header's %q", answer.Text("requestId"), id))
	}
	needs := map[int]string{401: "WWW-Authenticate", 405: "Allow", 429: "Retry-After", 503: "Retry-After"}
	if name := needs[answer.Status]; name != "" && answer.Header.Get(name) == "" {
		faults = append(faults, fmt.Sprintf("a %d without header %s", answer.Status, name))
	}
	if answer.Status >= 500 && answer.Status != 503 {
		faults = append(faults, "a 5xx")
	}
	return faults
}

var timeKey = regexp.MustCompile(`^(created|updated|started|completed|published|erased|lastLogin|lastUsed|expires|shipped|checked)At$`)

// times checks that every time under a well-known name has the one form of times out (milliseconds, UTC).
func times(path string, value any) []string {
	var faults []string
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			switch key {
			case "metadata", "paymentMetadata", "shippingAddress", "billingAddress", "settings", "sample", "responseBody":
				continue
			}
			if timeKey.MatchString(key) {
				faults = append(faults, harness.MatchValue(map[string]any{key: "<maybe time>"}, map[string]any{key: inner}, harness.Vars{})...)
				continue
			}
			faults = append(faults, times(path+"."+key, inner)...)
		}
	case []any:
		for _, inner := range value {
			faults = append(faults, times(path, inner)...)
		}
	}
	return faults
}
