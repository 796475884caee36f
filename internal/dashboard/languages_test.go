package dashboard

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"html"
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

	"entrepot/internal/accounts"
	"entrepot/internal/channels"
	"entrepot/internal/connector/all"
	"entrepot/internal/dashboard/texts"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/webhooks"
)

// isText is what a string of the code looks like that people read.
var isText = regexp.MustCompile(`^[“]?[A-Z]-?[a-z]+|[A-Za-z%s]{2,}[,:;.]? [a-zA-Z%(]`)

// saidMembers are members of views whose words are texts, also one that stands alone in lower case.
var saidMembers = []string{"Label", "Hint", "Words", "Word", "Text", "Head", "Placeholder", "From"}

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
		if name != "parts_page.go" { // shows parts to developers
			ast.Inspect(parsed(t, name), func(n ast.Node) bool { return addTexts(n, found) })
		}
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
		if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(saidMembers, key.Name) && hasWord.MatchString(stringOf(n.Value)) {
			found[stringOf(n.Value)] = true
		}
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
		if name == "listing" && len(n.Args) > 2 {
			found[stringOf(n.Args[1])+"|"+stringOf(n.Args[2])] = true
			return false
		}
		if name == "listingOf" && len(n.Args) > 3 {
			found[stringOf(n.Args[2])+"|"+stringOf(n.Args[3])] = true
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
		if name == "templates/parts_page.html" {
			continue
		}
		source, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts.Runs(joined(string(source))) {
			found[text] = true
		}
		for _, action := range regexp.MustCompile(`\{\{.*?\}\}`).FindAllString(string(source), -1) {
			for _, text := range regexp.MustCompile(`"([A-Z][^"]*)"`).FindAllStringSubmatch(action, -1) {
				found[text[1]] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// eachFile calls look with each node of the code below a folder, without tests.
func eachFile(t *testing.T, folder string, look func(name string, n ast.Node)) {
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".go") {
			ast.Inspect(parsed(t, name), func(n ast.Node) bool { look(name, n); return true })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// parsed is a file of Go, without anything if it has tests or helps them.
func parsed(t *testing.T, name string) *ast.File {
	if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "test/") || strings.HasSuffix(name, "samples.go") || strings.Contains(name, "/fakeshop/") {
		return &ast.File{Name: ast.NewIdent("test")}
	}
	file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// messagesOfRules are the formats of the messages of errors, in all packages of the service, and what pages say
// instead of some of them.
func messagesOfRules(t *testing.T) []string {
	found := map[string]bool{}
	eachFile(t, "..", func(name string, n ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			at, ok := messageArguments[calledName(n)]
			if calledName(n) == "New" && len(n.Args) == 1 && saysWhatIsWrong.MatchString(name) { // package errors
				at = 0
			}
			if ok && len(n.Args) > at {
				if made, ok := n.Args[at].(*ast.CallExpr); ok && calledName(made) == "Sprintf" {
					n, at = made, 0
				}
				found[stringOf(n.Args[at])] = true
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Message" || key.Name == "Error") {
				found[stringOf(n.Value)] = true
			}
		}
	})
	for _, r := range restatements {
		found[strings.ReplaceAll(r.words, "$2", "")] = true
	}
	for _, text := range []string{ // these are put together
		"an order cannot go from %s to %s", "no order has this number or reference", "the catalog has no product %s",
		"%s: a comma begins the decimals", "%s: a point begins the decimals",
	} {
		found[text] = true
	}
	maps.DeleteFunc(found, func(text string, _ bool) bool { return !strings.Contains(text, " ") || !hasWord.MatchString(text) })
	return slices.Sorted(maps.Keys(found))
}

// saysWhatIsWrong are the packages whose plain errors say what is wrong with a file or a value.
var saysWhatIsWrong = regexp.MustCompile(`/(importer|workbook|money)/`)

// hasWord finds a word that is not a verb of a format.
var hasWord = regexp.MustCompile(`(^|[^%a-z])[a-z]{2}`)

// messageArguments are the functions that make errors, and which of their arguments is the message.
var messageArguments = map[string]int{"AddError": 1, "New": 2, "At": 1, "Later": 0, "refusal": 1, "refused": 3, "refuse": 3}

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

// otherTexts are what pages say of names that stand in the code of other packages: actions of the audit log, rights of
// API keys, and the names of dates.
func otherTexts(t *testing.T) []string {
	found := map[string]bool{}
	eachFile(t, "..", func(name string, n ast.Node) {
		if call, ok := n.(*ast.CallExpr); ok && calledName(call) == "Record" && len(call.Args) > 4 {
			if action := stringOf(call.Args[2]); action != "" {
				found[actionWords(action)] = true
			}
		}
	})
	for _, e := range webhooks.Kinds() {
		found[e.Name], found[e.Description] = true, true
	}
	for _, reason := range webhooks.Reasons {
		why := reason.Explain()
		found[why.What], found[why.Advice] = true, true
	}
	for _, kind := range fileKinds {
		found[kind.one+"|"+kind.many] = true
		for _, text := range []string{kind.row, kind.whole, kind.exports} {
			if text != "" {
				found[text] = true
			}
		}
	}
	for _, member := range changingMembers {
		found[changedWords(member)] = true
	}
	for _, role := range accounts.Roles {
		found[string(role)] = true
	}
	for _, platform := range channels.Platforms {
		found[channels.PlatformName(platform)] = true
	}
	for _, resource := range accounts.Resources {
		found["read "+resource], found["write "+resource] = true, true
	}
	for day := range 366 {
		for _, layout := range []string{"Jan", "January", "Mon", "Monday"} {
			found[time.Date(2026, 1, 1+day, 0, 0, 0, 0, time.UTC).Format(layout)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// changingMembers are the members of records whose changes the history shows.
var changingMembers = []string{"name", "description", "slug", "price", "compareAtPrice", "currency", "status", "images", "categoryIds", "attributes",
	"variants", "gtin", "weight", "cost", "taxClass", "countryOfOrigin", "publications", "email", "firstName", "lastName", "phone", "company", "type",
	"tags", "notes", "addresses", "vatIntracomNumber", "externalId"}

// notShown are strings of the code that look like texts, and that no language has; two of them are samples.
var notShown = regexp.MustCompile(`^@|; charset=|' -H '|^(Edg|OPR|Firefox|Chrome|Safari)/|^<!doctype|^https?:|^order not found$|answered 503$|^image/|^\.csv`)

// Every text of the pages, and every message of a rule, is in every language: with the same places for what stands in it, the same
// tags, and the same blanks at its ends. A language has nothing else.
func TestEveryTextIsInEveryLanguage(t *testing.T) {
	pages := slices.Concat(textsOfTemplates(t), textsOfCode(t), textsOfPlatforms(t), otherTexts(t))
	pages = slices.DeleteFunc(pages, func(text string) bool { return text == "|" || notShown.MatchString(text) })
	for _, l := range texts.Languages()[1:] {
		compareTexts(t, l.Code+".json", pages, l.Texts(), false)
		compareTexts(t, l.Code+".rules.json", slices.DeleteFunc(messagesOfRules(t), notShown.MatchString), l.Messages(), true)
	}
}

// places are the actions, verbs and tags of a text.
var places = regexp.MustCompile(`\{\{.*?\}\}|%%|%(?:\[\d\])?(?:\.\d)?[a-z]|</?[a-z]+>|#`)

// compareTexts compares what a file has with the texts that it must have. Verbs of rules are all %s in it.
func compareTexts(t *testing.T, file string, want []string, has map[string]string, rules bool) {
	t.Helper()
	known := map[string]bool{}
	for _, text := range want {
		said, ok := has[text]
		if !known[text] && !ok {
			t.Errorf("%s lacks %q", file, text)
		}
		known[text] = true
		if !ok {
			continue
		}
		if a, b := placesOf(text, rules), placesOf(said, rules); !slices.Equal(a, b) {
			t.Errorf("%s: %q has %q, %q has %q", file, text, a, said, b)
		}
		if said == "" || blanks(text) != blanks(said) || strings.Count(text, "|") != strings.Count(said, "|") {
			t.Errorf("%s: %q is %q", file, text, said)
		}
	}
	for text := range has {
		if !known[text] {
			t.Errorf("%s has %q, which no page says", file, text)
		}
	}
}

func placesOf(text string, rules bool) []string {
	list := places.FindAllString(text, -1)
	for i, place := range list {
		if place[0] == '%' && place != "%%" {
			if list[i] = "%" + place[len(place)-1:]; rules {
				list[i] = "%s"
			}
		}
	}
	slices.Sort(list)
	return list
}

func blanks(text string) string {
	begin, end := "", ""
	if strings.HasPrefix(text, " ") {
		begin = " "
	}
	if strings.HasSuffix(text, " ") {
		end = " "
	}
	return begin + "|" + end
}

// englishWords are words of sentences that no other language of the pages has.
var englishWords = regexp.MustCompile(`(?i)\b(the|of|and|is|are|with|not|yet|from|this|your|you|which|that)\b`)

// leftAlone are elements that show names that people typed, codes, and what a shop or a receiver said.
var leftAlone = regexp.MustCompile(`(?s)<(bdi|code|pre|textarea|script)\b.*?</(bdi|code|pre|textarea|script)>|<(\w+)[^>]*\b(mono|hit|trim)\b[^>]*>[^<]*</`)

// typed are names and sentences of the sample data outside of the elements that are left alone.
var typed = regexp.MustCompile(`The (MUG|TEA)|The bell is broken\.`)

// A page is in one language: with that of a user, none has a sentence in English, but for what is not the page's own.
func TestPagesAreInOneLanguage(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.as(s.owner)
	for _, l := range texts.Languages()[1:] {
		s.shopper(t).call("PATCH", "/users/"+string(s.owner.ID), map[string]any{"language": l.Code})
		for _, path := range s.pages() {
			if path == "/login" || path == "/_parts" {
				continue // nobody's, and for developers
			}
			out := b.get(path)
			if out.status != 200 {
				continue // it leads elsewhere
			}
			if !strings.Contains(out.body, `<html lang="`+l.Code+`">`) {
				t.Errorf("%s is not in %s", path, l.Code)
			}
			for _, text := range regexp.MustCompile(`>([^<]+)<`).FindAllStringSubmatch(leftAlone.ReplaceAllString(out.body, "<x><"), -1) {
				if words := typed.ReplaceAllString(html.UnescapeString(text[1]), ""); len(englishWords.FindAllString(words, -1)) > 0 {
					t.Errorf("%s in %s: %q", path, l.Code, words)
				}
			}
		}
	}
}

// The language is the user's, else the browser's, also before anybody has logged in; numbers and dates follow it.
func TestLanguageOfAPage(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	heads := func(language, want string) {
		t.Helper()
		if page := b.get("/orders"); !strings.Contains(page.body, `lang="`+language+`"`) || !strings.Contains(page.body, ">"+want+"</h1>") {
			t.Errorf("not in %s: %.300s", language, page.words())
		}
	}
	heads("en", "Orders")
	b.header.Set("Accept-Language", "fr-CA,fr;q=0.8,en;q=0.5")
	heads("fr", "Commandes")
	out := b.sendForm(t, b.get("/settings/me"), "/settings/me/preferences", "language", "de")
	if out.status != 303 {
		t.Fatalf("%d %s", out.status, out.words())
	}
	heads("de", "Bestellungen")
	visitor := s.browser()
	visitor.header.Set("Accept-Language", "de-AT")
	if page := visitor.get("/login"); !strings.Contains(page.body, `lang="de"`) || !strings.Contains(page.words(), "Anmelden") {
		t.Errorf("before the login: %s", page.words())
	}
	if out := b.sendForm(t, b.get("/products/new"), "/products/new", "name", ""); out.status != 422 || !strings.Contains(out.words(), "Ist erforderlich") {
		t.Errorf("a refused form: %d %s", out.status, out.words())
	}
}

// In German, whose words are the longest, no page is wider than the screen, and no button or head is cut.
func TestPagesFitInGerman(t *testing.T) {
	dbtest.Long(t, "a browser")
	s := newSite(t, "sqlite")
	s.seed()
	s.shopper(t).call("PATCH", "/users/"+string(s.owner.ID), map[string]any{"language": "de"})
	b := s.window(t, s.owner)
	for _, path := range s.pages() {
		b.look(320, "light")
		b.open(path)
		for _, width := range []int64{320, 390, 1000, 1440} {
			b.look(width, "light")
			if wide := eval[[]string](b, tooWide); len(wide) > 0 {
				t.Errorf("%s at %d px is too wide: %.300q", path, width, wide)
			}
			if cut := eval[[]string](b, cutTexts); len(cut) > 0 {
				t.Errorf("%s at %d px cuts %q", path, width, cut)
			}
		}
	}
}

// cutTexts are the texts of buttons, tabs, badges and heads that do not fit into their boxes.
const cutTexts = `[...document.querySelectorAll("main .btn, main .badge, main .views a, main h1, main h2, main th, main label")].filter(e =>
	e.checkVisibility() && e.clientWidth > 2 && e.scrollWidth > e.clientWidth + 1 && !e.querySelector(".cut")).map(e => e.innerText)`
