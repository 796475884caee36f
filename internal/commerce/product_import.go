package commerce

import (
	"maps"
	"slices"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// Import is a bulk import of products: the valid items, and those that were rejected when they were read.
type Import struct {
	Drafts          []catalog.Draft
	Errors          []records.ItemError
	Channel         id.Channel // also publish there; "" for nowhere
	ReplaceVariants bool
	DryRun          bool // everything is decided, nothing is written
	Part            bool // of a larger import, whose caller reports its end: it has no job of its own

	before *Imported       // the outcome so far; nil for the first piece
	skus   map[string]bool // of products that earlier pieces have accepted, and of their variants
	more   bool            // other pieces follow
}

// Imported is the outcome of an import.
type Imported struct {
	Job     id.Job // publishes, then reports the end of the import; "" in a dry run and for a part
	Created int
	Updated int                 // existing products, including unchanged ones
	Errors  []records.ItemError // in the order of the request; nil before the last piece
	Changes []catalog.Change    // of the applied items of the last piece, in the order of the request
	Levels  [][]LevelChange     // in a dry run: the stock that each element of Changes would change

	published []id.Product // on its channel
	rejected  rejected
}

// Accepted is how many items were applied.
func (i Imported) Accepted() int { return i.Created + i.Updated }

// Total is how many items there were.
func (i Imported) Total() int { return i.Accepted() + len(i.Errors) }

// LevelChange is a change of on-hand that a dry run shows.
type LevelChange struct {
	SKU, Warehouse string
	From           *int64 // nil if there is no level yet
	To             int64
}

// ImportPlan is an import after all decisions. It may be made on a snapshot: if the data it was made from has
// changed, Apply makes the operation run again. A plan is applied once.
type ImportPlan struct {
	Imported
	channel  channels.Ref
	part     bool
	earlier  map[string]bool // SKUs that earlier pieces have accepted
	snapshot *snapshot
	events   []webhooks.Event
}

// ImportProducts is the bulk import of products. A dry run is one piece.
func (s *Service) ImportProducts(who accounts.Caller, in Import) *Bulk[*ImportPlan] {
	o := &Bulk[*ImportPlan]{items: len(in.Drafts), cut: cutDrafts(in.Drafts)}
	o.decide = func(tx *db.Tx, p piece, before *ImportPlan) (*ImportPlan, error) {
		part := in
		part.Drafts, part.more = in.Drafts[p.from:p.to], !p.last
		if before != nil {
			part.before, part.skus = &before.Imported, before.earlier
		}
		return s.PlanImport(tx, who, part)
	}
	o.rest = func(p *ImportPlan) *ImportPlan {
		return &ImportPlan{earlier: p.claims(), Imported: Imported{Created: p.Created, Updated: p.Updated, rejected: p.rejected,
			published: p.published}}
	}
	o.hold = func(tx *db.Tx) {
		if in.Channel != "" {
			channels.Keep(tx, in.Channel)
		}
	}
	if in.DryRun {
		o.Whole()
	}
	return o
}

// PlanImport plans which products an import creates and updates, with their variants, categories and stock (interface
// §4.2). Rejected items do not affect the others. Errors: NotFound for a channel that the account does not have.
func (s *Service) PlanImport(tx *db.Tx, who accounts.Caller, in Import) (*ImportPlan, error) {
	p := &ImportPlan{part: in.Part || in.more, earlier: in.skus, Imported: Imported{rejected: rejected{in.Errors}}}
	if b := in.before; b != nil {
		p.Imported = Imported{Created: b.Created, Updated: b.Updated, rejected: b.rejected, published: slices.Clip(b.published)}
	}
	p.Changes = make([]catalog.Change, 0, len(in.Drafts))
	var faulty []records.ItemError
	var err error
	if in.Channel != "" {
		if p.channel, err = channels.ByRef(tx, in.Channel); err != nil {
			return nil, err
		}
	}
	if p.snapshot, err = readSnapshot(tx, who, in.Drafts); err != nil {
		return nil, err
	}
	p.snapshot.known.Follow(in.skus)
	for i := range in.Drafts {
		d := &in.Drafts[i]
		r, errs := p.snapshot.diff(d, in.ReplaceVariants)
		switch {
		case len(errs) > 0:
			faulty = append(faulty, joined(d.Index, d.SKU, errs))
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
	if p.rejected = p.rejected.and(faulty); !in.more {
		p.Errors = p.rejected.inOrder()
	}
	p.events = productEvents(p.Changes, who)
	return p, nil
}

// claims are the SKUs that this piece and earlier ones have accepted.
func (p *ImportPlan) claims() map[string]bool {
	if p.earlier == nil {
		p.earlier = map[string]bool{}
	}
	maps.Copy(p.earlier, p.snapshot.known.Claims())
	return p.earlier
}

// Apply queues the plan's writes and events, and with the last piece the job that publishes.
func (p *ImportPlan) Apply(tx *db.Tx, who accounts.Caller) (Imported, error) {
	if p.channel.ID != "" {
		channels.Keep(tx, p.channel.ID)
	}
	if p.snapshot.levels != nil {
		if _, err := p.snapshot.levels.Refresh(tx); err != nil {
			return Imported{}, err
		}
	}
	moved, err := p.snapshot.save(tx, who, p.Changes)
	if err != nil {
		return Imported{}, err
	}
	webhooks.Record(tx, append(p.events, moved...)...)
	if err := publishImport(tx, p.channel, &p.Imported); err != nil {
		return Imported{}, err
	}
	if !p.part {
		p.Job = insertImportJob(tx, p.channel, &p.Imported)
	}
	return p.Imported, nil
}

// joined joins the errors of an item into one entry.
func joined(index int, key string, errs []catalog.ItemError) records.ItemError {
	texts := make([]string, len(errs))
	for i, e := range errs {
		texts[i] = e.Message
	}
	return records.ItemError{Index: index, Key: key, Field: errs[0].Field, Code: errs[0].Code, Error: strings.Join(texts, "; ")}
}

// publishImport puts the products of the last piece on the import's channel. A custom channel has them at once: no
// platform is called for it.
func publishImport(tx *db.Tx, channel channels.Ref, out *Imported) error {
	if channel.ID == "" {
		return nil
	}
	products := make([]id.Product, len(out.Changes))
	var known []id.Product
	for i, c := range out.Changes {
		products[i] = c.After.ID
		if c.Before != nil {
			known = append(known, c.After.ID)
		}
	}
	publications, err := catalog.ReadPublications(tx, channel.ID, known...)
	if err != nil {
		return err
	}
	status := catalog.PublicationPending
	if channel.Platform == channels.Custom {
		status = catalog.PublicationPublished
	}
	publications.Publish(tx, status, products)
	out.published = append(out.published, products...)
	return nil
}

// insertImportJob queues the job that continues from there.
func insertImportJob(tx db.Writer, channel channels.Ref, out *Imported) id.Job {
	job := jobs.Job{Type: jobs.ProductImport, Channel: channel.ID, Status: jobs.Processing, Total: int64(out.Total()),
		Processed: int64(len(out.Errors)), Created: int64(out.Created), Updated: int64(out.Updated), Failed: int64(len(out.Errors))}
	if len(out.Errors) > 0 {
		job.Errors = records.JobErrors(out.Errors...)
	}
	if channel.ID != "" {
		w := apijson.NewWriter(40 * (1 + len(out.published)))
		w.Object("")
		apijson.Texts(w, "productIds", out.published)
		w.End()
		job.Input = string(w.Bytes())
	}
	return jobs.Insert(tx, job).ID
}
