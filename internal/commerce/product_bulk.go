package commerce

import (
	"encoding/json"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// ProductAction is what a bulk change does to products (interface §4.5.1).
type ProductAction string

// The actions.
const (
	PublishProduct    ProductAction = "publish"
	WithdrawProduct   ProductAction = "withdraw"
	ProductStatus     ProductAction = "status"
	ProductCategories ProductAction = "categories"
	ProductPrice      ProductAction = "price"
)

// ProductActions lists them.
var ProductActions = []ProductAction{PublishProduct, WithdrawProduct, ProductStatus, ProductCategories, ProductPrice}

// ProductChange is one change for many products. Which members count depends on the action.
type ProductChange struct {
	Action   ProductAction  `json:"action"`
	Channels []id.Channel   `json:"channels,omitempty"` // of publish and withdraw
	Status   catalog.Status `json:"status,omitempty"`
	Add      []id.Category  `json:"add,omitempty"`
	Remove   []id.Category  `json:"remove,omitempty"`
	// By is what is added to prices: an amount or, if Percent is set, a percentage of -100 or more.
	By      money.Amount `json:"-"`
	Percent bool         `json:"percent,omitempty"`
}

// ProductChoice names products: by ids, or else by a filter of the list of products.
type ProductChoice struct {
	IDs    []id.Product   `json:"ids,omitempty"` // nil: the filter chooses
	Filter catalog.Filter `json:"filter"`
	Until  id.Product     `json:"until,omitempty"` // of a filter: the newest product; later ones are left out
}

// productBulk is the input of a job of type ProductBulk, with its caller, whose rights were checked when the job was
// requested, and that request.
type productBulk struct {
	ProductChange
	ProductChoice
	By       int64   `json:"by,omitempty"` // ProductChange.By in units of money.Amount
	Undo     id.Job  `json:"undo,omitempty"`
	Currency string  `json:"currency"`
	User     id.User `json:"user,omitempty"`
	Key      id.Key  `json:"key,omitempty"`
	Name     string  `json:"name,omitempty"` // of the user or the key
	Request  string  `json:"request,omitempty"`
}

// change is the change of the job.
func (in productBulk) change() ProductChange {
	c := in.ProductChange
	c.By = money.Amount(in.By)
	return c
}

// who is the caller on whose behalf the job works.
func (in productBulk) who(tenant id.Tenant) accounts.Caller {
	return accounts.Caller{Tenant: tenant, User: in.User, Key: in.Key, Name: in.Name, Currency: in.Currency}
}

// QueuedProducts is a bulk change that was accepted.
type QueuedProducts struct {
	Job     jobs.Job
	Missing []string // ids that the account does not have
}

// ChangeProducts queues a job that changes many products, some hundred in each transaction, and reports the outcome
// for each (interface §4.5.1). Errors: Invalid when no product is chosen; those of checkProductChange.
func (s *Service) ChangeProducts(tx *db.Tx, who accounts.Caller, c ProductChange, choice ProductChoice) (QueuedProducts, error) {
	if err := checkProductChange(tx, c); err != nil {
		return QueuedProducts{}, err
	}
	total, missing, err := choice.count(tx)
	if err != nil {
		return QueuedProducts{}, err
	}
	if total == 0 {
		return QueuedProducts{}, noProducts()
	}
	job, err := insertProductBulk(tx, who, productBulk{ProductChange: c, ProductChoice: choice}, total)
	return QueuedProducts{Job: job, Missing: missing}, err
}

// UndoProducts queues a job that reverses what a bulk change of statuses, categories or prices has done. A product that
// was changed since is refused. Errors: NotFound; Conflict while the change runs, or when it cannot be undone.
func (s *Service) UndoProducts(tx *db.Tx, who accounts.Caller, which id.Job) (jobs.Job, error) {
	made, err := jobs.ByID(tx, which)
	if err != nil {
		return jobs.Job{}, err
	}
	if !CanUndoProducts(made) {
		return jobs.Job{}, apperr.New(apperr.Conflict, "job_not_undoable",
			"only an ended bulk change of statuses, categories or prices, which changed products, can be undone")
	}
	in := readProductBulk(made)
	in.ProductChoice, in.Undo = ProductChoice{}, which
	return insertProductBulk(tx, who, in, made.Updated)
}

// CanUndoProducts reports whether a job is a bulk change that UndoProducts reverses.
func CanUndoProducts(job jobs.Job) bool {
	if job.Type != jobs.ProductBulk || job.CompletedAt == 0 || job.Updated == 0 {
		return false
	}
	in := readProductBulk(job)
	return in.Undo == "" && in.Action != PublishProduct && in.Action != WithdrawProduct
}

// ProductChangeOf is the change that a job of type ProductBulk makes, and the job that it undoes, "" for none.
func ProductChangeOf(job jobs.Job) (ProductChange, id.Job) {
	in := readProductBulk(job)
	return in.change(), in.Undo
}

func readProductBulk(job jobs.Job) (in productBulk) {
	_ = json.Unmarshal([]byte(job.Input), &in) // the service wrote it
	return in
}

func insertProductBulk(tx *db.Tx, who accounts.Caller, in productBulk, total int64) (jobs.Job, error) {
	if in.Undo == "" {
		in.By = int64(in.ProductChange.By)
	}
	in.Currency, in.User, in.Key, in.Name, in.Request = who.Currency, who.User, who.Key, who.Name, tx.Author().Request
	input, err := json.Marshal(in)
	if err != nil {
		return jobs.Job{}, err
	}
	job := jobs.Insert(tx, jobs.Job{Type: jobs.ProductBulk, Total: total, Input: string(input)})
	audit.Record(tx, who.Actor(), "products.changed", "job", string(job.ID), map[string]string{"action": string(in.Action)})
	return job, nil
}

func noProducts() error {
	return apperr.New(apperr.Invalid, "no_products", "no product is chosen")
}

// checkProductChange checks what a change names. Errors: Invalid for an unknown category, or for a channel that is
// unknown or, when products are to be published, inactive.
func checkProductChange(tx *db.Tx, c ProductChange) error {
	var wrong []apperr.Detail
	for _, which := range c.Channels {
		channel, err := channels.ByID(tx, which)
		switch {
		case apperr.Is(err, apperr.NotFound):
			wrong = append(wrong, apperr.Detail{Path: "channelIds", Message: string(which) + " is no channel of this account"})
		case err != nil:
			return err
		case c.Action == PublishProduct && !channel.Receives():
			wrong = append(wrong, apperr.Detail{Path: "channelIds", Message: string(which) + " is an inactive channel"})
		}
	}
	for _, given := range []struct {
		path string
		list []id.Category
	}{{"addCategoryIds", c.Add}, {"removeCategoryIds", c.Remove}} {
		for _, which := range given.list {
			_, err := catalog.CategoryByID(tx, which)
			switch {
			case apperr.Is(err, apperr.NotFound):
				wrong = append(wrong, apperr.Detail{Path: given.path, Message: string(which) + " is no category of this account"})
			case err != nil:
				return err
			}
		}
	}
	if len(wrong) > 0 {
		return apperr.Validation(wrong)
	}
	return nil
}

// count counts the chosen products, sets Until, and returns the ids that the account does not have.
func (c *ProductChoice) count(tx *db.Tx) (total int64, missing []string, err error) {
	if c.IDs != nil {
		c.IDs, missing, err = catalog.Existing(tx, c.IDs, nil)
		slices.Sort(c.IDs)
		return int64(len(c.IDs)), missing, err
	}
	f := c.Filter
	f.Sort, f.Descending, f.After, f.Offset, f.Limit = catalog.ByCreation, true, "", 0, 1
	newest, total, err := catalog.Page(tx, f)
	if len(newest) > 0 {
		c.Until = newest[0]
	}
	return total, []string{}, err
}

// next reads the ids of the chosen products behind one, up to limit, in the order of their ids.
func (c ProductChoice) next(tx *db.Tx, after id.Product, limit int) ([]id.Product, error) {
	if c.IDs != nil {
		at, found := slices.BinarySearch(c.IDs, after)
		if found {
			at++
		}
		return c.IDs[at:min(at+limit, len(c.IDs))], nil
	}
	f := c.Filter
	f.Sort, f.Descending, f.After, f.Offset, f.Limit = catalog.ByCreation, false, after, 0, limit
	list, _, err := catalog.Page(tx, f)
	return slices.DeleteFunc(list, func(p id.Product) bool { return p > c.Until }), err
}

// PublishFirst queues a job that publishes products on a channel that the transaction switches on, if there are any.
func (s *Service) PublishFirst(tx *db.Tx, who accounts.Caller, channel id.Channel, choice ProductChoice) error {
	total, _, err := choice.count(tx)
	if err == nil && total > 0 {
		change := ProductChange{Action: PublishProduct, Channels: []id.Channel{channel}}
		_, err = insertProductBulk(tx, who, productBulk{ProductChange: change, ProductChoice: choice}, total)
	}
	return err
}
