package sqlite

import (
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"entrepot/internal/db/engine"
	"entrepot/internal/db/groups"
)

// memory has the rows of keys that were looked up. They hold as long as the tables that they came from have the same version: until then,
// reading again would find the same rows (decision 2).
type memory = lru.Cache[keyName, remembered]

// Bounds of the memory: how many keys, the last used ones, and how many bytes of text in the rows of each; most have less than a tenth.
const (
	mostRemembered  = 16_384
	rememberedBytes = 4096
)

// keyName is a key of a Keyed, with the head of its statement.
type keyName struct {
	of   *engine.Keyed
	head [2]any
	key  any
}

// remembered are the rows of a key, and the version that their tables had before they were read.
type remembered struct {
	version engine.Version
	rows    [][]value
}

func newMemory() *memory {
	m, err := lru.New[keyName, remembered](mostRemembered)
	if err != nil {
		panic(err) // only a size below 1
	}
	return m
}

// recalled is what the memory knows of some pending reads, and what must be read.
type recalled struct {
	memory  *memory
	replies []*reply // to all of them; those of missing reads lack the rows that are missing
	missing []missing
}

// missing is a read for what the memory does not know.
type missing struct {
	*engine.Pending
	reply   *reply         // takes the rows
	keys    []keyName      // whose rows are to be remembered
	version engine.Version // that their tables have now
}

// recall looks for the rows of pending reads in the memory.
func (e *Engine) recall(pending []*engine.Pending) *recalled {
	r := &recalled{memory: e.memory, replies: make([]*reply, len(pending))}
	var at header
	known := false
	if slices.ContainsFunc(pending, isRemembered) {
		at, known = e.changes.header()
	}
	for i, p := range pending {
		m := missing{Pending: p, reply: new(reply)}
		r.replies[i] = m.reply
		if known && isRemembered(p) {
			m.version = e.changes.version(at, p.Keyed.Tables)
			if m.keys = r.find(keysOf(p), m.version, m.reply); len(m.keys) == 0 {
				continue
			}
			m.Pending = readOf(p, m.keys)
		}
		r.missing = append(r.missing, m)
	}
	return r
}

func isRemembered(p *engine.Pending) bool {
	return p.Keyed != nil && len(p.Keyed.Tables) > 0 && p.Keyed.Head <= len(keyName{}.head)
}

// keysOf names the keys of a read, each once.
func keysOf(p *engine.Pending) (names []keyName) {
	name := keyName{of: p.Keyed}
	for i, a := range p.Args[:p.Keyed.Head] {
		name.head[i] = groups.PlainValue(a)
	}
	for _, a := range p.Args[p.Keyed.Head:] {
		name.key = groups.PlainValue(a)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// find adds the rows of known keys to a reply and returns the keys that are not known.
func (r *recalled) find(keys []keyName, at engine.Version, to *reply) (unknown []keyName) {
	for _, k := range keys {
		if of, known := r.memory.Get(k); known && of.version == at {
			to.rows = append(to.rows, of.rows...)
		} else {
			unknown = append(unknown, k)
		}
	}
	return unknown
}

// readOf is the read of some keys of another one.
func readOf(p *engine.Pending, keys []keyName) *engine.Pending {
	args := slices.Clone(p.Args[:p.Keyed.Head])
	for _, k := range engine.Padded(keys) {
		args = append(args, k.key)
	}
	return &engine.Pending{SQL: p.Keyed.Text(len(args) - p.Keyed.Head), Args: args, Keyed: p.Keyed}
}

// reads are the reads for what is missing.
func (r *recalled) reads() (pending []*engine.Pending) {
	for _, m := range r.missing {
		pending = append(pending, m.Pending)
	}
	return pending
}

// learn takes the replies to the missing reads, and remembers their rows. That a key has none is remembered for tenants only: otherwise
// a stranger who tries API keys would fill the memory.
func (r *recalled) learn(read []*reply) {
	for i, m := range r.missing {
		m.reply.rows = append(m.reply.rows, read[i].rows...)
		for _, k := range m.keys {
			of := remembered{version: m.version, rows: read[i].of(k)}
			if textOf(of.rows) <= rememberedBytes && (len(of.rows) > 0 || k.of.Head > 0) {
				r.memory.Add(k, of)
			}
		}
	}
}

// of are the rows of one key.
func (r *reply) of(k keyName) (rows [][]value) {
	for _, row := range r.rows {
		if k.key == any(row[k.of.Column].text) {
			rows = append(rows, row)
		}
	}
	return rows
}

// textOf is how many bytes of text rows have.
func textOf(rows [][]value) (bytes int) {
	for _, row := range rows {
		for _, v := range row {
			bytes += len(v.text)
		}
	}
	return bytes
}
