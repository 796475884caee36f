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

// Import is a bulk import of products: the items that may be applied, and those rejected when they were read.
type Import struct {
	Drafts          []catalog.Draft
	Errors          []ItemError
	Channel         id.Channel // also publish there; "" for nowhere
	ReplaceVariants bool
	DryRun          bool // decide everything, apply nothing
	Part            bool // of a larger import, whose caller reports that it is done: it has no job of its own
}

// Imported is the outcome of an import.
type Imported struct {
	Job     id.Job // publishes, then reports that the import is done; "" in a dry run and of a part
	Created int
	Updated int // products that were there, also those that the import did not change
	Errors  []ItemError
	Changes []catalog.Change // of the items applied, in the order of the request
	Levels  [][]LevelChange  // of a dry run: the stock that each of Changes sets to another quantity
}

// LevelChange is a stock level to which a dry run would give another quantity on hand.
type LevelChange struct {
	SKU, Warehouse string
	From           *int64 // nil where there is no level yet
	To             int64
}

// ImportPlan is an import with all decided that can be decided by reading. It may be made on a snapshot: Apply finds out if
// what it was made from has changed since, and has the operation run again. A plan is good for one Apply.
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

// PlanImport decides which products an import creates and updates, with their variants, categories and stock (interface §4.2).
// Rejected items do not touch the others. Errors: NotFound for a channel the account does not have.
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

// Apply queues what the plan says, with its events, and the job that publishes.
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

// joined makes the one error entry of an item.
func joined(index int, key string, faults []catalog.ItemError) ItemError {
	texts := make([]string, len(faults))
	for i, f := range faults {
		texts[i] = f.Message
	}
	return ItemError{index, key, strings.Join(texts, "; "), faults[0].Field, faults[0].Code}
}

// publishImport puts the products of an import on its channel and gives their ids. A custom channel has them at once: no platform is
// called for it.
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

// insertImportJob queues the job that goes on from there.
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
