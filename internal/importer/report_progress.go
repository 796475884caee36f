package importer

// Progress is how far an import is. Totals are 0 where they are not known.
type Progress struct {
	Doing             string // the step before items are stored; "" while they are stored
	Rows, TotalRows   int    // of the file
	Items, TotalItems int    // products or orders settled, stored or not
	Bytes, TotalBytes int64  // of the file, compressed if it is
}

func (r *importRun) reportProgress(settled *chunk) {
	if r.Progress == nil {
		return
	}
	p := Progress{
		Rows: r.state.NextRow - 1, TotalRows: r.seen.rows, Items: settled.pieces,
		Bytes: min(settled.fileRead, r.source.size), TotalBytes: r.source.size,
	}
	if m, ok := r.maker.(*orderMaker); ok && m.gather != nil {
		p.TotalItems = max(len(m.gather.expected), p.Items)
	}
	r.Progress(p)
}

// doing reports a step before the first item is stored.
func (r *importRun) doing(what string) {
	if r.Progress != nil {
		r.Progress(Progress{Doing: what, TotalRows: r.seen.rows, TotalBytes: r.source.size})
	}
}
