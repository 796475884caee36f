package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// statuses are those of the kinds of error (interface §7).
var statuses = map[string]string{"Invalid": "400", "Unauthorized": "401", "Forbidden": "403", "NotFound": "404", "Conflict": "409",
	"Precondition": "412", "TooLarge": "413", "Unsupported": "415", "Refused": "422", "TooMany": "429", "Unavailable": "503"}

// said are the codes of the program: of answers, each with its status ("" where only running it shows), and of bulk items.
type said struct {
	answers map[string]map[string]string // code → status → where
	items   map[string]string            // code → where
}

// TestErrorCodes holds errors.md against the source: every code that is said is in its tables, with its status, and every
// code of the tables is said somewhere.
func TestErrorCodes(t *testing.T) {
	page, err := os.ReadFile("errors.md")
	if err != nil {
		t.Fatal(err)
	}
	answers, items := map[string][]string{}, map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| ([0-9]{3}) \\| `([a-z_]+)` \\| (.*)$").FindAllStringSubmatch(string(page), -1) {
		answers[row[2]] = append(answers[row[2]], row[1])
		for _, other := range regexp.MustCompile(`\*\*([0-9]{3})\*\*`).FindAllStringSubmatch(row[3], -1) {
			answers[row[2]] = append(answers[row[2]], other[1])
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		items[row[1]] = true
	}
	if len(answers) < 20 || len(items) < 4 {
		t.Fatalf("the tables of errors.md were not recognised: %d codes of answers, %d of items", len(answers), len(items))
	}
	source := readCodes(t, "../internal")
	for code, byStatus := range source.answers {
		for status, where := range byStatus {
			if answers[code] == nil || status != "" && !slices.Contains(answers[code], status) {
				t.Errorf("%s: errors.md does not have the code %s with status %s", where, code, status)
			}
		}
	}
	for code := range answers {
		if source.answers[code] == nil {
			t.Errorf("errors.md: nothing says the code %s", code)
		}
	}
	for code, where := range source.items {
		if !items[code] {
			t.Errorf("%s: errors.md does not have the item code %s", where, code)
		}
	}
	for code := range items {
		if source.items[code] == "" {
			t.Errorf("errors.md: nothing says the item code %s", code)
		}
	}
}

// readCodes goes through the sources below a folder, tests left out.
func readCodes(t *testing.T, root string) said {
	t.Helper()
	out := said{map[string]map[string]string{}, map[string]string{}}
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name := called(n.Fun, file.Name.Name); name == "apperr.New" && len(n.Args) > 1 {
					out.answer(t, n.Args[1], kindStatus(n.Args[0]), files.Position(n.Pos()).String())
				}
			case *ast.CompositeLit:
				switch called(n.Type, file.Name.Name) {
				case "apperr.Error":
					if code := field(n, "Code", 1); code != nil && (file.Name.Name != "apperr" || literal(code) != "") { // New itself is handed its code
						out.answer(t, code, "", files.Position(n.Pos()).String())
					}
				case "catalog.ItemError":
					out.item(t, field(n, "Code", 1), files.Position(n.Pos()).String())
				case "records.ItemError":
					out.item(t, field(n, "Code", 4), files.Position(n.Pos()).String())
				}
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if place, ok := to.(*ast.SelectorExpr); ok && place.Sel.Name == "Code" && i < len(n.Rhs) && literal(n.Rhs[i]) != "" {
						out.item(t, n.Rhs[i], files.Position(n.Pos()).String())
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (s said) answer(t *testing.T, code ast.Expr, status, where string) {
	text := literal(code)
	if text == "" {
		t.Errorf("%s: write the code out, so that it can be found", where)
		return
	}
	if s.answers[text] == nil {
		s.answers[text] = map[string]string{}
	}
	s.answers[text][status] = where
}

// item notes a bulk item's code; one that is handed on was noted where it was made.
func (s said) item(t *testing.T, code ast.Expr, where string) {
	if text := literal(code); text != "" {
		s.items[text] = where
	}
}

// called is "package.Name" of an expression, whether it is written with its package or inside of it.
func called(e ast.Expr, in string) string {
	switch e := e.(type) {
	case *ast.Ident:
		return in + "." + e.Name
	case *ast.SelectorExpr:
		if from, ok := e.X.(*ast.Ident); ok {
			return from.Name + "." + e.Sel.Name
		}
	}
	return ""
}

// kindStatus is the status of a kind written as error.Conflict, or "" for any other expression.
func kindStatus(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return statuses[e.Sel.Name]
	case *ast.Ident:
		return statuses[e.Name]
	}
	return ""
}

// field is a member of a literal, by name or by place; nil if it is not given.
func field(n *ast.CompositeLit, name string, place int) ast.Expr {
	for i, e := range n.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == name {
				return pair.Value
			}
		} else if i == place {
			return e
		}
	}
	return nil
}

func literal(e ast.Expr) string {
	if basic, ok := e.(*ast.BasicLit); ok && basic.Kind == token.STRING {
		text, _ := strconv.Unquote(basic.Value)
		return text
	}
	return ""
}
