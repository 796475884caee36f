package main

import (
	"os/exec"
	"strings"
	"testing"
)

// The manual page names every command and setting, and is a page that man can show.
func TestManual(t *testing.T) {
	p := &program{t: t}
	code, page, complaint := p.call("man")
	if code != done {
		t.Fatalf("exit %d: %s", code, complaint)
	}
	words := []string{"entrepot serve", "entrepot key create", "entrepot completion bash", "entrepot backup FILE", "entrepot backup check", "Default: :8080.", "EXIT STATUS"}
	for _, s := range settings {
		words = append(words, variable(s.name))
	}
	plain := strings.ReplaceAll(page, `\-`, "-")
	for _, word := range words {
		if !strings.Contains(plain, word) {
			t.Errorf("the page does not contain %q", word)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed: whether man shows the page without warnings is not checked")
	}
	show := exec.Command(groff, "-man", "-Tutf8", "-ww", "-K", "utf8")
	show.Stdin = strings.NewReader(page)
	var shown, warnings strings.Builder
	show.Stdout, show.Stderr = &shown, &warnings
	if err := show.Run(); err != nil || warnings.Len() > 0 || !strings.Contains(shown.String(), "called wrongly") {
		t.Errorf("%v\n%.2000s", err, warnings.String())
	}
}
