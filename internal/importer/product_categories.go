package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"entrepot/internal/importer/client"
)

// categoryTree collects the category paths of a file and gives each a stable externalId: the path
// itself, "Clothing > Shirts". The memory it takes grows with the number of distinct paths.
type categoryTree struct {
	between string              // signs, any of which separates two categories in one cell
	nesting string              // what separates the levels of a path
	known   map[string][]string // cell text -> externalIds of its categories
	ids     map[string]string   // path -> externalId
	list    []client.Category   // parents before children
}

func newCategoryTree(between, nesting string) *categoryTree {
	return &categoryTree{between: between, nesting: nesting, known: map[string][]string{}, ids: map[string]string{}}
}

// pathMark joins the levels of a path; longestID bounds an externalId made of it, in bytes.
const (
	pathMark  = " > "
	longestID = 120
)

// of returns the externalIds of the categories that a cell names. With one, the whole cell is one
// path (a line break still separates two); a JSON list is then the levels of the path.
func (t *categoryTree) of(cell []byte, one bool) []string {
	if len(cell) == 0 {
		return nil
	}
	if ids, ok := t.known[string(cell)]; ok {
		return ids
	}
	var ids []string
	text, between := string(cell), "\n"
	if !one {
		between += t.between + string(listMark)
	}
	for _, path := range splitUnescaped(text, between) {
		var levels []string
		for _, byList := range strings.Split(path, string(listMark)) {
			for level := range strings.SplitSeq(byList, t.nesting) {
				if level = strings.TrimSpace(level); level != "" {
					levels = append(levels, level)
				}
			}
		}
		if id := t.add(levels); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	t.known[text] = ids
	return ids
}

// add adds the category at the end of a path, and its ancestors.
func (t *categoryTree) add(levels []string) string {
	if len(levels) == 0 {
		return ""
	}
	path := strings.Join(levels, pathMark)
	if id, ok := t.ids[path]; ok {
		return id
	}
	category := client.Category{ExternalID: externalID(path), Name: levels[len(levels)-1]}
	if parent := t.add(levels[:len(levels)-1]); parent != "" {
		category.ParentExternalID = &parent
	}
	t.ids[path] = category.ExternalID
	t.list = append(t.list, category)
	return category.ExternalID
}

// externalID is the path, or, if that is too long, its beginning and a hash of the whole.
func externalID(path string) string {
	if len(path) <= longestID {
		return path
	}
	sum := sha256.Sum256([]byte(path))
	return strings.ToValidUTF8(path[:longestID-20], "") + "~" + hex.EncodeToString(sum[:8])
}

// splitUnescaped cuts at any of the separators; a backslash before one makes it part of the text.
func splitUnescaped(text, separators string) []string {
	var parts []string
	var part strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && strings.IndexByte(separators, text[i+1]) >= 0 && text[i+1] != '\n':
			i++
			part.WriteByte(text[i])
		case strings.IndexByte(separators, c) >= 0:
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(c)
		}
	}
	return append(parts, part.String())
}
