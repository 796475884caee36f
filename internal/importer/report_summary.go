package importer

// Counts are the results of an import; every data row of the file is counted in RowsStored or RowsRefused.
type Counts struct {
	RowsStored  int            `json:"rowsStored"`
	RowsRefused int            `json:"rowsRefused"`
	Stored      int            `json:"stored"`    // products or orders that are in the service now
	Created     int            `json:"created"`   //
	Updated     int            `json:"updated"`   // products sent that existed, changed or not
	Unchanged   int            `json:"unchanged"` // dry run with a service: products that are so already
	Existing    int            `json:"existing"`  // orders that were there already
	Moved       int            `json:"moved"`     // orders moved by a credit note
	Notes       int            `json:"notes"`
	Categories  int            `json:"categories"`             // created or updated before the products
	Missing     int            `json:"createdMissingProducts"` // before the orders
	Codes       map[string]int `json:"codes,omitempty"`        // lines of the report by code
	Jobs        []string       `json:"jobs,omitempty"`         // the last jobs that publish what was imported
}

// mostJobs are remembered.
const mostJobs = 20

// add counts a settled chunk.
func (c *Counts) add(out outcome) {
	for _, item := range out.chunk.items {
		c.RowsStored += item.rows
	}
	c.Created += out.created
	c.Updated += out.updated
	c.Unchanged += out.same
	c.Existing += out.existing
	c.Moved += out.moved
	c.Stored += out.created + out.updated + out.same + out.existing + out.moved + out.accepted
	if out.job != "" {
		c.Jobs = append(c.Jobs, out.job)
		c.Jobs = c.Jobs[max(0, len(c.Jobs)-mostJobs):]
	}
	for _, f := range out.chunk.faults {
		c.fault(f)
	}
	for _, f := range out.faults {
		c.fault(f)
		c.RowsStored -= f.Rows
	}
}

func (c *Counts) fault(f Fault) {
	if c.Codes == nil {
		c.Codes = map[string]int{}
	}
	c.Codes[f.Code]++
	c.RowsRefused += f.Rows
	if f.Level == Note {
		c.Notes++
	}
}

// Summary is the outcome of an import.
type Summary struct {
	Kind      Kind   `json:"kind"`
	File      string `json:"file"`
	SHA256    string `json:"sha256"`
	Format    string `json:"format"`
	Encoding  string `json:"encoding"`
	DryRun    bool   `json:"dryRun"`
	Resumed   bool   `json:"resumed"`
	Complete  bool   `json:"complete"` // the whole file is settled
	Rows      int    `json:"rows"`     // data rows of the file, blank ones not counted
	BlankRows int    `json:"blankRows"`
	Counts
	// columns that hold something, but nothing of a product or order
	NotImported []string `json:"notImported,omitempty"`
	Jumps       int      `json:"jumps,omitempty"`      // prices that change by more than half
	PriceJumps  []Jump   `json:"priceJumps,omitempty"` // the largest of them first, at most 1,000
	Requests    int64    `json:"requests"`
	Repeats     int64    `json:"repeatedRequests"`
}
