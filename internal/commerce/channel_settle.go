package commerce

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// This file stores the results of a channel's job: of the job itself, of each product that was pushed, and of each
// stock level and price.

// fail records that an item failed.
func (r *channelRun) fail(sku, external, code, message string) {
	r.job.Failed++
	if len(r.errors) >= jobs.MaxErrors {
		return
	}
	r.errors = append(r.errors, records.ItemError{Index: -1, Key: sku, ExternalID: external, Error: message, Code: code})
}

// messageForgotten replaces a message that may name a person who was erased while the job had the message in memory.
const messageForgotten = "the message is not kept, because a customer was erased meanwhile"

// forget writes the run's errors into r.job. If a person was erased since the run read the job, it reads the stored
// errors again, and the run's own errors lose their messages, because a message may name the person. The call comes
// after the transaction's other locks. Errors: jobs.ErrLost.
func (r *channelRun) forget(tx *db.Tx) (erased bool, err error) {
	stored, startedAt, err := jobs.Reread(tx, r.job)
	if err != nil {
		return false, err
	}
	if erased = startedAt != r.job.StartedAt; erased {
		now := records.ReadJobErrors(stored)
		for _, e := range r.errors[min(len(now), len(r.errors)):] {
			e.Error = messageForgotten
			now = append(now, e)
		}
		r.errors, r.job.StartedAt = now, startedAt
	}
	r.job.Errors = records.JobErrors(r.errors...)
	return erased, nil
}

// settle completes the job, or releases it if a later run may succeed.
func (r *channelRun) settle(ctx context.Context, failed error) error {
	job, reported := r.job, slices.Clip(r.errors)
	return r.store.Write(ctx, r.job.Tenant, func(tx *db.Tx) error {
		r.job, r.errors = job, reported
		if failed == nil {
			return r.completed(tx)
		}
		return r.failed(tx, connector.FailureOf(failed))
	})
}

// pause ends a run that has to wait although nothing is wrong: the platform takes no more requests for now, or
// another job of the channel comes first. The job goes on later, however often it has to wait (decision 16).
type pause struct {
	until  time.Time
	reason string // for the merchant, "" for none
}

func (p *pause) Error() string { return "waits until " + p.until.Format(time.RFC3339) }

// orPause returns a pause for a platform that takes no more requests for now, unless the channel's other jobs have to
// wait as well; otherwise it returns the error.
func (r *channelRun) orPause(err error) error {
	if !connector.Is(err, connector.Throttled) {
		return err
	}
	f := connector.FailureOf(err)
	switch until := r.store.Now().Add(r.later(max(f.After, firstHold))); {
	case f.Share: // the other jobs have a share of their own (decision 16)
		return &pause{until: until, reason: f.Error()}
	case r.took: // it takes only so much at a time (decision 16)
		return &pause{until: until}
	}
	return err
}

// longestPush is how long a push may delay the channel's other jobs.
const longestPush = 30 * time.Second

// giveWay pauses a push that has run for longestPush if other jobs of the channel are due: a platform needs minutes
// or hours for thousands of products, and orders, stock and shipments must not wait for that (decision 16).
func (r *channelRun) giveWay(ctx context.Context) error {
	if r.store.Now().Sub(r.since) < longestPush {
		return nil
	}
	others := false
	err := r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) (err error) {
		others, err = jobs.OthersDue(tx, r.job.Type, r.channel.ID)
		return err
	})
	if err != nil || !others {
		return err
	}
	return &pause{until: r.store.Now()}
}

// pushPlace is the cursor of a job other than a pull: how many leases the job had when it paused last.
type pushPlace struct {
	Leases int64 `json:"leases"`
}

// rest releases the job until the time of the pause. The run does not count as failed.
func (r *channelRun) rest(ctx context.Context, rests pause) error {
	return r.store.Write(ctx, r.job.Tenant, func(tx *db.Tx) error {
		state, err := channelsync.Lock(tx, r.channel.ID)
		if err != nil {
			return err
		}
		if rests.reason != "" {
			state.LastError = rests.reason
		}
		r.pollLater(tx, &state)
		r.save(tx, state)
		if _, err := r.forget(tx); err != nil {
			return err
		}
		if r.job.Type != jobs.OrderPull {
			text, err := json.Marshal(pushPlace{r.job.Tries})
			if err != nil {
				return err
			}
			r.job.Cursor = string(text)
		}
		r.again(tx, rests.until)
		return nil
	})
}

// completed completes a successful job. It does not report a scheduled job that found nothing to do and ends no
// outage.
func (r *channelRun) completed(tx *db.Tx) error {
	now, err := r.held(tx)
	if err != nil {
		return err
	}
	state, err := channelsync.Lock(tx, r.channel.ID)
	if err != nil {
		return err
	}
	if _, err := r.forget(tx); err != nil {
		return err
	}
	kind := string(r.job.Type)
	over := state.Since(kind) != 0
	state.SetSince(kind, 0)
	// otherwise its credentials were refused while the job ran, and the error says so
	if now.Status != channels.NeedsReauth {
		state.Failures, state.HeldUntil, state.LastError = 0, 0, ""
	}
	if len(r.errors) > 0 {
		state.LastError = r.errors[0].Error
	}
	r.pollLater(tx, &state)
	r.goOnRested(tx, &state)
	if err := r.warnOfEnd(tx, now, &state); err != nil {
		return err
	}
	r.save(tx, state)
	channels.Synced(tx, r.channel.ID)
	r.job.Total = max(r.job.Total, r.job.Processed)
	if r.input.Scheduled && r.job.Processed == 0 && r.job.Failed == 0 && !over {
		jobs.Finish(tx, r.job, false)
		return nil
	}
	r.endJob(tx, r.job, false)
	return nil
}

// failed releases the job for a later try, or ends it. An outage is reported once for each type of job.
func (r *channelRun) failed(tx *db.Tx, f *connector.Failure) error {
	if f.Kind == connector.Unauthorized {
		if err := r.reauth(tx, r.channel); err != nil {
			return err
		}
	}
	state, err := channelsync.Lock(tx, r.channel.ID)
	if err != nil {
		return err
	}
	reason := f.Error()
	erased, err := r.forget(tx)
	if err != nil {
		return err
	}
	if erased {
		reason = messageForgotten
	}
	took := r.job.Type == jobs.StatusPush && r.job.Processed > r.begun
	if took {
		state.Failures = 0 // it fails now and then, which is no outage
	}
	hold := time.UnixMicro(state.HeldUntil).Sub(tx.Now())
	if hold <= 0 { // otherwise another job of the channel has found the same
		state.Failures++
		hold = r.later(min(firstHold<<min(state.Failures-1, 10), longestHold))
	}
	if hold < f.After {
		hold = r.later(f.After)
	}
	state.HeldUntil, state.LastError = tx.Now().Add(hold).UnixMicro(), reason
	r.pollLater(tx, &state)
	kind := string(r.job.Type)
	if runs := r.failedRuns(); !f.Lasting() && (took || runs < channelTries) {
		r.save(tx, state)
		r.again(tx, tx.Now().Add(hold))
		return nil
	}
	if !f.Lasting() {
		r.goOnAfter(&state)
	}
	first := state.Since(kind) == 0
	if first {
		state.SetSince(kind, tx.Micros())
	}
	r.save(tx, state)
	r.fail("", "", string(f.Kind), reason)
	r.job.Failed = max(0, r.job.Failed-1) // the failure concerns the job, not one of its items
	r.job.Errors = records.JobErrors(r.errors...)
	ended := jobs.Finish(tx, r.job, true)
	if first {
		webhooks.Record(tx, syncEvent(ended))
	}
	return nil
}

// goOnAfter queues a follow-up after an outage: the unpushed work is still due, and nothing else would trigger it
// while nobody changes anything. It runs soon after the channel's hold ends, however seldom orders are pulled.
func (r *channelRun) goOnAfter(state *channelsync.State) {
	at := &state.PollAt
	if r.job.Type == jobs.OrderPull {
		at = &state.PullAt
	}
	if *at == 0 || *at > state.HeldUntil {
		*at = state.HeldUntil
	}
}

// failedRuns is how many runs of the job have failed, including this one. For a pull it counts since its cursor moved
// last, because giving up a pull loses the orders that notifications named. For other jobs it counts the leases since
// the last pause.
func (r *channelRun) failedRuns() int64 {
	if r.job.Type != jobs.OrderPull {
		var at pushPlace
		_ = json.Unmarshal([]byte(r.job.Cursor), &at)
		return r.job.Tries - at.Leases
	}
	at := placeOf(r.job)
	at.Failures++
	r.job.Cursor = at.text()
	return at.Failures
}

// again releases the job until a time. A notification may start a pull before that time; such a run only reads the
// orders that notifications named.
func (r *channelRun) again(tx *db.Tx, until time.Time) {
	if r.job.Type == jobs.OrderPull {
		at := placeOf(r.job)
		at.RestUntil = max(at.RestUntil, until.UnixMicro())
		r.job.Cursor = at.text()
	}
	jobs.Again(tx, r.job, until)
}

// polling is the name of the time since which the platform's operations have been requested without any news.
const polling = "polling"

// pollLater sets when the platform is asked for the results of its operations: soon after one began or ended, and
// less often the longer nothing happens. A review by people may take days.
func (r *channelRun) pollLater(tx db.Writer, state *channelsync.State) {
	if !r.underway {
		if r.job.Type != jobs.OrderPull { // which asks for no results
			state.SetSince(polling, 0)
		}
		return
	}
	since := state.Since(polling)
	if since == 0 || r.news {
		since = tx.Micros()
		state.SetSince(polling, since)
	}
	every := cmp.Or(r.does.Time.Poll, time.Minute)
	state.PollAt = tx.Now().Add(max(every, min(tx.Now().Sub(time.UnixMicro(since))/pollShare, longestHold))).UnixMicro()
}

// pollShare is how much shorter the time until the next request is than the time without news.
const pollShare = 8

// save stores the state; the channel may not have had one before.
func (r *channelRun) save(tx db.Writer, state channelsync.State) {
	channelsync.Begin(tx, r.channel.ID, tx.Now().Add(r.pullEvery()))
	state.Save(tx)
}

// productOutcome combines the results for the SKUs of one product.
type productOutcome struct {
	status        catalog.PublicationStatus
	reason        string // why it failed
	external, url string // of the product itself
	again         bool   // it may succeed when it is tried again
	underway      bool   // the platform still works on it
	rests         time.Time
}

func outcomeOf(sku string, results []connector.Result) (o productOutcome) {
	o.status = catalog.PublicationPublished
	if len(results) == 0 {
		o.status, o.reason = catalog.PublicationFailed, "the platform said nothing about it"
	}
	for _, result := range results {
		o.add(result)
		if result.SKU == sku {
			o.external, o.url = result.IDs.Product, connector.WebAddress(result.URL)
		}
	}
	return o
}

// add adds the result for one more SKU; the worst result counts.
func (o *productOutcome) add(result connector.Result) {
	published := o.status == catalog.PublicationPublished
	switch result.State {
	case connector.Waiting:
		o.underway = true
		if published {
			o.status = catalog.PublicationPending
		}
	case connector.Live:
		reviewed := result.Review != "" && published
		o.underway = o.underway || reviewed
		if reviewed && !result.Shown { // its previous version is still on sale
			o.status = catalog.PublicationPending
		}
	case connector.Failed, connector.Gone:
		o.rests = latest(o.rests, result.Rests)
		if o.again = o.again || result.Again; o.reason == "" {
			o.reason = result.SKU + ": " + result.Error
		}
		o.status = catalog.PublicationFailed
	}
}

// settlePushed stores the results of products that were pushed.
func (r *channelRun) settlePushed(tx *db.Tx, push []*listing, of map[*listing][]connector.Result, later *error) error {
	products := make([]id.Product, len(push))
	for i, listed := range push {
		products[i] = id.Product(listed.ID)
	}
	publications, err := catalog.ReadPublications(tx, r.channel.ID, products...)
	if err != nil {
		return err
	}
	if err := markStale(tx, push); err != nil {
		return err
	}
	overwritten, err := r.keepApart(tx, of)
	if err != nil {
		return err
	}
	for _, listed := range push {
		r.settleProduct(tx, publications, listed, of[listed], later)
	}
	if len(overwritten) > 0 {
		channelsync.Doubt(tx, r.channel.ID, overwritten, true)
		jobs.InsertOnce(tx, jobs.ProductPush, r.channel.ID, unasked)
	}
	return nil
}

// markStale finds products that have changed, or were deleted, since they were read for their first push. It does not
// read products that have an item already: their changes are marked like all changes of the account.
func markStale(tx *db.Tx, push []*listing) error {
	first := map[id.Product]*listing{}
	for _, listed := range push {
		if listed.known[listed.SKU].SKU == "" {
			first[id.Product(listed.ID)], listed.stale = listed, true
		}
	}
	if len(first) == 0 {
		return nil
	}
	now, err := catalog.ByIDs(tx, slices.Collect(maps.Keys(first)))
	for _, p := range now {
		first[p.ID].stale = p.ChangedAt != first[p.ID].stamp
	}
	return err
}

// settleProduct stores the results for a product's SKUs.
func (r *channelRun) settleProduct(tx db.Writer, publications *catalog.Publications, listed *listing, results []connector.Result,
	later *error) {
	o := outcomeOf(listed.SKU, results)
	r.underway, r.news = r.underway || o.underway, r.news || o.underway
	if o.status == catalog.PublicationFailed && o.again {
		o.status = catalog.PublicationPending
		if o.rests.IsZero() {
			*later = connector.Failf(connector.Temporary, "%s", o.reason)
		}
	}
	publications.Settle(tx, id.Product(listed.ID), o.status, o.external, o.url, o.reason)
	if !o.rests.IsZero() { // it is unchanged and still due
		r.rests(o.rests)
		return
	}
	for _, result := range results {
		channelsync.Put(tx, r.itemAfter(listed, result, o.status))
	}
	for sku, item := range listed.known { // variants that the product no longer has
		if _, still := listed.ids[sku]; !still {
			channelsync.Drop(tx, item)
		}
	}
	r.job.Processed++
	switch {
	case o.status == catalog.PublicationFailed:
		r.fail(listed.SKU, o.external, "refused", o.reason)
	case listed.known[listed.SKU].ExternalProduct == "":
		r.job.Created++
	default:
		r.job.Updated++
	}
}

// keepApart fails a product if the platform identifies one of its SKUs with a SKU of another product because the two
// differ only in case: with every push each product would overwrite the other. It returns the SKUs of the other
// products, which have to be pushed again because this push has overwritten them.
func (r *channelRun) keepApart(tx *db.Tx, by map[*listing][]connector.Result) (overwritten []string, err error) {
	for listed, results := range by {
		for _, result := range results {
			if result.IDs.Product == "" || listed.known[result.SKU].ExternalProduct != "" {
				continue
			}
			other, err := channelsync.SKUOf(tx, r.channel.ID, result.IDs.Product, result.IDs.Variant)
			if err != nil {
				return nil, err
			}
			if other == result.SKU || !strings.EqualFold(other, result.SKU) {
				continue
			}
			skus, err := r.skusBeside(tx, other, id.Product(listed.ID))
			if err != nil {
				return nil, err
			}
			if len(skus) > 0 {
				overwritten = append(overwritten, skus...)
				by[listed] = connector.FailedProduct(&listed.Product, connector.Failf(connector.Rejected,
					"the platform takes its SKU %s for %s, which another product has: give one of both another SKU", result.SKU, other), false)
				break
			}
		}
	}
	return overwritten, nil
}

// skusBeside returns all SKUs of the product that has a SKU, if that product is on the channel and is not the product
// but.
func (r *channelRun) skusBeside(tx *db.Tx, sku string, but id.Product) (skus []string, err error) {
	items, err := channelsync.OfSKUs(tx, r.channel.ID, []string{sku})
	if err != nil || len(items) == 0 || items[0].Product == but {
		return nil, err
	}
	product := items[0].Product
	publications, err := catalog.ReadPublications(tx, r.channel.ID, product)
	if err != nil {
		return nil, err
	}
	if s := publications.Status(product); s != catalog.PublicationPublished && s != catalog.PublicationPending {
		return nil, nil
	}
	items, err = channelsync.OfProducts(tx, r.channel.ID, []id.Product{product})
	for _, i := range items {
		skus = append(skus, i.SKU)
	}
	return skus, err
}

// itemAfter is a SKU's item after a push.
func (r *channelRun) itemAfter(listed *listing, result connector.Result, status catalog.PublicationStatus) channelsync.Item {
	item, ok := listed.known[result.SKU]
	item.ContentDue = false
	if !ok {
		ids := listed.ids[result.SKU]
		item = channelsync.NewItem(r.channel.ID, result.SKU, ids.product, ids.variant)
		item.ContentDue = listed.stale && result.SKU == listed.SKU
	}
	if result.IDs.Product != "" {
		item.ExternalProduct, item.ExternalVariant = result.IDs.Product, result.IDs.Variant
		other := result.IDs.Other
		if result.SKU == listed.SKU && (listed.Description != "" || listed.Describes() && result.State == connector.Failed) {
			if other = maps.Clone(other); other == nil {
				other = map[string]string{}
			}
			other[connector.DescribedID] = "1"
		}
		item.SetOther(other, connector.NotifiedID)
	}
	switch {
	case result.SKU != listed.SKU:
	case result.State == connector.Live || result.State == connector.Waiting:
		item.SetImages(result.Images)
	case len(result.Images) > 0:
		all := item.ImageIDs()
		maps.Copy(all, result.Images)
		item.SetImages(all)
	}
	item.Operation, item.Review = result.Operation, result.Review
	item.StockDue, item.CheckDue = true, true // the platform's values are read next, not assumed
	if level, known := levelOf(item, *listed); known && result.Priced {
		item.Price = level.priceText()
	}
	if result.SKU == listed.SKU {
		item.Content = ""
		if status == catalog.PublicationPublished || status == catalog.PublicationPending && result.Operation+result.Review != "" {
			item.Content = listed.content
		}
	}
	return item
}

func asItem(i channelsync.Item) connector.Item {
	return connector.Item{SKU: i.SKU, IDs: connector.IDs{Product: i.ExternalProduct, Variant: i.ExternalVariant, Other: i.OtherIDs()}}
}

// attributesOf reads free attributes under the labels of their codes, in the order of the labels.
func attributesOf(text string, labels map[string]string) []connector.Attribute {
	var raw map[string]any
	_ = json.Unmarshal([]byte(text), &raw)
	var list []connector.Attribute
	for code, value := range raw {
		name := labels[code]
		if name == "" {
			name = code
		}
		if shown := strings.TrimSpace(fmt.Sprint(value)); value != nil && shown != "" {
			list = append(list, connector.Attribute{Name: name, Value: shown})
		}
	}
	return sortedAttributes(list)
}

// levelResults are the results of a batch of stock levels and prices, by SKU. stock and price say whether the
// platform has the value now; a SKU whose value was not to be pushed is not in the map.
type levelResults struct {
	stock, price map[string]bool
	failed       map[string]connector.Result
	resting      map[string]connector.Result // partly left out until a time
	underway     map[string]string           // operations
	off          map[string]string           // why the platform took SKUs off sale, "" for those that are on sale
}

// levelResultsOf are the results of a batch before its first call: the platform has nothing yet.
func levelResultsOf(stocks []connector.StockItem, prices []connector.PriceItem, off map[string]string) levelResults {
	done := levelResults{stock: map[string]bool{}, price: map[string]bool{}, failed: map[string]connector.Result{},
		resting: map[string]connector.Result{}, underway: map[string]string{}, off: off}
	for _, i := range stocks {
		done.stock[i.SKU] = false
	}
	for _, i := range prices {
		done.price[i.SKU] = false
	}
	return done
}

// note adds the results of a call, which may also have returned an error; of is stock or price.
func (d levelResults) note(of map[string]bool, prices bool, results []connector.Result) {
	for _, result := range results {
		if !result.Rests.IsZero() {
			if d.resting[result.SKU] = result; prices || result.State == connector.Failed {
				continue
			}
		}
		switch result.State {
		case connector.Failed, connector.Gone:
			d.failed[result.SKU] = result
			continue
		case connector.Waiting:
			d.underway[result.SKU] = result.Operation
		}
		if _, asked := of[result.SKU]; asked {
			of[result.SKU] = true
		}
	}
}

// open reports whether stock or price of a SKU is still to be pushed.
func (d levelResults) open(sku string) bool {
	stock, hasStock := d.stock[sku]
	price, hasPrice := d.price[sku]
	return hasStock && !stock || hasPrice && !price
}

// settleLevels stores what the platform shows now. An item that the push did not reach, or that changed during the
// push, stays due.
func (r *channelRun) settleLevels(ctx context.Context, due []dueLevel, done levelResults) error {
	err := r.writeItems(ctx, func(tx *db.Tx) error {
		publications, err := r.publicationsOf(tx, due, done)
		if err != nil {
			return err
		}
		for _, d := range due {
			item := d.Item
			item.StockDue, item.CheckDue, item.Error = false, d.lookLater, r.watched(tx, d, done.off, publications)
			if item.Operation = done.underway[d.SKU]; item.Operation != "" {
				r.underway, r.news = true, true
			}
			switch result, refused := done.failed[d.SKU]; {
			case refused && result.State == connector.Gone:
				r.fail(d.SKU, d.ExternalProduct, "gone", "gone on the platform")
				publications.Fail(tx, d.Product, d.SKU+": gone on the platform")
				item.ExternalProduct, item.ExternalVariant, item.Content, item.Quantity, item.Price = "", "", "", nil, ""
			case refused:
				item.Error, item.StockDue = cmp.Or(item.Error, result.Error), result.Again
				r.fail(d.SKU, d.ExternalProduct, "refused", result.Error)
			case d.sold:
				item.StockDue = done.open(d.SKU)
				r.reached(&item, d, done)
				if rests, ok := done.resting[d.SKU]; ok {
					item.Error = cmp.Or(item.Error, rests.Error)
					r.rests(rests.Rests)
				}
			}
			channelsync.Put(tx, item)
		}
		return nil
	})
	return r.orDoubt(ctx, err, slices.Concat(slices.Collect(maps.Keys(done.stock)), slices.Collect(maps.Keys(done.price))), false)
}

// orDoubt handles the error of storing the results of a push. If another node has taken the job because this one
// stood still for so long, that node may have pushed newer values, and this push may have overwritten them. Then all
// SKUs of the push become due again.
func (r *channelRun) orDoubt(ctx context.Context, err error, skus []string, content bool) error {
	if len(skus) == 0 || !errors.Is(err, jobs.ErrLost) {
		return err
	}
	return errors.Join(err, r.store.Write(ctx, r.job.Tenant, func(tx *db.Tx) error {
		if _, err := r.held(tx); err != nil {
			return err
		}
		channelsync.Doubt(tx, r.channel.ID, skus, content)
		jobs.InsertOnce(tx, r.job.Type, r.channel.ID, unasked)
		return nil
	}))
}

// publicationsOf reads the publications of SKUs that were read or refused.
func (r *channelRun) publicationsOf(tx *db.Tx, due []dueLevel, done levelResults) (*catalog.Publications, error) {
	var products []id.Product
	for _, d := range due {
		_, seen := done.off[d.SKU]
		_, refused := done.failed[d.SKU]
		if seen || refused {
			products = append(products, d.Product)
		}
	}
	slices.Sort(products)
	return catalog.ReadPublications(tx, r.channel.ID, slices.Compact(products)...)
}

// offSale is the beginning of the error of an item that its platform took off sale.
const offSale = "the platform took it off sale: "

// watched marks the publication of a product as failed when the platform took the product off sale, and as published
// when it is back. It returns the error of the item, which stays until the product is back.
func (r *channelRun) watched(tx *db.Tx, d dueLevel, off map[string]string, publications *catalog.Publications) string {
	was := ""
	if strings.HasPrefix(d.Error, offSale) {
		was = d.Error
	}
	reason, seen := off[d.SKU]
	switch {
	case !seen:
		return was
	case reason == "" && was != "":
		publications.BackOnSale(tx, d.Product, d.SKU+": "+was)
		return ""
	case reason == "":
		return ""
	}
	if reason = offSale + reason; publications.Status(d.Product) == catalog.PublicationPublished {
		publications.Fail(tx, d.Product, d.SKU+": "+reason)
		r.fail(d.SKU, d.ExternalProduct, "off_sale", reason)
	} else if was != "" {
		return was // as the publication has it
	}
	return reason
}

// reached stores in an item what the platform shows now.
func (r *channelRun) reached(item *channelsync.Item, d dueLevel, done levelResults) {
	if pushed, was := done.stock[d.SKU]; d.quantity != connector.NotOurs && (pushed || !was) {
		n := d.quantity
		item.Quantity = &n
		r.pushed(pushed)
	}
	if pushed, was := done.price[d.SKU]; pushed || !was {
		item.Price = d.priceText()
		r.pushed(pushed)
	}
}

// pushed counts a write to the platform.
func (r *channelRun) pushed(really bool) {
	if really {
		r.job.Processed++
		r.job.Updated++
	}
}
