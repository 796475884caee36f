package dashboard

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/jobs"
	"entrepot/internal/limits"
)

// productBulkRoutes change many products at once; products_bulk_report.go shows how far that is.
var productBulkRoutes = []*route{
	{method: "GET", path: "/products/bulk", scope: "write:products", serve: (*Dashboard).showProductBulk},
	{method: "POST", path: "/products/bulk", scope: "write:products", serve: (*Dashboard).changeProducts},
	{method: "GET", path: "/products/bulk/{id}", scope: "read:products", serve: (*Dashboard).showProductReport},
	{method: "POST", path: "/products/bulk/{id}/action", scope: "write:products", serve: (*Dashboard).actOnProductJob},
	{method: "POST", path: "/products/bulk/{id}/report", scope: "read:products", serve: (*Dashboard).exportProductReport},
}

// bulkActions are what people call the actions: as the title of the page, and before the number of products on the
// button that confirms.
var bulkActions = map[commerce.ProductAction]struct{ Title, Verb string }{
	commerce.PublishProduct:    {"Publish products", "Publish %s"},
	commerce.WithdrawProduct:   {"Withdraw products", "Withdraw %s"},
	commerce.ProductStatus:     {"Change the status of products", "Change %s"},
	commerce.ProductCategories: {"Change the categories of products", "Change %s"},
	commerce.ProductPrice:      {"Change prices", "Change %s"},
}

// productBulkView is what templates/products_bulk.html shows: a change of many products, and what it would do.
type productBulkView struct {
	Form    *form
	Kept    []pair // which products are chosen
	Chosen  string // "1,312 products"
	Preview *bulkPreview
	Back    string
}

// bulkPreview is what a change would do, and the form that confirms it.
type bulkPreview struct {
	Counts  []pair
	Notes   []callout
	Samples []bulkSample
	Confirm *form
	Kept    []pair
	Label   string // of the button: "Publish 1,312 products"
	Typed   string // what has to be typed to confirm, "" for nothing
	Wrong   bool   // something else was typed
}

// bulkSample is a product before and after a change.
type bulkSample struct {
	Name, SKU, To string
	Badge         badge
	Before, After string
	Message       string
}

// bulkRequest is a change of many products, as an address or a form has it.
type bulkRequest struct {
	sent   url.Values
	action commerce.ProductAction
	choice commerce.ProductChoice
	list   *listing // the list of products that they were chosen from
}

// readProductBulk reads which products are chosen: those ticked (id), or all of the list whose parameters list has.
// Errors: Invalid without an action or a product.
func (r *request) readProductBulk(sent url.Values) (b bulkRequest, err error) {
	b = bulkRequest{sent: sent, action: commerce.ProductAction(sent.Get("action"))}
	if channel := sent.Get("publish"); channel != "" { // the menu of the list
		b.action = commerce.PublishProduct
		sent.Set("action", string(b.action))
		sent.Set("channelIds", channel)
		sent.Del("publish")
	}
	if bulkActions[b.action].Title == "" {
		return b, apperr.New(apperr.Invalid, "invalid_action", "products cannot be changed in this way")
	}
	given, err := url.ParseQuery(sent.Get("list"))
	if err != nil {
		return b, apperr.New(apperr.Invalid, "invalid_list", "the address of the list cannot be read")
	}
	if category := sent.Get("category"); category != "" {
		given.Set("categoryId", category)
	}
	b.list, b.choice.Filter = r.productListOf(given)
	if b.list.wrong() {
		return b, apperr.New(apperr.Invalid, "invalid_list", "the filter of the list cannot be read")
	}
	if sent.Get("all") != "" {
		return b, nil
	}
	b.choice.IDs = []id.Product{}
	for _, text := range tickedOrders(sent) {
		product, ok := id.Parse[id.Product](text)
		if !ok {
			return b, apperr.New(apperr.Invalid, "invalid_ids", "a product that was chosen cannot be read")
		}
		b.choice.IDs = append(b.choice.IDs, product)
	}
	if len(b.choice.IDs) > limits.MaxBulkChosen {
		return b, apperr.New(apperr.Invalid, "too_many_products", "too many products are ticked: select all of them")
	}
	return b, nil
}

// kept are the inputs that say which products are chosen, and for what.
func (b bulkRequest) kept(names ...string) (list []pair) {
	for _, name := range append([]string{"action", "list", "category", "all", "id"}, names...) {
		for _, value := range b.sent[name] {
			list = append(list, pair{Name: name, Value: value})
		}
	}
	return list
}

// bulkInputs are the names of the inputs of all actions.
var bulkInputs = []string{"channelIds", "status", "addCategoryIds", "removeCategoryIds", "percent", "amount"}

// complete reports whether the form of the change was filled in, so that there is something to preview.
func (b bulkRequest) complete() bool {
	return slices.ContainsFunc(bulkInputs, func(name string) bool { return len(nonEmpty(b.sent[name])) > 0 })
}

// showProductBulk serves GET /products/bulk: what to do with the chosen products and, once that is filled in, what it
// would do.
func (d *Dashboard) showProductBulk(r *request) (answer, error) {
	sent := r.http.URL.Query()
	if !sent.Has("action") && !sent.Has("publish") {
		return answer{to: "/products"}, nil
	}
	b, err := r.readProductBulk(sent)
	if err != nil {
		return answer{}, err
	}
	if b.choice.IDs != nil && len(b.choice.IDs) == 0 {
		return answer{to: b.list.first(), flash: &flash{Tone: "warn", Text: "No product is selected"}}, nil
	}
	return d.productBulkPage(r, b, "")
}

// productBulkPage is the page of a change; typed is what was typed to confirm it.
func (d *Dashboard) productBulkPage(r *request, b bulkRequest, typed string) (answer, error) {
	f, names, err := r.productBulkForm(b)
	if err != nil {
		return answer{}, err
	}
	words := bulkActions[b.action]
	view := productBulkView{Form: f, Kept: b.kept(), Back: b.list.with()}
	status := http.StatusOK
	if b.complete() {
		change := drafts.ReadProductChange(f.Object())
		err := f.Object().Err()
		if err == nil {
			var found commerce.ProductsPreview
			if found, err = d.previewProducts(r, change, b.choice); err == nil {
				view.Preview = r.bulkPreview(b, found, names, typed)
			}
		}
		if err != nil && !f.fail(err) {
			return answer{}, err
		}
		if err != nil {
			status = http.StatusUnprocessableEntity
		}
	}
	view.Chosen = r.format.plural(int64(len(b.choice.IDs)), "selected product", "selected products")
	if b.choice.IDs == nil {
		view.Chosen = "all products of the list"
		if !b.list.narrowed() {
			view.Chosen = "all products"
		}
	}
	out := show(screen{Template: "products_bulk", Title: words.Title, Section: "/products",
		Crumbs: []crumb{{"Products", b.list.first()}, {words.Title, ""}}, Data: view})
	out.status = status
	return out, nil
}

func (d *Dashboard) previewProducts(r *request, c commerce.ProductChange, choice commerce.ProductChoice) (found commerce.ProductsPreview, err error) {
	err = r.readWide(func(tx *db.Tx) (err error) {
		found, err = d.Commerce.PreviewProducts(tx, r.caller(), c, choice)
		return err
	})
	return found, err
}

// changeProducts serves POST /products/bulk: a job changes the products that were previewed. If more match than the
// preview showed, or a price jumps and that was not confirmed, the page is shown again.
func (d *Dashboard) changeProducts(r *request) (answer, error) {
	sent := r.http.PostForm
	b, err := r.readProductBulk(sent)
	if err != nil {
		return answer{}, err
	}
	f, _, err := r.productBulkForm(b)
	if err != nil {
		return answer{}, err
	}
	change := drafts.ReadProductChange(f.Object())
	if f.Object().Err() != nil {
		return d.productBulkPage(r, b, "")
	}
	if b.action == commerce.PublishProduct || b.action == commerce.WithdrawProduct {
		if err := r.caller().Needs("write:channels"); err != nil {
			return answer{}, err
		}
	}
	found, err := d.previewProducts(r, change, b.choice)
	if err != nil {
		return answer{}, err
	}
	typed, largest := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(sent.Get("confirm")), "%")), strconv.FormatInt(found.Largest, 10)
	if sent.Get("total") != strconv.FormatInt(found.Total, 10) || found.Jumps > 0 && typed != largest {
		return d.productBulkPage(r, b, sent.Get("confirm"))
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		queued, err := d.Commerce.ChangeProducts(tx, r.caller(), change, b.choice)
		return redirect("/products/bulk/"+string(queued.Job.ID), ""), err
	})
}

// bulkNames are what people call the channels and categories of a change.
type bulkNames map[string]string

// productBulkForm is the form of a change, filled from the request, and the names of its choices.
func (r *request) productBulkForm(b bulkRequest) (*form, bulkNames, error) {
	var fields []field
	names := bulkNames{}
	err := r.read(func(tx *db.Tx) (err error) {
		fields, err = r.productBulkFields(tx, b.action, names)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	f := r.form("/products/bulk", append(fields, hiddenField("action", string(b.action)))...)
	f.take(b.sent)
	for _, in := range f.Fields {
		in.choose()
	}
	return f, names, nil
}

func (r *request) productBulkFields(tx *db.Tx, action commerce.ProductAction, names bulkNames) ([]field, error) {
	switch action {
	case commerce.PublishProduct, commerce.WithdrawProduct:
		list, _, err := channels.List(tx, maxChoices, 0)
		in := field{Name: "channelIds", Label: "Channels", Kind: "checks"}
		for _, c := range list {
			names[string(c.ID)] = c.Name
			if c.Receives() || action == commerce.WithdrawProduct {
				in.Options = append(in.Options, option{Value: string(c.ID), Label: c.Name})
			}
		}
		return []field{in}, err
	case commerce.ProductStatus:
		in := field{Name: "status", Label: "Status", Kind: "select"}
		for _, s := range catalog.Statuses {
			in.Options = append(in.Options, option{Value: string(s), Label: productBadges[s].Word})
		}
		return []field{in}, nil
	case commerce.ProductCategories:
		list, _, err := catalog.ListCategories(tx, catalog.CategoryFilter{Limit: maxChoices})
		var options []option
		for _, c := range list {
			names[string(c.ID)] = c.Name
			options = append(options, option{Value: string(c.ID), Label: c.Name})
		}
		return []field{{Name: "addCategoryIds", Label: "Add to", Kind: "checks", Options: options},
			{Name: "removeCategoryIds", Label: "Remove from", Kind: "checks", Options: options}}, err
	}
	return []field{
		{Name: "percent", Label: "Percent", Kind: "decimal", Hint: "10 raises prices by a tenth, -10 lowers them"},
		{Name: "amount", Label: "Or an amount", Kind: "decimal", Digits: money.Digits(r.caller().Currency),
			Hint: r.say("In %s: 2 raises each price by 2, -2 lowers it; no price falls below 0", r.caller().Currency)}}, nil
}

// bulkPreview shows what a change would do, and asks to confirm it.
func (r *request) bulkPreview(b bulkRequest, found commerce.ProductsPreview, names bulkNames, typed string) *bulkPreview {
	count, many := r.format.Count, r.format.plural(found.Total, "product", "products")
	p := &bulkPreview{Confirm: r.another("/products/bulk"), Kept: b.kept(bulkInputs...), Label: r.say(bulkActions[b.action].Verb, many)}
	p.Kept = append(p.Kept, pair{Name: "total", Value: strconv.FormatInt(found.Total, 10)})
	p.Counts = []pair{{Name: "Products", Value: count(found.Total)}, {Name: "Would change", Value: count(found.Changed)},
		{Name: "Are so already", Value: count(found.Unchanged)}, {Name: "Would be refused", Value: count(found.Refused)}}
	if seen := b.sent.Get("total"); seen != "" && seen != strconv.FormatInt(found.Total, 10) {
		p.Notes = append(p.Notes, newCallout("warn", r.say("Meanwhile %s match", many), "Look at the preview again before you confirm."))
	}
	if found.Partial() {
		p.Notes = append(p.Notes, newCallout("", r.say("The first %s products were examined", count(found.Examined)),
			"The counts below are of these. The report has the outcome of every product."))
	}
	if found.Jumps > 0 {
		p.Typed = strconv.FormatInt(found.Largest, 10)
		p.Wrong = typed != ""
		p.Notes = append(p.Notes, newCallout("bad", r.say("%s by more than half", r.format.plural(found.Jumps, "price changes", "prices change")),
			r.say("The largest change is %s %%.", count(found.Largest))))
	}
	for _, s := range found.Samples {
		row := r.bulkSample(s.Product, names)
		if row.Name = s.Name; s.Outcome == jobs.Done {
			row.Badge.Word = "Would change"
		}
		p.Samples = append(p.Samples, row)
	}
	return p
}

// bulkOutcomes are the outcomes of a product in a preview and in a report.
var bulkOutcomes = map[jobs.Outcome]badge{jobs.Done: {"good", "ok", "Changed"}, jobs.Unchanged: {"", "pending", "Unchanged"},
	jobs.Refused: {"bad", "fail", "Refused"}}

func (r *request) bulkSample(o jobs.Product, names bulkNames) bulkSample {
	row := bulkSample{SKU: o.SKU, Badge: bulkOutcomes[o.Outcome], Message: sentence(o.Message)}
	if o.SKU != "" {
		row.To = prefix + "/products/" + string(o.ID)
	}
	if o.Before != "" {
		before, after := commerce.ReadProductPart(o.Before), commerce.ReadProductPart(o.After)
		row.Before, row.After = r.partWords(before, o.SKU, names), r.partWords(after, o.SKU, names)
	}
	return row
}

// mostPrices is how many prices of one product are shown.
const mostPrices = 3

// partWords are the words for the part of a product that a change is about.
func (r *request) partWords(p commerce.ProductPart, sku string, names bulkNames) string {
	switch {
	case p.Status != "":
		return productBadges[p.Status].Word
	case p.Prices != nil:
		amount := func(sku string) string {
			a, _ := money.Parse(p.Prices[sku])
			return r.format.Money(a, r.caller().Currency)
		}
		list := []string{amount(sku)}
		for _, other := range slices.Sorted(maps.Keys(p.Prices)) {
			if other != sku {
				list = append(list, other+" "+amount(other))
			}
		}
		if more := len(list) - mostPrices; more > 0 {
			list = append(list[:mostPrices], r.say("%s more", r.format.Count(int64(more))))
		}
		return strings.Join(list, ", ")
	}
	var list []string
	for _, category := range p.Categories {
		list = append(list, names.of(string(category), "a category"))
	}
	for _, channel := range p.Channels {
		list = append(list, names.of(string(channel), "a channel"))
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func (n bulkNames) of(record, unknown string) string {
	if name := n[record]; name != "" {
		return name
	}
	return unknown
}
