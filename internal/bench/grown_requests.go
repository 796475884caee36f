package bench

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// grownRequest is one kind of request: addresses that are asked in turn, and the goal in milliseconds.
type grownRequest struct {
	list, name string
	addresses  []string
	goal       float64
}

// Goals of requests of an account with a million orders and products, in milliseconds.
const (
	listGoal = 20
	pageGoal = 60 // a deep page by its number, or the first of a year by total
	sumGoal  = 10
)

// samplesWanted is how many orders and products are read to know what to ask for.
const samplesWanted = 10

// samples are what requests ask for.
type samples struct {
	records                           map[string]int64
	customers, emails, words          []string
	numbers, references               []string
	skus, names                       []string
	tag, channel, category, warehouse string
	deepPage, deepProducts            int64
	country                           string
	deepCursor, yearCursor, skuPrefix string
	usual, usualSKU                   string // what the addresses, or the SKUs, of very many records have
}

// listed is an answer of a list, with the fields of any record that requests ask for.
type listed struct {
	Data []struct {
		ID                string `json:"id"`
		OrderNumber       string `json:"orderNumber"`
		ExternalReference string `json:"externalReference"`
		CustomerID        string `json:"customerId"`
		CustomerName      string `json:"customerName"`
		CustomerEmail     string `json:"customerEmail"`
		ShippingAddress   struct {
			Country string `json:"country"`
		} `json:"shippingAddress"`
		SKU  string   `json:"sku"`
		Name string   `json:"name"`
		Code string   `json:"code"`
		Tags []string `json:"tags"`
	} `json:"data"`
	Meta struct {
		Total      int64  `json:"total"`
		NextCursor string `json:"nextCursor"`
	} `json:"meta"`
}

// takeSamples reads orders and products from all over the account.
func takeSamples(ctx context.Context, k *caller) (*samples, error) {
	s := &samples{records: map[string]int64{}}
	read := func(path string) (l listed, err error) {
		if err = ctx.Err(); err == nil {
			err = k.call("GET", path, nil, &l)
		}
		return l, err
	}
	for _, list := range []string{"orders", "products", "inventory", "customers"} {
		l, err := read("/api/v1/" + list + "?limit=1")
		if err != nil {
			return nil, err
		}
		if s.records[list] = l.Meta.Total; l.Meta.Total == 0 {
			return nil, fmt.Errorf("the account has no %s: fill one by \"entrepot bench fill\"", list)
		}
	}
	for i := range int64(samplesWanted) {
		orders, err := read(fmt.Sprintf("/api/v1/orders?limit=20&page=%d", 1+i*s.records["orders"]/20/samplesWanted))
		if err != nil {
			return nil, err
		}
		s.takeOrder(orders)
		products, err := read(fmt.Sprintf("/api/v1/products?limit=1&page=%d", 1+i*min(s.records["products"]/samplesWanted, 1000)))
		if err != nil {
			return nil, err
		}
		for _, p := range products.Data {
			s.skus, s.names = append(s.skus, p.SKU), append(s.names, p.Name)
		}
	}
	return s, s.takeRest(read)
}

// takeOrder takes an order with a customer, and one with a reference.
func (s *samples) takeOrder(l listed) {
	customer, reference := false, false
	for _, o := range l.Data {
		if o.CustomerID != "" && o.CustomerEmail != "" && !customer {
			customer = true
			s.customers, s.emails = append(s.customers, o.CustomerID), append(s.emails, o.CustomerEmail)
			s.words, s.numbers = append(s.words, o.CustomerName), append(s.numbers, o.OrderNumber)
		}
		s.country = cmp.Or(o.ShippingAddress.Country, s.country)
		if o.ExternalReference != "" && !reference {
			reference = true
			s.references = append(s.references, o.ExternalReference)
		}
	}
}

// takeRest reads the places of deep pages, a tag, a channel, a category and a warehouse.
func (s *samples) takeRest(read func(path string) (listed, error)) error {
	s.deepPage = max(1, s.records["orders"]/20*4/5)
	s.deepProducts = max(1, s.records["products"]/20/2) // the middle is the farthest from both ends
	deep, err := read(fmt.Sprintf("/api/v1/orders?limit=20&page=%d", s.deepPage))
	if err != nil {
		return err
	}
	year, err := read("/api/v1/orders?limit=20&sort=total:desc&" + yearBefore(time.Now()))
	if err != nil {
		return err
	}
	s.deepCursor, s.yearCursor = deep.Meta.NextCursor, year.Meta.NextCursor
	customers, err := read("/api/v1/customers?limit=100")
	if err != nil {
		return err
	}
	for _, c := range customers.Data {
		if len(c.Tags) > 0 {
			s.tag = c.Tags[0]
		}
	}
	for path, into := range map[string]*string{"/api/v1/channels": &s.channel, "/api/v1/categories": &s.category,
		"/api/v1/warehouses": &s.warehouse} {
		l, err := read(path)
		if err != nil {
			return err
		}
		if len(l.Data) > 0 {
			*into = cmp.Or(l.Data[0].Code, l.Data[0].ID)
		}
	}
	s.skuPrefix = s.skus[0][:len(s.skus[0])*2/3]
	s.usualSKU = s.skus[0][:len(s.skus[0])*1/3]
	if len(s.emails) > 0 {
		s.usual = s.emails[0][strings.LastIndexByte(s.emails[0], '.')+1:]
	}
	return nil
}

func yearBefore(now time.Time) string {
	return "createdAtGte=" + now.AddDate(-1, 0, 0).UTC().Format(time.DateOnly)
}

// pastYear is the year that ended eleven months ago: lists by number pass all later orders.
func pastYear(now time.Time) string {
	end := now.AddDate(0, -11, 0).UTC()
	return "createdAtGte=" + end.AddDate(-1, 0, 0).Format(time.DateOnly) + "&createdAtLte=" + end.Format(time.DateOnly)
}

// requests are the requests with values for them; those for which the account has none are left out.
func (s *samples) requests(now time.Time) (list []grownRequest) {
	add := func(kind, name string, goal float64, path string, values ...string) {
		q := grownRequest{list: kind, name: name, goal: goal}
		for _, v := range values {
			if v != "" {
				q.addresses = append(q.addresses, "/api/v1/"+strings.Replace(path, "{}", url.QueryEscape(v), 1))
			}
		}
		if len(q.addresses) > 0 {
			list = append(list, q)
		}
	}
	one := func(kind, name string, goal float64, path string) { add(kind, name, goal, path, "-") }
	add("orders", "of a customer by total", listGoal, "orders?customerId={}&sort=total:desc", s.customers...)
	add("orders", "of a customer by number", listGoal, "orders?customerId={}&sort=orderNumber:desc", s.customers...)
	add("orders", "of an e-mail address by total", listGoal, "orders?customerEmail={}&sort=total:desc", s.emails...)
	add("orders", "of an e-mail address by number", listGoal, "orders?customerEmail={}&sort=orderNumber:desc", s.emails...)
	add("orders", "search of a number", listGoal, "orders?search={}", s.numbers...)
	add("orders", "search of a reference", listGoal, "orders?search={}", s.references...)
	add("orders", "search of a name", listGoal, "orders?search={}", s.words...)
	add("orders", "search of an e-mail address", listGoal, "orders?search={}", s.emails...)
	add("orders", "of a status, search of a name", listGoal, "orders?status=PENDING&search={}", s.words...)
	add("orders", "search of a name by total", listGoal, "orders?search={}&sort=total:desc", s.words...)
	add("orders", "of a status, search of what nearly all have", listGoal, "orders?status=DELIVERED&search={}", s.usual)
	add("orders", "of a status by total, search of what nearly all have", listGoal, "orders?status=DELIVERED&sort=total:desc&search={}",
		s.usual)
	if s.country != "" {
		add("orders", "of a country, search of what nearly all have", listGoal, "orders?search={}&country="+url.QueryEscape(s.country), s.usual)
	}
	middle := strconv.FormatInt(max(1, s.records["orders"]/20*2/5), 10)
	add("orders", "of a status by total, page "+middle, pageGoal, "orders?status=DELIVERED&sort=total:desc&page={}", middle)
	one("orders", "of a past year by number", listGoal, "orders?sort=orderNumber:desc&"+pastYear(now))
	add("orders", fmt.Sprintf("page %d", s.deepPage), pageGoal, "orders?page={}", strconv.FormatInt(s.deepPage, 10))
	add("orders", fmt.Sprintf("cursor after page %d", s.deepPage), listGoal, "orders?cursor={}", s.deepCursor)
	year := "orders?sort=total:desc&" + yearBefore(now)
	one("orders", "of a year by total", pageGoal, year)
	add("orders", "of a year by total, by cursor", listGoal, year+"&cursor={}", s.yearCursor)
	one("customers", "all", listGoal, "customers")
	add("customers", "search", listGoal, "customers?search={}", s.words...)
	if s.tag != "" {
		add("customers", "of a tag, search of what nearly all have", listGoal, "customers?search={}&tag="+url.QueryEscape(s.tag), s.usual)
	}
	add("customers", "of a tag", listGoal, "customers?tag={}", s.tag)
	add("products", "search of a name", listGoal, "products?search={}", s.names...)
	add("products", "search of a SKU", listGoal, "products?search={}", s.skus...)
	add("products", "of a status, search of what nearly all have", listGoal, "products?status=ACTIVE&search={}", s.usualSKU)
	one("products", "status DRAFT", listGoal, "products?status=DRAFT")
	one("products", "by name", listGoal, "products?sort=name:asc")
	one("products", "by price", listGoal, "products?sort=price:asc")
	add("products", "of a channel that has all", listGoal, "products?channelId={}", s.channel)
	add("products", "of a category", listGoal, "products?categoryId={}", s.category)
	add("products", "of a category by name", listGoal, "products?sort=name:asc&categoryId={}", s.category)
	products := strconv.FormatInt(s.deepProducts, 10)
	add("products", "page "+products, pageGoal, "products?page={}", products)
	add("products", "page "+products+" by name", pageGoal, "products?sort=name:asc&page={}", products)
	one("inventory", "all", listGoal, "inventory")
	add("inventory", "of a warehouse", listGoal, "inventory?warehouseCode={}", s.warehouse)
	add("inventory", "page "+products, pageGoal, "inventory?page={}", products)
	one("inventory", "low", listGoal, "inventory?low=true")
	add("inventory", "search of a SKU", listGoal, "inventory?search={}", s.skus...)
	add("inventory", "search of a part of many SKUs", listGoal, "inventory?search={}", s.skuPrefix)
	add("inventory", "search of a part of all SKUs", listGoal, "inventory?search={}", s.usualSKU)
	add("inventory", "search of a letter", listGoal, "inventory?search={}", "a")
	one("feeds", "1,000 products", listGoal, "sdk/products/changes?limit=1000&includeDeleted=true")
	one("feeds", "1,000 stock levels", listGoal, "sdk/inventory/changes?limit=1000&includeDeleted=true")
	from := "from=" + now.AddDate(-1, 0, 0).UTC().Format(time.DateOnly)
	one("analytics", "summary, 30 days", sumGoal, "analytics/summary")
	one("analytics", "summary, a year", sumGoal, "analytics/summary?"+from)
	one("analytics", "sales by day, 30 days", sumGoal, "analytics/sales")
	one("analytics", "sales by day, a year", sumGoal, "analytics/sales?"+from)
	one("analytics", "channels", sumGoal, "analytics/channels")
	one("analytics", "webhooks", sumGoal, "analytics/webhooks")
	one("analytics", "stock", sumGoal, "analytics/stock")
	return list
}
