package importer

import (
	"context"
	"hash/maphash"

	"entrepot/internal/importer/client"
)

// piece is one product or order ready to be sent, or only errors. Its texts are valid during emit.
type piece struct {
	place
	body   []byte // JSON; nil when only the errors are reported
	item   string // SKU or external reference
	rows   int    // rows that are stored when the body is
	faults []Fault
	credit *creditPlan // orders only
}

// emit takes pieces in the order of the file.
type emit func(piece) error

// productMaker builds products from rows.
type productMaker struct {
	table     *table
	mapping   *mapping
	format    format
	imageBase string
	twice     string // what happens to rows with the same SKU
	sales     saleDates
	between   string // category separators; "" = those of the format
	nesting   string

	layout   layout // nil: each row is a product
	gather   *gather[*product]
	tree     *categoryTree
	seed     maphash.Seed
	skus     map[uint64]struct{} // SKUs handed out; about 20 bytes each
	left     map[uint64]int32    // objects in the API's shape, the last of a SKU to be taken: how many are still to come
	marked   []uint64            // those of the current product
	body     []byte
	exported bool             // they are products as the API shows them
	moved    *movedCategories // of another store, to which exported products belong; nil for none
	asIs     bool             // JSON objects in the API's own shape are passed on untouched
	rows     counter
}

// prepare maps the format's columns and headers with known names, after what the person mapped.
func (m *productMaker) prepare() error {
	if m.asIs {
		if m.twice == duplicatesMerge {
			return wrongCall("--duplicates merge is for rows with columns; the objects of this file are passed on as they are: use first or last")
		}
		return nil
	}
	if err := preset(m.mapping, m.table, m.format.columns); err != nil {
		return err
	}
	if m.format.more != nil {
		if err := preset(m.mapping, m.table, m.format.more(m.table.english)); err != nil {
			return err
		}
	}
	if m.format.layout != nil {
		m.layout = m.format.layout(m.table, m.mapping)
	} else {
		m.mapping.suggest(m.table.header)
		m.mapping.suggestAttributes(m.table.header)
		if parent := m.mapping.exact["parent"]; parent != nil {
			m.layout = &families{sku: m.mapping.exact["sku"], parent: parent}
		}
	}
	if m.layout == nil && m.mapping.exact["sku"] == nil {
		return demandSKU.missing(m.table, m.mapping)
	}
	if m.layout == nil && m.twice != duplicatesFirst {
		m.layout = &doubles{sku: m.mapping.exact["sku"]}
	}
	for _, d := range []demand{demandName, demandPrice} {
		if err := d.missing(m.table, m.mapping); err != nil {
			return err
		}
	}
	return nil
}

func (m *productMaker) newReader() *productReader {
	if m.tree == nil {
		between, nesting := m.format.between, m.format.nesting
		if m.between != "" {
			between = m.between
		}
		if m.nesting != "" {
			nesting = m.nesting
		}
		m.tree = newCategoryTree(between, nesting)
	}
	r := newProductReader(m.mapping, m.tree, m.imageBase)
	r.sales = m.sales
	if m.format.statuses != nil {
		r.statuses = m.format.statuses
	}
	return r
}

// survey reads the file as often as needed to know which rows belong together, and the categories.
func (m *productMaker) survey(ctx context.Context) error {
	if m.asIs {
		return m.surveyOwn(ctx)
	}
	reader := m.newReader()
	if m.format.learns {
		if err := eachRow(ctx, m.table, nil, func(r row) error {
			m.layout.learn(r.cells)
			return nil
		}); err != nil {
			return err
		}
	}
	categories := m.mapping.has("category", "categories")
	if m.layout == nil && !categories {
		return nil
	}
	m.gather = newGather[*product]()
	return eachRow(ctx, m.table, nil, func(r row) error {
		if m.layout != nil {
			m.gather.expect(m.layout.key(r.cells))
		}
		reader.scratch = reader.scratch[:0]
		reader.tree.of(reader.value(reader.categories, r.cells), false)
		reader.tree.of(reader.value(reader.category, r.cells), true)
		return nil
	})
}

// categories are what survey found, parents first.
func (m *productMaker) categories() []client.Category {
	switch {
	case m.moved != nil:
		return m.moved.list
	case m.tree == nil:
		return nil
	}
	return m.tree.list
}

// make reads the file and passes on every product in it.
func (m *productMaker) make(ctx context.Context, out emit) error {
	if m.left == nil {
		m.seed = maphash.MakeSeed()
	}
	m.skus = map[uint64]struct{}{}
	switch {
	case m.asIs:
		return m.passOn(ctx, out)
	case m.layout == nil:
		return m.oneByOne(ctx, out)
	}
	return m.assembled(ctx, out)
}

// oneByOne is the fast path: each row is a product, and nothing is remembered.
func (m *productMaker) oneByOne(ctx context.Context, out emit) error {
	reader := m.newReader()
	var p product
	var faults []Fault
	return eachRow(ctx, m.table, &m.rows, func(r row) error {
		at := place{r.number, r.line}
		if why := unreadable(m.table, r); why != "" {
			sku := string(reader.value(reader.sku, r.cells))
			return out(piece{place: at, item: sku, faults: []Fault{at.refused(sku, "", "unreadable_row", "%s", why)}})
		}
		faults = reader.read(r, &p, faults[:0])
		return m.send(&p, nil, p.complete(faults), out)
	})
}
