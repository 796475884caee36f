package records

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each record is written in one place: no name of one of these records is given to a record anywhere else.
func TestRecordsAreWrittenOnce(t *testing.T) {
	named := regexp.MustCompile(`w\.Record\((?:"(\w+)"|\w+\([^"]+"(\w+)", "(\w+)"\))`)
	owner := map[string]string{}
	names := func(file string) (list []string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			for _, name := range m[1:] {
				if name != "" {
					list = append(list, name)
				}
			}
		}
		return list
	}
	own, _ := filepath.Glob("*.go")
	for _, file := range own {
		for _, name := range names(file) {
			if owner[name] != "" {
				t.Errorf("%s is written in %s and again in %s", name, owner[name], file)
			}
			owner[name] = file
		}
	}
	if len(owner) < 40 {
		t.Fatalf("found only %d records: is the expression still right?", len(owner))
	}
	others, _ := filepath.Glob("../*/*.go")
	for _, file := range others {
		if strings.HasPrefix(file, "../records/") || strings.HasSuffix(file, "_test.go") || file == "../webhooks/event.go" {
			continue // an event is rendered where it is recorded: with its id, which is made there
		}
		for _, name := range names(file) {
			if owner[name] != "" {
				t.Errorf("%s writes %s, which is written in records/%s", file, name, owner[name])
			}
		}
	}
}

// Every event of the catalogue has a sample, which its page, the API description and test deliveries show.
func TestEveryEventHasASample(t *testing.T) {
	for _, k := range Catalogue() {
		if k.Sample == nil {
			t.Errorf("%s has no sample: add one to event_samples.go", k.Event)
		}
	}
}
