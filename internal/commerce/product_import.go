package commerce

import (
	"slices"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/jobs"
	"entrepot/internal/webhooks"
)

// Import is a bulk import of products: the valid items, and those that were rejected when they were read.
type Import struct {
	Drafts          []catalog.Draft
	Errors          []ItemError
	Channel         id.Channel // also publish there; "" for nowhere
	ReplaceVariants bool
	DryRun          bool // everything is decided, nothing is written
	Part            bool // of a larger import, whose caller reports its end: it has no job of its own
}

// Imported is the outcome of an import.
type Imported struct {
	Job     id.Job // publishes, then reports the end of the import; "" in a dry run and for a part
	Created int
	Updated int // existing products, including unchanged ones
	Errors  []ItemError
	Changes []catalog.Change // of the applied items, in the order of the request
	Levels  [][]LevelChange  // in a dry run: the stock that each element of Changes would change
}

// LevelChange is a change of on-hand that a dry run shows.
type LevelChange struct {
	SKU, Warehouse string
	From           *int64 // nil if there is no level yet
	To             int64
}

// ImportPlan is an import after all decisions. It may be made on a snapshot: if the data it was made from has changed,
// Apply has the operation run again. A plan is applied once.
type ImportPlan struct {
	Imported
	channel  channels.Ref
	part     bool
	snapshot *snapshot
	events   []webhooks.Event
}

// ImportProducts is the bulk import of products.
func (s *Service) ImportProducts(who accounts.Caller, in Import) *Planned[*ImportPlan] {
	return &Planned[*ImportPlan]{decide: func(tx *db.Tx) (*ImportPlan, error) { return s.PlanImport(tx, who, in) }, hold: func(tx *db.Tx) {
		if in.Channel != "" {
			channels.Keep(tx, in.Channel)
		}
	}}
}

// PlanImport plans which products an import creates and updates, with their variants, categories and stock (interface
// §4.2). Rejected items do not affect the others. Errors: NotFound for a channel that the account does not have.
func (s *Service) PlanImport(tx *db.Tx, who accounts.Caller, in Import) (*ImportPlan, error) {
	p := &ImportPlan{part: in.Part, Imported: Imported{Errors: slices.Clone(in.Errors), Changes: make([]catalog.Change, 0, len(in.Drafts))}}
	var err error
	if in.Channel != "" {
		if p.channel, err = channels.ByRef(tx, in.Channel); err != nil {
			return nil, err
		}
	}
	if p.snapshot, err = readSnapshot(tx, who, in.Drafts); err != nil {
		return nil, err
	}
	for i := range in.Drafts {
		d := &in.Drafts[i]
		r, faults := p.snapshot.diff(d, in.ReplaceVariants)
		switch {
		case len(faults) > 0:
			p.Errors = append(p.Errors, joined(d.Index, d.SKU, faults))
			continue
		case r.IsNew():
			p.Created++
		default:
			p.Updated++
		}
		p.Changes = append(p.Changes, r)
		if in.DryRun {
			p.Levels = append(p.Levels, p.snapshot.levelChanges(d))
		}
	}
	sortErrors(p.Errors)
	p.events = productEvents(p.Changes, who)
	return p, nil
}

// Apply queues the plan's writes and events, and the job that publishes.
func (p *ImportPlan) Apply(tx *db.Tx, who accounts.Caller) (Imported, error) {
	if p.channel.ID != "" {
		channels.Keep(tx, p.channel.ID)
	}
	moved, err := p.snapshot.save(tx, who, p.Changes)
	if err != nil {
		return Imported{}, err
	}
	webhooks.Record(tx, append(p.events, moved...)...)
	published := publishImport(tx, p.channel, &p.Imported)
	if !p.part {
		p.Job = insertImportJob(tx, p.channel, &p.Imported, published)
	}
	return p.Imported, nil
}

// joined joins the errors of an item into one entry.
func joined(index int, key string, faults []catalog.ItemError) ItemError {
	texts := make([]string, len(faults))
	for i, f := range faults {
		texts[i] = f.Message
	}
	return ItemError{index, key, strings.Join(texts, "; "), faults[0].Field, faults[0].Code}
}

// publishImport publishes the products of an import on its channel and returns their ids. On a custom channel they are
// published at once, because no platform is called.
func publishImport(tx db.Writer, channel channels.Ref, out *Imported) []id.Product {
	if channel.ID == "" {
		return nil
	}
	products := make([]id.Product, len(out.Changes))
	for i := range out.Changes {
		products[i] = out.Changes[i].After.ID
	}
	status := catalog.PublicationPending
	if channel.Platform == channels.Custom {
		status = catalog.PublicationPublished
	}
	catalog.Publish(tx, channel.ID, status, products)
	return products
}

// insertImportJob queues the job that completes the import.
func insertImportJob(tx db.Writer, channel channels.Ref, out *Imported, published []id.Product) id.Job {
	job := jobs.Job{Type: jobs.ProductImport, Channel: channel.ID, Status: jobs.Processing, Total: int64(len(out.Changes) + len(out.Errors)),
		Processed: int64(len(out.Errors)), Created: int64(out.Created), Updated: int64(out.Updated), Failed: int64(len(out.Errors))}
	if len(out.Errors) > 0 {
		w := apijson.NewWriter(128 * len(out.Errors))
		WriteItemFaults(w, "", out.Errors, false)
		job.Errors = string(w.Bytes())
	}
	if channel.ID != "" {
		w := apijson.NewWriter(40 * (1 + len(published)))
		w.Object("")
		apijson.Texts(w, "productIds", published)
		w.End()
		job.Input = string(w.Bytes())
	}
	return jobs.Insert(tx, job).ID
}
