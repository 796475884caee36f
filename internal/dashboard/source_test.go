package dashboard

import (
	"html/template"
	"io/fs"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"entrepot/internal/api/reference"
)

// The layout of a template is no part of its page, and errors name the lines of the file.
func TestLayoutOfTemplates(t *testing.T) {
	for source, want := range map[string]string{
		"<ul>\n\t<li>\n\t\t{{.}}\n\t</li>\n</ul>":                                      "<ul><li>x</li>\n</ul>",
		"<p>\n\tone two\n\tthree {{.}}\n\tfour\n\t <b>five</b>, {{.}}\n\t {{.}}</p>":   "<p>one two three xfour <b>five</b>, x x</p>",
		"<a class=\"c\"\n\t\thref=\"/\"\n\t\t{{if .}}download{{end}}>\n\tx\n\t</a>":    `<a class="c" href="/"download>x</a>`,
		"<pre>\na\nb {{.}}\nc</pre>":                                                   "<pre>\na\nb x\nc</pre>",
		"{{/* a\n\tcomment\n\tof three */}}<i>\n\t</i>":                                "<i></i>",
		"{{define \"part\"}}\n\t<b>{{.}}</b>\n{{end}}\n<p>{{template \"part\" .}}</p>": "\n<p><b>x</b></p>",
		"<td>\n\t\t\t<bdi>{{.}}</bdi>\n\t\t\t{{with .}} <i>{{.}}</i>{{end}}\n</td>":    "<td><bdi>x</bdi> <i>x</i>\n</td>",
		"":           "",
		"a\n\t\n\tb": "ab",
	} {
		page, err := template.New("").Parse(joined(source))
		var out strings.Builder
		if err == nil {
			err = page.Execute(&out, "x")
		}
		if err != nil || out.String() != want {
			t.Errorf("%q makes %q, %v, want %q", source, &out, err, want)
		}
	}
	_, err := template.New("list").Parse(joined("<ul>\n\t<li>\n\t\tone\n\t</li>\n\t{{if}}\n</ul>"))
	if err == nil || !strings.Contains(err.Error(), "list:5") {
		t.Errorf("the error of line 5 is %v", err)
	}
}

// Nothing of the look is said twice: no eight lines of the stylesheet stand in it again.
func TestStylesheetSaysThingsOnce(t *testing.T) {
	content, err := fs.ReadFile(embedded, "static/dash.css")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); line != "" && line != "}" {
			lines = append(lines, line)
		}
	}
	const run = 8
	seen := map[string]bool{}
	for i := 0; i+run <= len(lines); i++ {
		piece := strings.Join(lines[i:i+run], "\n")
		if seen[piece] {
			t.Errorf("these lines are there twice:\n%s", piece)
			break
		}
		seen[piece] = true
	}
	if len(seen) < 500 {
		t.Errorf("%d pieces were looked at", len(seen))
	}
}

// The API reference has the colours and fonts of the dashboard, which are said once.
func TestReferenceHasTheTokens(t *testing.T) {
	w := httptest.NewRecorder()
	reference.Handler(func() []byte { return nil }, nil, Tokens()).ServeHTTP(w, httptest.NewRequest("GET", "/docs/style.css", nil))
	look := w.Body.String()
	used := regexp.MustCompile(`var\((--[a-z0-9-]+)`).FindAllStringSubmatch(look, -1)
	for _, name := range used {
		if strings.Count(look, name[1]+": ") == 0 {
			t.Errorf("the page has no %s", name[1])
		}
	}
	if len(used) < 20 || strings.Count(look, "--accent: ") != 1 || strings.Count(look, "{") != strings.Count(look, "}") {
		t.Errorf("%d tokens are used; %.200s", len(used), look)
	}
}
