package blackbox

import (
	"bufio"
	"os"
	"sort"
	"strings"
	"testing"

	"entrepot/test/blackbox/script"
)

// TestIndex holds the scripts and the cases in Go against the list of clauses: a clause without a case and a
// case with an unknown clause both fail. It prints how many cases each section of the interface has.
func TestIndex(t *testing.T) {
	clauses := readClauses(t)
	cases := map[string]int{}
	count := func(where string, named []string, n int) {
		for _, clause := range named {
			if _, known := clauses[clause]; !known {
				t.Errorf("%s names clause %q, which is not in clauses.txt", where, clause)
			}
			cases[clause] += n
		}
	}
	scripts, err := script.Load("scripts")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, s := range scripts {
		for _, c := range s.Cases {
			count(s.Name+": "+c.Title, c.Clauses, c.Count())
			total += c.Count()
		}
	}
	for _, c := range goCases {
		count(c.name, c.clauses, 1)
		total++
	}
	sections := map[string]int{}
	var names []string
	for clause := range clauses {
		section, _, _ := strings.Cut(clause, "-")
		if _, seen := sections[section]; !seen {
			names = append(names, section)
		}
		sections[section] += cases[clause]
		if cases[clause] == 0 {
			t.Errorf("clause %s has no case: %s", clause, clauses[clause])
		}
	}
	sort.Strings(names)
	for _, section := range names {
		t.Logf("§%-4s %4d cases", section, sections[section])
	}
	t.Logf("%d clauses, %d cases on each engine (one case may prove several clauses)", len(clauses), total)
}

func readClauses(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.Open("clauses.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	clauses := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, sentence, _ := strings.Cut(line, " ")
		if _, twice := clauses[id]; twice {
			t.Errorf("clause %s is listed twice", id)
		}
		clauses[id] = strings.TrimSpace(sentence)
	}
	return clauses
}
