package commerce

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/limits"
	"entrepot/internal/webhooks"
)

// ProductPart is the part of a product that a bulk change is about. In reports it stands before and after the change.
type ProductPart struct {
	Status     catalog.Status    `json:"status,omitempty"`
	Categories []id.Category     `json:"categoryIds,omitempty"`
	Channels   []id.Channel      `json:"channelIds,omitempty"` // those of the change on which the product is
	Prices     map[string]string `json:"prices,omitempty"`     // by SKU: the product's, and those of variants with their own
}

// ReadProductPart reads a part of a report; the zero value for "".
func ReadProductPart(text string) (p ProductPart) {
	_ = json.Unmarshal([]byte(text), &p) // the service wrote it
	return p
}

func (p ProductPart) text() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // texts always encode
	}
	return string(text)
}

// part is the part of a product that a change other than publishing is about.
func (c ProductChange) part(p *catalog.Product) (out ProductPart) {
	switch c.Action {
	case ProductStatus:
		out.Status = p.Status
	case ProductCategories:
		out.Categories = p.CategoryIDs()
	case ProductPrice:
		out.Prices = map[string]string{p.SKU: p.Price.String()}
		for _, v := range p.Variants {
			if v.Price != nil {
				out.Prices[v.SKU] = v.Price.String()
			}
		}
	}
	return out
}

// bulkItem is a product of a bulk change; undo is the outcome that is reversed, nil for none.
type bulkItem struct {
	product id.Product
	undo    *jobs.Product
}

// bulkPlan is what a bulk change does to some products, before it is stored.
type bulkPlan struct {
	outcomes []jobs.Product // in the order of the products
	changes  []catalog.Change
	names    map[id.Product]string
	snapshot *snapshot
	channels []*channelPlan
}

// planProducts decides what a change does to some products.
func (s *Service) planProducts(tx *db.Tx, who accounts.Caller, c ProductChange, items []bulkItem) (*bulkPlan, error) {
	ids := make([]id.Product, len(items))
	for i := range items {
		ids[i] = items[i].product
	}
	list, err := catalog.ByIDs(tx, ids)
	if err != nil {
		return nil, err
	}
	known := make(map[id.Product]*catalog.Product, len(list))
	plan := &bulkPlan{names: map[id.Product]string{}}
	for _, p := range list {
		known[p.ID] = p
		plan.names[p.ID] = p.Name
	}
	for _, item := range items {
		o := jobs.Product{ID: item.product, Outcome: jobs.Unchanged}
		if p := known[item.product]; p == nil {
			o.Refuse("the product does not exist any more")
		} else {
			o.SKU = p.SKU
		}
		plan.outcomes = append(plan.outcomes, o)
	}
	if c.Action == PublishProduct || c.Action == WithdrawProduct {
		return plan, s.planPublications(tx, c, plan)
	}
	return plan, plan.records(tx, who, c, items, known)
}

// records plans a change of the products themselves.
func (plan *bulkPlan) records(tx *db.Tx, who accounts.Caller, c ProductChange, items []bulkItem, known map[id.Product]*catalog.Product) (err error) {
	var drafts []catalog.Draft
	for i := range plan.outcomes {
		p := known[items[i].product]
		if p == nil {
			continue
		}
		var d catalog.Draft
		var why string
		if undone := items[i].undo; undone != nil {
			d, why = c.reverse(p, *undone)
		} else {
			d, why = c.draft(p, who.Currency)
		}
		if why != "" {
			plan.outcomes[i].Refuse(why)
			continue
		}
		d.Index, d.SKU = i, p.SKU
		drafts = append(drafts, d)
	}
	if plan.snapshot, err = readSnapshot(tx, who, drafts); err != nil {
		return err
	}
	for i := range drafts {
		o := &plan.outcomes[drafts[i].Index]
		r, errs := plan.snapshot.diff(&drafts[i], false)
		if len(errs) > 0 {
			o.Refuse(joined(0, "", errs).Error)
			continue
		}
		if r.IsNew() || r.Before.ChangedAt != known[o.ID].ChangedAt {
			return db.ErrRetry // it was deleted or changed after its draft was made
		}
		o.Before, o.After = c.part(r.Before).text(), c.part(&r.After).text()
		if r.Changed() {
			o.Outcome = jobs.Done
			plan.changes = append(plan.changes, r)
		}
	}
	return nil
}

// draft is the change as a caller would send it for one product; why says why it is refused, "" for nothing.
func (c ProductChange) draft(p *catalog.Product, currency string) (d catalog.Draft, why string) {
	switch c.Action {
	case ProductStatus:
		d.Status = patch.To(c.Status)
	case ProductCategories:
		d.Categories = patch.To(c.references(p))
		if len(d.Categories.Value) > limits.MaxCategories {
			return d, "a product has at most 200 categories"
		}
	case ProductPrice:
		price, ok := c.price(p.Price, currency)
		d.Price = patch.To(price)
		for _, v := range p.Variants {
			if v.Price != nil {
				own, fits := c.price(*v.Price, currency)
				ok = ok && fits
				d.Variants = append(d.Variants, catalog.VariantDraft{SKU: v.SKU, Price: patch.To(own)})
			}
		}
		if !ok {
			return d, "the price would have more than 11 integer digits"
		}
	}
	return d, ""
}

// references are the categories of a product with those that are added, and without those that are removed.
func (c ProductChange) references(p *catalog.Product) []string {
	list := []string{}
	in := map[id.Category]bool{}
	for _, l := range p.Links {
		if l.Category == "" || !slices.Contains(c.Remove, l.Category) {
			list = append(list, l.Reference)
			in[l.Category] = true
		}
	}
	for _, category := range c.Add {
		if !in[category] && !slices.Contains(c.Remove, category) {
			list = append(list, string(category))
		}
	}
	return list
}

// price is a changed price, rounded half up to the digits of the currency, and at least 0; ok is false above money.Max.
func (c ProductChange) price(of money.Amount, currency string) (_ money.Amount, ok bool) {
	digits := money.Digits(currency)
	var to money.Amount
	if c.Percent {
		to = of.Percent(100*money.Scale+c.By, digits)
	} else {
		to = (of + c.By).Round(digits)
	}
	return max(to, 0), to <= money.Max
}

// reverse is the draft that restores what a product had before a bulk change; why says that it was changed since.
func (c ProductChange) reverse(p *catalog.Product, done jobs.Product) (d catalog.Draft, why string) {
	before, after, now := ReadProductPart(done.Before), ReadProductPart(done.After), c.part(p)
	const since = "it was changed after the bulk change"
	switch c.Action {
	case ProductStatus:
		if now.Status != after.Status {
			return d, since
		}
		d.Status = patch.To(before.Status)
	case ProductCategories:
		without := func(list, other []id.Category) []id.Category {
			return slices.DeleteFunc(slices.Clone(list), func(one id.Category) bool { return slices.Contains(other, one) })
		}
		back := ProductChange{Add: without(before.Categories, after.Categories), Remove: without(after.Categories, before.Categories)}
		d.Categories = patch.To(back.references(p))
	case ProductPrice:
		if !maps.Equal(now.Prices, after.Prices) {
			return d, since
		}
		for sku, text := range before.Prices {
			price, err := money.Parse(text)
			switch {
			case err != nil:
				return d, since
			case sku == p.SKU:
				d.Price = patch.To(price)
			default:
				d.Variants = append(d.Variants, catalog.VariantDraft{SKU: sku, Price: patch.To(price)})
			}
		}
		slices.SortFunc(d.Variants, func(a, b catalog.VariantDraft) int { return cmp.Compare(a.SKU, b.SKU) })
	}
	return d, ""
}

// channelPlan is what a bulk change does on one channel.
type channelPlan struct {
	channel      channels.Channel
	calls        bool // the service calls the channel's platform
	publications *catalog.Publications
	publish      []id.Product
	withdraw     []id.Product
}

// planPublications plans which products go on or off the channels of a change.
func (s *Service) planPublications(tx *db.Tx, c ProductChange, plan *bulkPlan) error {
	var there []id.Product
	for _, o := range plan.outcomes {
		if o.Outcome != jobs.Refused {
			there = append(there, o.ID)
		}
	}
	before, after := map[id.Product][]id.Channel{}, map[id.Product][]id.Channel{}
	refused := map[id.Product]string{}
	for _, which := range c.Channels {
		channel, err := channels.ByID(tx, which)
		if why := unpublishable(c, channel, err); why != "" {
			for _, product := range there {
				refused[product] = why
			}
			continue
		} else if err != nil {
			return err
		}
		on, err := catalog.ReadPublications(tx, which, there...)
		if err != nil {
			return err
		}
		_, calls := s.platform(channel.Platform)
		part := &channelPlan{channel: channel, calls: calls && channel.Receives(), publications: on}
		for _, product := range there {
			status := on.Status(product)
			if status != "" && status != catalog.PublicationRemoving {
				before[product] = append(before[product], which)
			}
			if c.Action == PublishProduct {
				after[product] = append(after[product], which)
				if status != catalog.PublicationPublished && status != catalog.PublicationPending {
					part.publish = append(part.publish, product)
				}
			} else if status != "" && status != catalog.PublicationRemoving {
				part.withdraw = append(part.withdraw, product)
			}
		}
		plan.channels = append(plan.channels, part)
	}
	changed := map[id.Product]bool{}
	for _, part := range plan.channels {
		for _, product := range slices.Concat(part.publish, part.withdraw) {
			changed[product] = true
		}
	}
	for i := range plan.outcomes {
		o := &plan.outcomes[i]
		if o.Outcome == jobs.Refused {
			continue
		}
		o.Before, o.After = ProductPart{Channels: before[o.ID]}.text(), ProductPart{Channels: after[o.ID]}.text()
		if changed[o.ID] {
			o.Outcome = jobs.Done
		}
		if why := refused[o.ID]; why != "" {
			o.Outcome, o.Message = jobs.Refused, why // the channels that are left have it
		}
	}
	return nil
}

// unpublishable says why a change does not reach a channel, "" if it does.
func unpublishable(c ProductChange, channel channels.Channel, err error) string {
	switch {
	case apperr.Is(err, apperr.NotFound):
		return "a channel does not exist any more"
	case err == nil && c.Action == PublishProduct && !channel.Receives():
		return "the channel " + channel.Name + " is inactive"
	}
	return ""
}

// apply queues the writes of a plan, and their events.
func (plan *bulkPlan) apply(tx *db.Tx, who accounts.Caller) error {
	for _, part := range plan.channels {
		if err := part.apply(tx); err != nil {
			return err
		}
	}
	if len(plan.changes) == 0 {
		return nil
	}
	moved, err := plan.snapshot.save(tx, who, plan.changes)
	if err == nil {
		webhooks.Record(tx, append(productEvents(plan.changes, who), moved...)...)
	}
	return err
}

func (part *channelPlan) apply(tx *db.Tx) error {
	channels.Keep(tx, part.channel.ID)
	if len(part.publish) > 0 {
		status := catalog.PublicationPublished
		if part.channel.Platform != channels.Custom {
			status = catalog.PublicationPending
			jobs.InsertOnce(tx, jobs.ProductPush, part.channel.ID, "{}")
		}
		part.publications.Publish(tx, status, part.publish)
	}
	for _, product := range part.withdraw {
		take := part.publications.Delete
		if part.calls {
			take = part.publications.Remove
		}
		if err := take(tx, product); err != nil {
			return err
		}
	}
	if part.calls && len(part.withdraw) > 0 {
		tx.Wake(SyncTopic)
	}
	return nil
}
