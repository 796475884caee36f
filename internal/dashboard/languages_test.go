package dashboard

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/connector/all"
	"entrepot/internal/dashboard/texts"
)

// isText is what a string of the code looks like that people read.
var isText = regexp.MustCompile(`^[“]?[A-Z][a-z]+|[A-Za-z%s]{2,}[,:;.]? [a-zA-Z%(]`)

// unread are functions and members whose strings nobody reads on a page.
var unread = regexp.MustCompile(`(^|\.)(panic|New|Errorf|Error|Info|Warn|Debug|Fprintf|MustCompile|MustParse|Format|Moment|write|Get|Set|Has|Add|Del|Parse|` +
	`ParseInLocation|At|AddError|Later|Missing|refusal|Refused|Cut|CutPrefix|TrimPrefix|HasPrefix|NewReplacer|Record|Write|WriteString|asset|Layout)$`)

// textsOfCode are the strings of the package that people read, sorted.
func textsOfCode(t *testing.T) []string {
	found := map[string]bool{}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		files := gotoken.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool { return addTexts(n, found) })
	}
	return slices.Sorted(maps.Keys(found))
}

// addTexts adds the texts of a node; it reports whether those of what is in it are to be found.
func addTexts(n ast.Node, found map[string]bool) bool {
	switch n := n.(type) {
	case *ast.ImportSpec, *ast.IndexExpr:
		return false
	case *ast.Field:
		return n.Tag == nil
	case *ast.CaseClause:
		for _, statement := range n.Body {
			ast.Inspect(statement, func(n ast.Node) bool { return addTexts(n, found) })
		}
		return false
	case *ast.BinaryExpr:
		if text := stringOf(n); text != "" {
			if isText.MatchString(text) {
				found[text] = true
			}
			return false
		}
		return n.Op == gotoken.ADD
	case *ast.KeyValueExpr:
		ast.Inspect(n.Value, func(n ast.Node) bool { return addTexts(n, found) })
		return false
	case *ast.CallExpr:
		name := calledName(n)
		if name == "plural" || name == "countFigure" {
			last := len(n.Args)
			one, many := stringOf(n.Args[last-2]), stringOf(n.Args[last-1])
			if one != "" {
				found[one+"|"+many] = true
			}
			return false
		}
		return !unread.MatchString(name)
	case *ast.BasicLit:
		if text := stringOf(n); isText.MatchString(text) {
			found[text] = true
		}
	}
	return true
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// stringOf is the value of a string, or of several that are added, "" for anything else.
func stringOf(n ast.Expr) string {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind == gotoken.STRING {
			text, _ := strconv.Unquote(n.Value)
			return text
		}
	case *ast.BinaryExpr:
		left, right := stringOf(n.X), stringOf(n.Y)
		if n.Op == gotoken.ADD && left != "" && right != "" {
			return left + right
		}
	}
	return ""
}

// textsOfTemplates are the texts of all templates, sorted.
func textsOfTemplates(t *testing.T) []string {
	found := map[string]bool{}
	files := newFiles(false)
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		source, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts.Runs(joined(string(source))) {
			found[text] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// messagesOfRules are the formats of the messages of errors, in all packages of the service, and what pages say
// instead of some of them.
func messagesOfRules(t *testing.T) []string {
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if at, ok := messageArguments[calledName(n)]; ok && len(n.Args) > at {
					found[stringOf(n.Args[at])] = true
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Message" {
					found[stringOf(n.Value)] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range restatements {
		found[strings.ReplaceAll(r.words, "$2", "")] = true
	}
	maps.DeleteFunc(found, func(text string, _ bool) bool { return !strings.Contains(text, " ") })
	return slices.Sorted(maps.Keys(found))
}

// messageArguments are the functions that make errors, and which of their arguments is the message.
var messageArguments = map[string]int{"AddError": 1, "New": 2, "At": 1, "Later": 0, "refusal": 1}

// textsOfPlatforms are what the connectors say of their credentials and settings, sorted.
func textsOfPlatforms(t *testing.T) []string {
	found := map[string]bool{}
	connectors, err := all.Connectors(new(http.Client), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for _, platform := range channels.Platforms {
		known, ok := connectors.ByPlatform(platform)
		if !ok {
			continue
		}
		for _, f := range known.Profile().Known() {
			found[sentence(f.Note)], found[memberWords(f.Name)] = true, true
		}
		for _, s := range known.Profile().Settings {
			found[s.Label], found[s.Note], found[s.Default], found[sentence(s.Default)] = true, true, true, true
			for _, v := range s.Values {
				found[v.Words] = true
			}
		}
	}
	delete(found, "")
	return slices.Sorted(maps.Keys(found))
}

func TestDump(t *testing.T) {
	for _, x := range textsOfTemplates(t) {
		t.Log("T\t" + x)
	}
	for _, x := range textsOfPlatforms(t) {
		t.Log("P\t" + strconv.Quote(x))
	}
	for _, x := range messagesOfRules(t) {
		t.Log("R\t" + strconv.Quote(x))
	}
	for _, x := range textsOfCode(t) {
		t.Log("G\t" + strconv.Quote(x))
	}
}
