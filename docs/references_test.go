package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// linesOf calls look with every line of the repository's files that have one of these endings.
func linesOf(t *testing.T, look func(path string, line int, text string), endings ...string) {
	t.Helper()
	for _, root := range []string{"../cmd", "../internal", "../test", "../examples", "../modules", "../docs", "../README.md",
		"../CONTRIBUTING.md", "../SECURITY.md", "../CHANGELOG.md"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains(endings, filepath.Ext(path)) {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for i, line := range strings.Split(string(text), "\n") {
				look(path, i+1, line)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// What code and documents refer to by a number is there: decisions, open points, sections of the interface.
func TestNumbersReferToSomething(t *testing.T) {
	decisions, points, sections := map[int]bool{}, map[int]bool{}, map[string]bool{}
	files, err := filepath.Glob("decisions/[0-9]*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		n, err := strconv.Atoi(filepath.Base(file)[:4])
		text, read := os.ReadFile(file)
		if err != nil || read != nil || !strings.HasPrefix(string(text), "# "+strconv.Itoa(n)+". ") {
			t.Errorf("%s does not begin with its number as a heading", file)
		}
		decisions[n] = true
	}
	point, section := regexp.MustCompile(`^\| (\d+) \|`), regexp.MustCompile(`^#+ (\d+(?:\.\d+)*)`)
	linesOf(t, func(path string, _ int, text string) {
		if m := point.FindStringSubmatch(text); m != nil && path == "../docs/open-points.md" {
			n, _ := strconv.Atoi(m[1])
			points[n] = true
		}
		if m := section.FindStringSubmatch(text); m != nil && path == "../docs/interface.md" {
			sections[m[1]] = true
		}
	}, ".md")
	if len(decisions) < 20 || len(points) < 60 || len(sections) < 40 {
		t.Fatalf("%d decisions, %d open points and %d sections were recognised", len(decisions), len(points), len(sections))
	}
	decision, open := regexp.MustCompile(`[Dd]ecision (\d+)`), regexp.MustCompile(`[Oo]pen point (\d+)`)
	of := regexp.MustCompile(`[Ii]nterface,? §(\d+(?:\.\d+)*)`)
	linesOf(t, func(path string, line int, text string) {
		for _, m := range decision.FindAllStringSubmatch(text, -1) {
			if n, _ := strconv.Atoi(m[1]); !decisions[n] {
				t.Errorf("%s:%d: there is no %s", path, line, m[0])
			}
		}
		for _, m := range open.FindAllStringSubmatch(text, -1) {
			if n, _ := strconv.Atoi(m[1]); !points[n] {
				t.Errorf("%s:%d: there is no %s", path, line, m[0])
			}
		}
		for _, m := range of.FindAllStringSubmatch(text, -1) {
			if !sections[m[1]] {
				t.Errorf("%s:%d: there is no section %s of the interface", path, line, m[1])
			}
		}
	}, ".go", ".sql", ".md", ".js", ".css", ".html", ".php")
}

// The list of decisions by subject has each of them once, by its number and title.
func TestDecisionsAreListedBySubject(t *testing.T) {
	list, err := os.ReadFile("decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("decisions/[0-9]*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no decisions: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		heading, _, _ := strings.Cut(string(text), "\n")
		number, title, _ := strings.Cut(strings.TrimPrefix(heading, "# "), ". ")
		line := "\n- " + number + ". [" + title + "](" + filepath.Base(file) + ")"
		if n := strings.Count(string(list), line); n != 1 {
			t.Errorf("the list has %d lines for decision %s, %q (%s)", n, number, title, filepath.Base(file))
		}
	}
}

// Every page, file and heading that a document links to is there.
func TestLinksReferToSomething(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)]*))?\)`)
	heading, other := regexp.MustCompile(`(?m)^#+ (.*)$`), regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	linesOf(t, func(path string, line int, text string) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target := path
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(path), m[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s:%d links to %s, which is not there", path, line, m[1])
				continue
			}
			if m[2] == "" {
				continue
			}
			page, err := os.ReadFile(target)
			if err != nil || !slices.ContainsFunc(heading.FindAllStringSubmatch(string(page), -1), func(h []string) bool {
				return strings.ReplaceAll(other.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-") == m[2]
			}) {
				t.Errorf("%s:%d links to the heading %s of %s, which is not there", path, line, m[2], target)
			}
		}
	}, ".md")
}
