// Package verify checks the rules that a whole store must always meet: data that is stored twice agrees, and every
// change has its event. It reads account by account, each check on one snapshot, and may run while the service works.
//
//	Check    one rule, with a name and a sentence
//	Result   how often it was checked, and where it does not hold
//	Repair   also corrects data derived from records (repair.go); Run changes nothing
//
// It also proves that an erased person's data is gone (interface §4.4, §10), with Proof as the result:
//
//	FindTexts     searches for given texts, a name or an e-mail, in every byte of the store
//	CheckRecords  checks the records of erased customers, whose texts are not known any more
package verify

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/view/all"
)

// Check is one rule that always holds.
type Check struct {
	Name string
	Says string
	run  func(c *account) error

	// Derived says that the check compares copies of records with the records, so that Repair can correct the copies.
	Derived bool
}

// Checks are all checks, in the order in which they run.
var Checks = []Check{
	{"ledger", "The movements of a stock level add up to what it has on hand, each balance being the one before plus its delta.",
		ledger, false},
	{"levels", "A living stock level stands in a warehouse there is, for what its SKU stands for, and is low exactly when it is below its " +
		"threshold.", levels, false},
	{"reservations", "A stock level has reserved what the lines of open orders hold of it.", reservations, false},
	{"warehouses", "An account has exactly one default warehouse.", warehouses, false},
	{"open lines", "A line holds all that remains of it while its order is open, and nothing once it is not.", openLines, false},
	{"shipped lines", "What is shipped of a line is what the shipments of its order contain of it.", shippedLines, false},
	{"order status", "An order's status fits what was shipped of it.", orderStatus, false},
	{"order totals", "An order's amounts follow from its lines.", orderTotals, false},
	{"order countries", "Lists find and count an order by the country that its shipping address names.", orderCountries, true},
	{"order e-mails", "Lists find an order by the e-mail address that it has, its own or through its customer.", orderEmails, true},
	{"order tags", "Lists find an order by each of its tags, and by no other.", orderTags, false},
	{"order history", "An order's history is one chain of allowed moves, from how it was created to how it is.", orderHistory, false},
	{"order numbers", "The next order number is beyond every order's.", orderNumbers, false},
	{"shipments", "Every line of a shipment has its shipment, and every shipment its order.", shipments, false},
	{"order figures", "The kept counts and sums of orders are those of the orders.", orderFigures, true},
	{"kept counts", "The kept counts of customers, orders, the catalog and stock levels are those of the records.", keptCounts, true},
	{"searches", "Searches look through every order, customer and product, as it is, and through nothing else.", searched, true},
	{"reopened orders", "An order that was reopened and the one that reopens it name each other; the former is cancelled.", reopenedOrders, false},
	{"order channels", "The channel of an order, a publication or a job that is due is there.", orderChannels, false},
	{"customer totals", "A customer's count and total are those of the orders, and every order's customer is there.", customerTotals, true},
	{"skus", "Every SKU stands for one living product or variant, and every one of these has its SKU.", skus, false},
	{"product parts", "A product knows how many variants and categories it has.", productParts, false},
	{"categories", "The parents of a category are there and lead to one without a parent.", categories, false},
	{"order events", "An order has one event for its receipt and one for every move and shipment since.", orderEvents, false},
	{"record events", "Products, categories and customers have one event for their creation and one for their deletion.", recordEvents, false},
	{"stock events", "The newest event of a stock level says what it has on hand.", stockEvents, false},
	{"deliveries", "Every event that was dispatched has a delivery to each endpoint that wanted it.", deliveries, false},
	{"delivery figures", "The kept figures of deliveries are those of the deliveries and their attempts.", deliveryFigures, true},
	{"stamps", "No two changes of an account have one stamp, and none is ahead of its change clock.", stamps, false},
	{"owners", "An account that has got users has an active owner.", owners, false},
	{"refunds", "What is refunded of an order and of its lines is what its refunds add up to.", refunds, false},
	{"returns", "No more units of a line come back than were shipped, what was received and is to be restocked is on hand, and a refunded " +
		"return has its refund.", returns, false},
	{"json", "Addresses, metadata and settings are JSON.", objects, false},
	{"event payloads", "What an event delivers is what was recorded with its change.", payloads, false},
	{"kept answers", "What is kept for an Idempotency-Key is what was answered.", answers, false},
	{"audit log", "The entries of the audit log are those that were recorded, in their order.", auditLog, false},
	{"idempotency", "A kept answer of an order's creation is about an order that is there.", idempotency, false},
}

func init() {
	for _, v := range all.Views {
		if v.Compare != nil {
			Checks = append(Checks, Check{v.Name, v.Says, func(c *account) error { return v.Verify(c.Tx, c.look, c.derived) }, true})
		}
	}
}

// Result is the result of one check over all accounts.
type Result struct {
	Check
	Looked   int64    // records checked
	Wrong    int64    // of these, where the rule does not hold
	Examples []string // the first few records where the rule does not hold
	Took     time.Duration

	Repaired int64    // by Repair: violations that it removed
	Repairs  []string // the first of those: the records' value, which is now stored, and the former value
}

// maxExamples limits the examples of a result.
const maxExamples = 5

// account is one account during one check.
type account struct {
	*db.Tx
	id          id.Account
	result      *Result
	corrections *corrections // nil unless derived data is corrected
}

// look counts one checked record.
func (c *account) look() { c.result.Looked++ }

// wrong records that the rule does not hold for a record.
func (c *account) wrong(format string, args ...any) {
	c.result.Wrong++
	if len(c.result.Examples) < maxExamples {
		c.result.Examples = append(c.result.Examples, c.says(format, args...))
	}
}

func (c *account) says(format string, args ...any) string {
	return fmt.Sprintf("account %s: ", c.id) + fmt.Sprintf(format, args...)
}

// derived is wrong for a copy of records; correct corrects the copy.
func (c *account) derived(correct func(tx *db.Tx) error, format string, args ...any) {
	c.wrong(format, args...)
	if c.corrections != nil {
		c.corrections.add(correct, func() string { return c.says(format, args...) })
	}
}

// each calls row for every row of a query, whose $1 is the account.
func (c *account) each(sql string, args []any, row func(r db.Rows) error) error {
	return c.Each(func(r db.Rows) error {
		c.look()
		return row(r)
	}, sql, append([]any{c.Tenant}, args...)...)
}

// atOnce is how many checks run at once. Each may hold some 40 MB.
const atOnce = 2

// Run runs every check over every account, or over one. A store that cannot be read is an error; the results have the
// violated rules.
func Run(ctx context.Context, store *db.DB, only id.Account) ([]Result, error) {
	accounts, err := accountsOf(ctx, store, only)
	if err != nil {
		return nil, err
	}
	results := newResults()
	for _, a := range accounts {
		checks, ctx := errgroup.WithContext(ctx)
		checks.SetLimit(atOnce)
		for i := range results {
			checks.Go(func() error {
				return store.Read(ctx, a.tenant, func(tx *db.Tx) error { return results[i].add(tx, a.id, nil) })
			})
		}
		if err := checks.Wait(); err != nil {
			return nil, err
		}
	}
	return results, nil
}

func newResults() []Result {
	results := make([]Result, len(Checks))
	for i, check := range Checks {
		results[i].Check = check
	}
	return results
}

// add runs the check for one account and adds the violations that it finds, and to corrections, unless it is nil, how
// to remove them.
func (r *Result) add(tx *db.Tx, of id.Account, corrections *corrections) error {
	start := time.Now()
	if err := r.run(&account{tx, of, r, corrections}); err != nil {
		return fmt.Errorf("%s of account %s: %w", r.Name, of, err)
	}
	r.Took += time.Since(start)
	return nil
}

type numbered struct {
	tenant id.Tenant
	id     id.Account
}

// accountsOf lists the accounts to check. It serves every tenant.
func accountsOf(ctx context.Context, store *db.DB, only id.Account) (list []numbered, err error) {
	err = store.Read(ctx, db.Across, func(tx *db.Tx) error {
		return tx.Each(func(r db.Rows) error {
			var a numbered
			err := r.Scan(&a.tenant, &a.id)
			if only == "" || a.id == only {
				list = append(list, a)
			}
			return err
		}, "SELECT tenant_id, id FROM tenants ORDER BY tenant_id")
	})
	if err == nil && only != "" && len(list) == 0 {
		err = fmt.Errorf("there is no account %s", only)
	}
	return list, err
}
