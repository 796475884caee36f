package dashboard

import (
	"fmt"
	"go/ast"
	"go/parser"
	tokens "go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"entrepot/internal/base/apperr"
)

// programs are words that a merchant does not know: names of members, kinds of JSON, standards, statuses of the API.
var programs = regexp.MustCompile(`\b([a-z]+[A-Z]\w*|[A-Z]+_[A-Z]+|JSON|UUID|RFC|ISO|UTF-8|string|array|integer|boolean|null|body|scope)\b`)

// neverShown are beginnings of messages that no page receives, with the reason.
var neverShown = map[string]string{
	"the body":                   "pages send no JSON",
	"send JSON":                  "pages send no JSON",
	"send the body":              "pages send no JSON",
	"this Idempotency-Key":       "the key of a form contains its content",
	"the key was used":           "the key of a form contains its content",
	"this needs":                 "pages name the role",
	"the key would":              "users have every scope that they may give",
	"this would give":            "users have every scope that they may give",
	"the channel has no verific": "platforms call it",
}

// Every message of a rule that a page can show is a sentence in the words of pages: without names of members, kinds of JSON and statuses
// of the API.
func TestMessagesAreInWords(t *testing.T) {
	messages := 0
	for _, folder := range []string{"accounts", "apijson", "catalog", "channels", "commerce", "customers", "drafts", "idempotency", "imports",
		"jobs", "limits", "money", "orders", "regional", "segments", "stock", "views", "webhooks", "dashboard"} {
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(tokens.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			for _, message := range messagesOf(file) {
				messages++
				words := said(&apperr.Error{Message: message})
				if found := programs.FindString(words); found != "" && !isNeverShown(message) {
					t.Errorf("%s: %q is shown as %q, with %s", path, message, words, found)
				}
			}
			return nil
		})
		if err != nil && !strings.Contains(err.Error(), "no such file") {
			t.Fatal(err)
		}
	}
	if messages < 150 {
		t.Errorf("%d messages only are found", messages)
	}
}

func isNeverShown(message string) bool {
	for beginning := range neverShown {
		if strings.HasPrefix(message, beginning) {
			return true
		}
	}
	return false
}

// messagesOf are the texts that a file gives to the functions that make errors, and those of its checks, which begin with "must".
func messagesOf(file *ast.File) (list []string) {
	kinds := map[string]bool{"New": true, "At": true, "AddError": true, "refusal": true, "Errorf": true}
	add := func(e ast.Expr, all bool) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == tokens.STRING {
			text, err := strconv.Unquote(lit.Value)
			if err == nil && strings.Contains(text, " ") && (all || strings.HasPrefix(text, "must ")) {
				list = append(list, strings.ReplaceAll(text, "%s, not %s", "a string, not null"))
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := ""
			switch f := n.Fun.(type) {
			case *ast.SelectorExpr:
				name = f.Sel.Name
			case *ast.Ident:
				name = f.Name
			}
			if name == "MustCompile" {
				return false // a pattern is no message
			}
			for _, arg := range n.Args {
				add(arg, kinds[name])
			}
		case *ast.ReturnStmt:
			for _, result := range n.Results {
				add(result, false)
			}
		case *ast.ValueSpec:
			for _, value := range n.Values {
				add(value, false)
			}
		}
		return true
	})
	return list
}

// What the API says of kinds, members and statuses, pages say in words.
func TestSaid(t *testing.T) {
	for message, want := range map[string]string{
		"must be an integer, not a string":                                       "Must be a whole number",
		"must be an integer from 0 to 9":                                         "Must be a whole number from 0 to 9",
		"must be an integer, 1 or more":                                          "Must be a whole number, 1 or more",
		"must be a number or a decimal string, not a string":                     "Must be a number such as 12.50",
		"must be another warehouse than fromWarehouseCode":                       "Must be another warehouse than the one it comes from",
		"an order with the externalReference aB exists already":                  "An order with the external reference aB exists already",
		"must be one of PENDING, PARTIALLY_SHIPPED":                              "Must be one of “Pending”, “Partly shipped”",
		"must be a date (2026-01-31) or an ISO 8601 time (2026-01-31T12:00:00Z)": "Must be a date such as 2026-01-31",
		"not enough stock of PROCESSING, not an integer":                         "Not enough stock of PROCESSING, not an integer",
	} {
		if got := said(&apperr.Error{Message: message}); got != want {
			t.Errorf("%s: %q, not %q", message, got, want)
		}
	}
	for code, words := range map[string][2]string{
		"transition_not_allowed": {"an order cannot go from PENDING to DELIVERED", "Not shipped yet"},
		"order_not_shippable":    {"a PROCESSING order cannot be shipped", "A “Ready to ship” order cannot be shipped"},
		"shipment_locked": {"a shipment of a DELIVERED order cannot be deleted",
			"A shipment of a “Delivered” order cannot be deleted"},
	} {
		if got := said(&apperr.Error{Code: code, Message: words[0]}); got != words[1] {
			t.Errorf("%s: %q", code, got)
		}
	}
	for path, want := range map[string]string{"items[2].unitPrice": "Items 3, Unit price is required", "": "is required",
		"shippingAddress.country": "Shipping address, Country is required", "events[0]": "Events 1 is required"} {
		if got := pathSaid(apperr.Detail{Path: path, Message: "is required"}); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	if got := fmt.Sprint(said(apperr.At("createdAtGte", "must be a UUID"))); got != "Created at gte is not the id of a record" {
		t.Errorf("%s", got)
	}
}
