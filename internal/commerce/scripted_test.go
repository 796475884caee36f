package commerce_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// scripted is a platform that does what a test says and counts what it is asked for. It is its own session.
type scripted struct {
	connector.Unsupported
	does       connector.Capabilities
	orders     []connector.Order // of which a pull gives those that are older than the tail
	now        func() time.Time
	pulls      int               // pulls of what changed
	named      [][]string        // orders that were read by their names, by call
	away       int               // pulls that give no more than a first page
	many       int               // pages of a pull, of which the platform gives one in three minutes
	given      time.Time         // when it gave the last of them
	whilePull  func()            // done once, in the middle of the next pull
	whileNamed func()            // done once, in the middle of the next read of orders by their names
	whilePut   func()            // done once, in the middle of the next push
	whileRead  func()            // done once, while stock is read
	whileSet   func()            // done once, before prices are set
	whileGone  func()            // done once, while webhooks are removed
	whileOff   func()            // done once, while products are taken off sale
	pushedAs   []connector.IDs   // by which each product or level was pushed, in their order
	refusal    error             // of a connection test
	hookless   error             // of the registration of webhooks
	down       bool              // it answers neither pulls nor pushes of products
	currency   string            // that it says it has
	account    string            // its id of the account
	refusals   int               // of the next pulls
	refusedAs  error             // what they are; nil: the key is wrong
	tests      []time.Time       // by when each connection test was to end
	upserts    int               // calls of Upsert
	stock      map[string]int64  // that the platform shows
	prices     map[string]string // that the platform shows
	setPrices  []string          // SKUs whose price was set apart
	setStock   []string          // SKUs whose stock was set apart
	broken     map[string]bool   // SKUs at which a push fails for now
	tried      map[string]int    // how often each SKU was put on sale
	titles     map[string]string // names of products that the platform shows
	polled     map[string][]connector.Result
	removed    []string          // SKUs that were taken off sale for good
	keeps      bool              // it takes nothing off sale for now
	pages      []string          // that pulls of what changed asked for
	ahead      [][]string        // orders that were read before their push, by call
	stale      map[string]bool   // orders that are refused until they are read again
	refused    map[string]string // orders whose status is refused, with the reasons
	shown      map[string]orders.Status
	pushes     int               // of statuses
	flaky      int               // of how many of them one fails; 0: none does
	off        map[string]string // SKUs that the platform took off sale, with the reasons
	tokens     connector.Tokens
	facts      connector.Facts
	opened     connector.Credentials // of the newest session
	wants      string                // the token that a write needs; "" for any
	looks      bool                  // its sessions are Lookers in place of Watchers
	lookedAt   []int                 // how many SKUs each session looked at
	unseen     string                // SKU at which a look fails for now
	fails      map[string]bool       // orders that cannot be read by their names for now
	slow       bool                  // it takes one push in three minutes
	full       map[string]time.Time  // SKUs of which it takes neither content nor prices until then
	ended      bool                  // pages after the first are refused

	folds bool   // it takes SKUs that differ in case alone for one
	last  string // the SKU of the product that was pushed last

	fields []connector.Field // its credentials

	refunds       bool  // it records refunds
	refusedRefund error // why it takes none
	lostRefunds   int   // answers to refunds that it loses
	markless      bool  // it keeps no mark beside them
}

// looking is a session that looks at what is on sale with requests of their own.
type looking struct {
	connector.Session
	p *scripted
}

func (l looking) Look(_ context.Context, items []connector.Item) (map[string]string, error) {
	seen := map[string]string{}
	for _, i := range items {
		if l.p.unseen == i.SKU {
			return seen, connector.Failf(connector.Temporary, "%s cannot be looked at", i.SKU)
		}
		seen[i.SKU] = l.p.off[i.SKU]
		l.p.lookedAt[len(l.p.lookedAt)-1]++
	}
	return seen, nil
}

// result is the result of a push of a SKU.
func (p *scripted) result(sku string) connector.Result {
	if p.broken[sku] {
		return connector.Result{SKU: sku, State: connector.Failed, Error: "broken", Again: true}
	}
	if p.full[sku].After(p.now()) {
		r := connector.Result{SKU: sku}
		r.Rest(p.full[sku], "enough for today")
		return r
	}
	return connector.Result{SKU: sku, State: connector.Live}
}

func (p *scripted) Profile() connector.Profile {
	return connector.Profile{Slug: "scripted", Platform: "SCRIPTED", Fields: p.fields}
}

func (p *scripted) Verify(context.Context, connector.Channel, connector.Notification) error {
	return nil
}

// Read takes the body's order for what a notification is about.
func (p *scripted) Read(_ connector.Channel, n connector.Notification) (connector.Outcome, error) {
	var body struct{ Order, Delivery string }
	err := json.Unmarshal(n.Body, &body)
	if body.Order == "withdrawn" {
		return connector.About("access", connector.Key(body.Delivery)).Reauthorize(), err
	}
	if product, is := strings.CutPrefix(body.Order, "stock of "); is {
		return connector.About("product", connector.Key(body.Delivery)).PushStock(product), err
	}
	return connector.About("order", connector.Key(body.Delivery)).PullOrder(body.Order), err
}

func (p *scripted) Capabilities() connector.Capabilities { return p.does }

func (p *scripted) Open(l connector.Link) connector.Session {
	p.tokens, p.facts, p.opened = l.Tokens, l.Facts, l.Channel.Credentials
	if p.looks {
		p.lookedAt = append(p.lookedAt, 0)
		return looking{p, p}
	}
	if p.refunds {
		return refunding{p}
	}
	return p
}

func (p *scripted) find(name string) (list []connector.Order) {
	return p.where(func(o connector.Order) bool { return o.ExternalID == name })
}
func (p *scripted) where(ok func(connector.Order) bool) (list []connector.Order) {
	for _, o := range p.orders {
		if ok(o) {
			list = append(list, o)
		}
	}
	return list
}

func (p *scripted) PullOrders(_ context.Context, cursor connector.Cursor) (connector.OrderPage, error) {
	p.pulls++
	if p.down {
		return connector.OrderPage{}, connector.Failf(connector.Temporary, "no answer")
	}
	if p.refusals > 0 {
		p.refusals--
		if p.refusedAs != nil {
			return connector.OrderPage{}, p.refusedAs
		}
		return connector.OrderPage{}, connector.Failf(connector.Unauthorized, "the key is wrong")
	}
	if p.many > 0 {
		return p.slowPage(cursor)
	}
	p.pages = append(p.pages, cursor.Page)
	if p.ended && cursor.Page != "" {
		return connector.OrderPage{}, connector.Failf(connector.Rejected, "there is no such page")
	}
	until, err := time.Parse(time.RFC3339Nano, cursor.Page)
	if err != nil {
		until = p.now().Add(-p.does.Time.Tail)
	}
	if p.away > 0 { // the first page is there, the next is not
		if p.away--; cursor.Page != "" {
			return connector.OrderPage{}, connector.Failf(connector.Temporary, "away")
		}
		return connector.OrderPage{Next: until.Format(time.RFC3339Nano)}, nil
	}
	list := p.where(func(o connector.Order) bool { return o.UpdatedAt.Before(until) && !o.UpdatedAt.Before(cursor.Since) })
	once(&p.whilePull)
	return connector.OrderPage{Orders: list, Until: until}, nil
}

// slowPage is a page without orders; the platform refuses one too early.
func (p *scripted) slowPage(cursor connector.Cursor) (connector.OrderPage, error) {
	if wait := p.given.Add(3 * time.Minute).Sub(p.now()); wait > 0 {
		return connector.OrderPage{}, &connector.Failure{Kind: connector.Throttled, Message: "too early", After: wait}
	}
	p.given = p.now()
	once(&p.whilePull)
	p.pages = append(p.pages, cursor.Page)
	if n, _ := strconv.Atoi(cursor.Page); n+1 < p.many {
		return connector.OrderPage{Next: strconv.Itoa(n + 1)}, nil
	}
	return connector.OrderPage{Until: p.now().Add(-p.does.Time.Tail)}, nil
}

func (p *scripted) PullOrder(_ context.Context, name string) (connector.Order, error) {
	p.named = append(p.named, []string{name})
	if p.fails[name] {
		return connector.Order{}, connector.Failf(connector.Temporary, "it cannot be given")
	}
	found := p.find(name)
	once(&p.whileNamed)
	if len(found) > 0 {
		return found[0], nil
	}
	return connector.Order{}, connector.Failf(connector.Missing, "there is no order %s", name)
}

func (p *scripted) ReadOrders(_ context.Context, names []string) (connector.OrderPage, error) {
	p.named = append(p.named, names)
	found := p.where(func(o connector.Order) bool { return slices.Contains(names, o.ExternalID) })
	once(&p.whileNamed)
	return connector.OrderPage{Orders: found}, nil
}

func (p *scripted) Test(ctx context.Context) (connector.Shop, error) {
	end, _ := ctx.Deadline()
	p.tests = append(p.tests, end)
	return connector.Shop{Name: "Shop", Account: p.account, Currency: p.currency}, p.refusal
}

func (p *scripted) EnsureWebhooks(ctx context.Context, to connector.WebhookTarget) ([]connector.Webhook, error) {
	if p.hookless != nil {
		return nil, p.hookless
	}
	return p.Unsupported.EnsureWebhooks(ctx, to)
}

// tooSoon refuses a push of a platform that takes few.
func (p *scripted) tooSoon() error {
	wait := p.given.Add(3 * time.Minute).Sub(p.now())
	if !p.slow || wait <= 0 {
		p.given = p.now()
		return nil
	}
	return &connector.Failure{Kind: connector.Throttled, Message: "too early", After: wait}
}

func (p *scripted) Upsert(_ context.Context, products []connector.Product) (list []connector.Result, err error) {
	if err := p.tooSoon(); err != nil {
		return nil, err
	}
	if p.down {
		return nil, connector.Failf(connector.Temporary, "no answer")
	}
	p.upserts++
	p.interrupt()
	for _, product := range products {
		p.pushedAs = append(p.pushedAs, product.Known)
		p.titles[product.SKU], p.last = product.Name, product.SKU
		for _, f := range product.Forms() {
			r := p.result(f.SKU)
			if p.tried[f.SKU]++; r.State == connector.Live {
				p.stock[f.SKU], p.prices[f.SKU] = f.Quantity, f.Price.String()
				r.Priced, r.IDs = true, connector.IDs{Product: "their " + product.SKU}
				if p.folds {
					r.IDs.Product = "their " + strings.ToLower(product.SKU)
				}
			}
			list = append(list, r)
		}
	}
	return list, nil
}

// interrupt does what is to be done in the middle of a push.
func (p *scripted) interrupt() { once(&p.whilePut) }

// once does something, if there is something to do, and not again.
func once(do *func()) {
	if now := *do; now != nil {
		*do = nil
		now()
	}
}

func (p *scripted) ReadAhead(_ context.Context, names []string) error {
	if p.ahead = append(p.ahead, names); len(names) == 1 {
		delete(p.stale, names[0])
	}
	return nil
}

func (p *scripted) PushStatus(_ context.Context, order connector.OrderRef, to orders.Status) error {
	p.interrupt()
	if p.pushes++; p.flaky > 0 && p.pushes%p.flaky == 0 {
		return connector.Failf(connector.Temporary, "no answer")
	}
	if reason, refuses := p.refused[order.ExternalID]; refuses {
		return connector.Failf(connector.Rejected, "%s", reason)
	}
	if p.stale[order.ExternalID] {
		return connector.Failf(connector.Rejected, "it has changed")
	}
	p.shown[order.ExternalID] = to
	return nil
}

func (p *scripted) Poll(_ context.Context, operations []string) (list []connector.Result, err error) {
	for _, operation := range operations {
		for _, r := range p.polled[operation] {
			r.Operation = operation
			list = append(list, r)
		}
	}
	return list, nil
}

func (p *scripted) RemoveWebhooks(context.Context, connector.WebhookTarget) error {
	once(&p.whileGone)
	return nil
}

func (p *scripted) Unpublish(_ context.Context, items []connector.Item, remove bool) (list []connector.Result, err error) {
	if once(&p.whileOff); p.keeps {
		return nil, connector.Failf(connector.Temporary, "away")
	}
	for _, i := range items {
		if remove {
			p.removed = append(p.removed, i.SKU)
		}
		list = append(list, connector.Result{SKU: i.SKU, State: connector.Gone})
	}
	return list, nil
}

func (p *scripted) SetStock(_ context.Context, items []connector.StockItem) (list []connector.Result, err error) {
	if p.interrupt(); p.wants != "" && p.opened["token"] != p.wants {
		return nil, connector.Failf(connector.Unauthorized, "the token is refused")
	}
	if err := p.tooSoon(); err != nil {
		return nil, err
	}
	for _, i := range items {
		p.pushedAs = append(p.pushedAs, i.IDs)
		r := connector.Result{SKU: i.SKU, State: connector.Live}
		if p.broken[i.SKU] {
			r = p.result(i.SKU)
		}
		if p.setStock = append(p.setStock, i.SKU); r.State == connector.Live {
			p.stock[i.SKU], r.IDs = i.Quantity, i.IDs
		}
		list = append(list, r)
	}
	return list, nil
}

func (p *scripted) SetPrices(_ context.Context, items []connector.PriceItem) (list []connector.Result, err error) {
	once(&p.whileSet)
	for _, i := range items {
		if p.full[i.SKU].After(p.now()) {
			list = append(list, p.result(i.SKU))
			continue
		}
		p.prices[i.SKU], p.setPrices = i.Price.String(), append(p.setPrices, i.SKU)
		list = append(list, connector.Result{SKU: i.SKU, State: connector.Live, IDs: i.IDs})
	}
	return list, nil
}

func (p *scripted) ReadStock(_ context.Context, items []connector.Item) (map[string]int64, error) {
	shown := map[string]int64{}
	for _, i := range items {
		shown[i.SKU] = p.stock[i.SKU]
	}
	once(&p.whileRead)
	return shown, nil
}

func (p *scripted) OffSale() map[string]string {
	seen := map[string]string{}
	for sku := range p.stock {
		seen[sku] = p.off[sku]
	}
	return seen
}

// synced is an account with products and a channel of a scripted platform, by a clock that the test moves.
type synced struct {
	*shop
	t        *testing.T
	platform *scripted
	channel  channels.Channel
	clock    *time.Time
	looks    *atomic.Int64 // how often the store's clock was read
}

// syncedAt is when such a test begins.
var syncedAt = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// syncedEngines runs a test on both engines.
func syncedEngines(t *testing.T, products int, test func(t *testing.T, s *synced)) {
	t.Helper()
	clock := syncedAt
	var looks atomic.Int64
	dbtest.EnginesAt(t, func() time.Time { looks.Add(1); return clock }, func(t *testing.T, store *db.DB) {
		clock = syncedAt
		test(t, syncedOn(t, store, products, &clock, &looks))
	})
}

// syncedOn is a new account of a store, with products and a channel. clock and looks are the store's.
func syncedOn(t *testing.T, store *db.DB, products int, clock *time.Time, looks *atomic.Int64) *synced {
	t.Helper()
	p := &scripted{now: store.Now, stock: map[string]int64{}, prices: map[string]string{}, tried: map[string]int{},
		titles: map[string]string{}, shown: map[string]orders.Status{}}
	p.does = connector.Capabilities{Products: true, Stock: true, Prices: true, Orders: true,
		Batch: connector.Batch{Products: 10, Stock: 100, Prices: 100, Orders: 50}, Time: connector.Timing{Tail: time.Minute}}
	set, err := connector.NewSet(p)
	if err != nil {
		t.Fatal(err)
	}
	s := &synced{shop: newShop(t, store, products), t: t, platform: p, clock: clock, looks: looks}
	s.do = &commerce.Service{Numbers: orders.NewNumbers(), Connectors: set}
	s.channel = channels.Channel{Tenant: s.who.Tenant, ID: id.New[id.Channel](), Name: "Shop", Platform: "SCRIPTED", Status: "active",
		Settings: "{}", Oversell: "allow"}
	s.must(s.write(t, func(tx *db.Tx) error {
		s.channel.Insert(tx)
		channelsync.Begin(tx, s.channel.ID, tx.Now())
		return nil
	}))
	s.channel.CreatedAt = clock.UnixMicro()
	return s
}

func (s *synced) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// publish requests that all products are published on the channel.
func (s *synced) publish() {
	s.t.Helper()
	s.must(s.write(s.t, func(tx *db.Tx) error {
		skus, err := db.List(tx, func(r db.Rows) (sku string, err error) { return sku, r.Scan(&sku) },
			"SELECT sku FROM products WHERE tenant_id = $1", tx.Tenant)
		if err != nil {
			return err
		}
		_, err = s.do.PublishProducts(tx, s.channel.ID, nil, skus)
		return err
	}))
}

// work schedules what is due and runs the channel's jobs until none is; it gives how many ran. A pull that waits for more notifications
// has its time come.
func (s *synced) work() (ran int) {
	s.t.Helper()
	for {
		_, err := s.do.ScheduleChannels(s.t.Context(), s.store)
		s.must(err)
		var job jobs.Job
		var ok bool
		s.must(s.store.Write(s.t.Context(), db.Across, func(tx *db.Tx) error {
			job, ok, err = jobs.ClaimOnChannel(tx, time.Minute)
			return err
		}))
		if !ok {
			next := s.count("SELECT coalesce(min(due_at), 0) FROM jobs WHERE tenant_id = $1 AND status = 'PENDING'")
			if wait := time.UnixMicro(next).Sub(*s.clock); next == 0 || wait <= 0 || wait > time.Second {
				return ran
			}
			*s.clock = time.UnixMicro(next).UTC()
			continue
		}
		s.must(s.do.RunChannelJob(s.t.Context(), s.store, job, time.Minute))
		if ran++; ran > 50 {
			s.t.Fatalf("the jobs do not end: %+v", job)
		}
	}
}

// place has the platform get orders now.
func (s *synced) place(names ...string) {
	for _, name := range names {
		s.platform.orders = append(s.platform.orders, connector.Order{ExternalID: name, Number: name, Theirs: "paid", Status: orders.Processing,
			CreatedAt: *s.clock, UpdatedAt: *s.clock, Currency: "EUR", Name: "Ada", Total: 10000,
			Lines: []connector.OrderLine{{ExternalID: name, SKU: "SKU-0", Name: "Mug", Quantity: 1, Amount: 10000}}})
	}
}

// notify has the platform send a notification.
func (s *synced) notify(order, delivery string) {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"order": order, "delivery": delivery})
	s.must(err)
	_, err = s.do.ReceiveNotification(s.t.Context(), s.store, s.channel, s.platform, connector.Notification{Body: body})
	s.must(err)
}

// count is the number that a statement gives for the account.
func (s *synced) count(sql string) (n int64) {
	s.t.Helper()
	s.must(s.store.Read(s.t.Context(), s.who.Tenant, func(tx *db.Tx) error { return tx.Row(sql, []any{tx.Tenant}, &n) }))
	return n
}
