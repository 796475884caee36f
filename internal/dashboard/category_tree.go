package dashboard

import (
	"cmp"
	"slices"
	"strconv"

	"golang.org/x/text/collate"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
)

// maxTree is how many categories are shown as a tree; if there are more, the list shows those that are searched for.
// A tree of more than wholeTree is folded (decision 19), and has so many rows on a page. maxDepth limits the
// indentation.
const (
	maxTree   = 1000
	wholeTree = mostInSelect
	maxDepth  = 6
)

// opened is the parameter of the list's address for the branch that is open, with those above it.
const opened = "open"

// branchOf is a category with its position in the tree.
type branchOf struct {
	catalog.Category
	depth int
	below int  // categories directly below it
	open  bool // these are shown
}

// treeOf puts categories in the order of their tree, each level by name.
func treeOf(list []catalog.Category, names *collate.Collator) []branchOf {
	children := map[id.Category][]catalog.Category{}
	known := map[id.Category]bool{}
	for _, c := range list {
		known[c.ID] = true
	}
	for _, c := range list {
		up := c.Parent
		if !known[up] {
			up = ""
		}
		children[up] = append(children[up], c)
	}
	var tree []branchOf
	var grow func(up id.Category, depth int)
	grow = func(up id.Category, depth int) {
		slices.SortFunc(children[up], func(a, b catalog.Category) int {
			return cmp.Or(names.CompareString(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
		})
		for _, c := range children[up] {
			tree = append(tree, branchOf{c, depth, len(children[c.ID]), true})
			grow(c.ID, depth+1)
		}
	}
	grow("", 0)
	return tree
}

// fold leaves out of a large tree the branches that are neither this one nor above it.
func (p *categoryPage) fold(at id.Category) {
	if p.folded = len(p.tree) > wholeTree; !p.folded {
		return
	}
	if at != "" {
		p.list.values.Set(opened, string(at))
	}
	open := map[id.Category]bool{}
	for up, ok := p.above[at]; ok && !open[up.ID]; up, ok = p.above[up.Parent] {
		open[up.ID] = true
	}
	var shown []branchOf
	for _, b := range p.tree {
		if b.depth == 0 || open[b.Parent] {
			b.open = open[b.ID]
			shown = append(shown, b)
		}
	}
	p.tree, p.lines = nil, len(shown)
	place := slices.IndexFunc(shown, func(b branchOf) bool { return b.ID == at })
	if p.list.size = wholeTree; place >= 0 && !p.list.given.Has("page") {
		p.list.page = place/wholeTree + 1
	}
	if from := p.list.offset(); from < len(shown) {
		p.tree = shown[from:min(from+wholeTree, len(shown))]
	}
}

// twist opens or closes a branch of a folded tree.
type twist struct {
	To, Label string
	Open      bool
}

// twistOf is the link that opens or closes a branch; nil for one that has nothing below it.
func (p categoryPage) twistOf(b branchOf, f format) *twist {
	here := "#t-" + string(b.ID) // where the cursor is then
	switch {
	case b.below == 0:
		return nil
	case b.open && b.depth == 0:
		return &twist{To: p.list.with(opened, "", "page", strconv.Itoa(p.list.page)) + here, Label: f.say("Close %s", b.Name), Open: true}
	case b.open:
		return &twist{To: p.list.with(opened, string(b.Parent)) + here, Label: f.say("Close %s", b.Name), Open: true}
	}
	return &twist{To: p.list.with(opened, string(b.ID)) + here,
		Label: f.say("Open %s, %s below it", b.Name, f.plural(int64(b.below), "category", "categories"))}
}
