package verify

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"entrepot/internal/db"
)

// Finding is a personal text that an erasure has left.
type Finding struct {
	Where string // a table and column, or a file and offset
	What  string // the text found
}

// Proof is what was checked and what was found.
type Proof struct {
	Findings  []Finding
	Texts     int      // number of tables whose rows were read
	Files     int      // read byte by byte
	Bytes     int64    // bytes of these files
	Left      []string // files that this process could not read
	Customers int      // erased records checked
	Orders    int      // of these customers
	Events    int
	Underway  int // erasures that have begun and not ended; their customers are not checked
	Pending   int // scrubs that are not done yet: bytes of erased data may still be in the files
}

// Clean reports whether nothing was found.
func (p *Proof) Clean() bool { return len(p.Findings) == 0 }

// maxPlaces limits how many positions of one text in one file are listed.
const maxPlaces = 5

// FindTexts searches for texts in every text of every table and in every byte of the store's files: rows, indexes,
// freed space and the write-ahead log.
func FindTexts(ctx context.Context, store *db.DB, p *Proof, texts ...string) error {
	finder := newFinder(texts...)
	seen := map[string]int{}
	err := store.Texts(ctx, func(table, column, text string) error {
		p.Texts++
		for _, found := range finder.In(text) {
			place := "table " + table + ", column " + column
			if seen[place+found]++; seen[place+found] <= 1 {
				p.Findings = append(p.Findings, Finding{place, found})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	left, err := store.Files(ctx, func(name string, content io.Reader) error {
		p.Files++
		counted := &counter{r: content}
		places := map[string][]string{}
		err := finder.Scan(counted, func(text string, offset int64) {
			places[text] = append(places[text], fmt.Sprint(offset))
		})
		p.Bytes += counted.n
		for _, text := range finder.texts {
			if list := places[text]; len(list) > 0 {
				more := ""
				if len(list) > maxPlaces {
					more = fmt.Sprintf(" and %d more", len(list)-maxPlaces)
				}
				where := "file " + name + " at byte " + strings.Join(list[:min(maxPlaces, len(list))], ", ") + more
				p.Findings = append(p.Findings, Finding{where, text})
			}
		}
		return err
	})
	p.Left = append(p.Left, left...)
	slices.Sort(p.Left)
	p.Left = slices.Compact(p.Left)
	return err
}

// counter counts the bytes read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}
