package commerce_test

import (
	"slices"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
)

// importing is an import onto a platform's channel, and its job.
type importing struct {
	*platform
	t        *testing.T
	job      id.Job
	products []id.Product
}

// newImport imports three products onto the channel, and one item that is rejected.
func newImport(t *testing.T, store *db.DB) *importing {
	t.Helper()
	p := newPlatform(t, store, 0)
	i := &importing{platform: p, t: t}
	in := commerce.Import{Channel: p.channel.ID, Errors: []records.ItemError{{Index: 3, Key: "D", Error: "price is required", Code: "required"}}}
	for n, sku := range []string{"A", "B", "C"} {
		in.Drafts = append(in.Drafts, catalog.Draft{Index: n, SKU: sku, Name: patch.To(sku), Price: patch.To(money.Amount(90000))})
	}
	if err := p.write(t, func(tx *db.Tx) error {
		plan, err := p.do.PlanImport(tx, p.who, in)
		if err != nil {
			return err
		}
		i.products = nil
		for _, c := range plan.Changes {
			i.products = append(i.products, c.After.ID)
		}
		out, err := plan.Apply(tx, p.who)
		i.job = out.Job
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return i
}

// look has a worker look at the job, and gives what it is then.
func (i *importing) look() (j jobs.Job) {
	i.t.Helper()
	read := func() {
		if err := i.store.Read(i.t.Context(), i.who.Tenant, func(tx *db.Tx) (err error) {
			j, err = jobs.ByID(tx, i.job)
			return err
		}); err != nil {
			i.t.Fatal(err)
		}
	}
	read()
	if err := i.write(i.t, func(tx *db.Tx) error { return i.do.RunJob(tx, j) }); err != nil {
		i.t.Fatal(err)
	}
	read()
	return j
}

// settle has the platform settle a product's publication.
func (i *importing) settle(product int, status catalog.PublicationStatus, reason string) {
	i.t.Helper()
	if err := i.write(i.t, func(tx *db.Tx) error {
		p, err := catalog.ReadPublications(tx, i.channel.ID, i.products[product])
		if err == nil {
			p.Settle(tx, i.products[product], status, "", "", reason)
		}
		return err
	}); err != nil {
		i.t.Fatal(err)
	}
}

// ended fails unless the job has ended so.
func (i *importing) ended(status jobs.Status, processed, failed int64, errors ...string) {
	i.t.Helper()
	j := i.look()
	if j.Status != status || j.Processed != processed || j.Failed != failed || j.Total != 4 || j.CompletedAt == 0 {
		i.t.Errorf("%s with %d of %d processed and %d failed, want %s with %d and %d", j.Status, j.Processed, j.Total, j.Failed, status, processed,
			failed)
	}
	var got []string
	for _, e := range records.ReadJobErrors(j.Errors) {
		got = append(got, e.Key+": "+e.Error)
	}
	if !slices.Equal(got, append([]string{"D: price is required"}, errors...)) {
		i.t.Errorf("errors %q, want %q", got, errors)
	}
	want := "channel.sync_completed"
	if status == jobs.Failed {
		want = "channel.sync_failed"
	}
	if events := i.events(i.t); events[len(events)-1] != want || slices.Contains(events[:len(events)-1], want) {
		i.t.Errorf("events %v", events)
	}
}

// The job of an import goes on as long as a product is being published: its progress is that of the publications. It ends with the last.
func TestImportEndsWithItsPublications(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		i := newImport(t, store)
		going := func(processed, failed int64) {
			t.Helper()
			if j := i.look(); j.Status != jobs.Processing || j.Processed != processed || j.Failed != failed || j.Total != 4 || j.DueAt == 0 {
				t.Errorf("%+v", j)
			}
		}
		going(1, 1)
		i.settle(0, catalog.PublicationPublished, "")
		going(2, 1)
		i.settle(1, catalog.PublicationFailed, "B: its picture is gone")
		going(3, 2)
		if events := i.events(t); slices.Contains(events, "channel.sync_completed") {
			t.Errorf("events %v", events)
		}
		i.settle(2, catalog.PublicationPublished, "")
		i.ended(jobs.CompletedWithErrors, 4, 2, "B: B: its picture is gone")
	})
}

// It ends whatever happens to what it waits for.
func TestImportEndsInAnyCase(t *testing.T) {
	const left = "it is not published yet"
	for name, c := range map[string]struct {
		change func(i *importing)
		status jobs.Status
		left   bool // products are not published
		why    string
	}{
		"products deleted": {func(i *importing) {
			for _, p := range i.products {
				if err := i.write(i.t, func(tx *db.Tx) error {
					return i.do.DeleteProduct(tx, i.who, p, commerce.Expected{})
				}); err != nil {
					i.t.Fatal(err)
				}
			}
		}, jobs.CompletedWithErrors, false, ""},
		"taken off meanwhile": {func(i *importing) {
			for n := range i.products {
				if err := i.write(i.t, func(tx *db.Tx) error {
					p, err := catalog.ReadPublications(tx, i.channel.ID, i.products[n])
					if err == nil {
						err = p.Remove(tx, i.products[n])
					}
					return err
				}); err != nil {
					i.t.Fatal(err)
				}
			}
		}, jobs.CompletedWithErrors, false, ""},
		"deactivated": {func(i *importing) { i.set(channels.Inactive) }, jobs.Failed, true, "the channel is inactive"},
		"credentials refused": {func(i *importing) { i.set(channels.NeedsReauth) }, jobs.Failed, true,
			"the channel's credentials were refused: enter new ones and test the connection"},
		"pushing failed": {func(i *importing) { i.push(time.Second) }, jobs.Failed, true, "the rest could not be published: the shop is down"},
		"nothing moves": {func(i *importing) {
			i.look()
			i.exec("UPDATE jobs SET cursor = '{\"settled\":0,\"since\":1}' WHERE tenant_id = $1")
		}, jobs.Failed, true, "the platform has not settled the rest for a day"},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Engines(t, func(t *testing.T, store *db.DB) {
				i := newImport(t, store)
				i.push(-time.Hour) // an outage before it
				if j := i.look(); j.Status != jobs.Processing {
					t.Fatalf("%+v", j)
				}
				c.change(i)
				if !c.left {
					i.ended(c.status, 4, 1)
					return
				}
				i.ended(c.status, 1, 4, ": "+c.why, "A: "+left, "B: "+left, "C: "+left)
			})
		})
	}
}

// What is published before the end counts: such an import did not fail.
func TestImportThatIsPublishedInPart(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		i := newImport(t, store)
		i.settle(1, catalog.PublicationPublished, "")
		i.settle(2, catalog.PublicationPending, "C: try again")
		i.set(channels.Inactive)
		i.ended(jobs.CompletedWithErrors, 4, 3, ": the channel is inactive", "A: it is not published yet", "C: C: try again")
	})
}

func (i *importing) exec(sql string, args ...any) {
	i.t.Helper()
	if err := i.write(i.t, func(tx *db.Tx) error {
		_, err := tx.Exec(sql, append([]any{tx.Tenant}, args...)...)
		return err
	}); err != nil {
		i.t.Fatal(err)
	}
}

func (i *importing) set(status channels.Status) {
	i.t.Helper()
	i.exec("UPDATE channels SET status = $3 WHERE tenant_id = $1 AND id = $2::UUID", i.channel.ID, string(status))
}

// push is a push of products that failed at a time from now.
func (i *importing) push(after time.Duration) {
	i.t.Helper()
	if err := i.write(i.t, func(tx *db.Tx) error {
		j := jobs.Insert(tx, jobs.Job{Type: jobs.ProductPush, Channel: i.channel.ID,
			Errors: records.JobErrors(records.JobError("the shop is down", ""))})
		jobs.Finish(tx, j, true)
		return nil
	}); err != nil {
		i.t.Fatal(err)
	}
	i.exec("UPDATE jobs SET completed_at = completed_at + $2 WHERE tenant_id = $1 AND type = 'product_push' AND completed_at = "+
		"(SELECT max(completed_at) FROM jobs WHERE tenant_id = $1 AND type = 'product_push')", after.Microseconds())
}
