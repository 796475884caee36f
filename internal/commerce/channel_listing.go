package commerce

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/stock"
)

// readListings reads products in the form that the channel's platform takes, by the present settings. Errors:
// errInactive; errEdited; jobs.ErrLost.
func (r *channelRun) readListings(
	tx *db.Tx,
	ids []id.Product,
	known map[id.Product]map[string]channelsync.Item,
) (map[id.Product]listing, error) {
	if err := r.stands(tx); err != nil {
		return nil, err
	}
	list, err := catalog.ByIDs(tx, ids)
	if err != nil {
		return nil, err
	}
	account, err := accounts.Own(tx)
	if err != nil {
		return nil, err
	}
	labels, err := attributeLabels(tx)
	if err != nil {
		return nil, err
	}
	var skus []string
	for _, p := range list {
		skus = append(skus, p.SKUs()...)
	}
	levels, err := stock.OfSKUs(tx, skus)
	if err != nil {
		return nil, err
	}
	c := listingContext{currency: account.Currency, settings: r.settings, labels: labels, levels: levels,
		tree: categoryTree{tx: tx, known: map[id.Category]*connector.Category{}}}
	out := map[id.Product]listing{}
	for _, p := range list {
		if out[p.ID], err = c.listing(p, known[p.ID]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// listingContext is shared by the listings of one batch.
type listingContext struct {
	currency string
	settings channelSettings
	labels   map[string]string
	levels   map[string][]stock.Level
	tree     categoryTree
}

// listing is a product as its platform is to show it; known are the items of its SKUs.
func (c *listingContext) listing(p *catalog.Product, known map[string]channelsync.Item) (listing, error) {
	listed := listing{stamp: p.ChangedAt, known: known, ids: map[string]skuIDs{p.SKU: {product: p.ID}}}
	own := known[p.SKU]
	listed.Product = connector.Product{
		ID:          string(p.ID),
		SKU:         p.SKU,
		Name:        p.Name,
		Slug:        p.Slug,
		Description: p.Description,
		OnSale:      p.Status == catalog.Active,
		Price:       c.settings.price(p.Price, c.currency),
		CompareAt:   c.settings.compareAt(p.CompareAt, c.currency),
		Currency:    c.currency,
		Trade:       connector.Trade(p.Trade),
		Attributes:  attributesOf(p.Attributes, c.labels),
		Quantity:    c.settings.quantity(c.levels[p.SKU]),
		Known:       asItem(own).IDs,
	}
	listed.Attributes, listed.Terms = termsOf(listed.Attributes)
	if p.TaxClass != "" {
		if listed.Terms == nil {
			listed.Terms = map[string]string{}
		}
		listed.Terms["taxclass"] = p.TaxClass
	}
	listed.Settled = own.Content != ""
	images := own.ImageIDs()
	for _, image := range p.Images() {
		listed.Images = append(listed.Images, connector.Image{ID: image.ID, URL: image.URL, Known: images[image.ID]})
		delete(images, image.ID)
	}
	for _, dropped := range slices.Sorted(maps.Values(images)) {
		if !slices.ContainsFunc(listed.Images, func(i connector.Image) bool { return i.Known == dropped }) {
			listed.DroppedImages = append(listed.DroppedImages, dropped)
		}
	}
	for _, category := range p.CategoryIDs() {
		found, err := c.tree.find(category, 0)
		if err != nil {
			return listed, err
		}
		if found != nil {
			listed.Categories = append(listed.Categories, *found)
		}
	}
	for _, v := range p.Variants {
		listed.ids[v.SKU] = skuIDs{p.ID, v.ID}
		listed.Variants = append(listed.Variants, connector.Variant{
			SKU:        v.SKU,
			Name:       v.Name,
			Price:      c.settings.price(v.PriceIn(*p), c.currency),
			CompareAt:  c.settings.compareAt(cmp.Or(v.CompareAt, p.CompareAt), c.currency),
			Trade:      connector.Trade(v.TradeIn(p)),
			Attributes: attributesOf(v.Attributes, c.labels),
			Quantity:   c.settings.quantity(c.levels[v.SKU]),
			Known:      asItem(known[v.SKU]).IDs,
		})
	}
	for sku, item := range known {
		if _, still := listed.ids[sku]; !still && item.ExternalVariant != "" {
			listed.Dropped = append(listed.Dropped, asItem(item))
		}
	}
	distinguish(listed.Variants)
	listed.content = contentHash(listed.Product)
	return listed, nil
}

// contentHash differs once a product has changed in anything but its stock and prices, which are pushed separately.
func contentHash(p connector.Product) string {
	p.Price, p.CompareAt, p.Quantity, p.Known = 0, nil, 0, connector.IDs{}
	slices.SortFunc(p.Dropped, func(a, b connector.Item) int { return strings.Compare(a.SKU, b.SKU) })
	p.Images, p.Variants = slices.Clone(p.Images), slices.Clone(p.Variants)
	for i := range p.Images {
		p.Images[i].Known = ""
	}
	for i := range p.Variants {
		v := &p.Variants[i]
		v.Price, v.CompareAt, v.Quantity, v.Known = 0, nil, 0, connector.IDs{}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// distinguish gives all variants of a product the same attributes, and ensures that no two have the same values,
// because platforms require both.
func distinguish(variants []connector.Variant) {
	var names []string
	for _, v := range variants {
		for _, a := range v.Attributes {
			names = append(names, a.Name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	seen := map[string]bool{}
	apart := len(names) > 0
	for i := range variants {
		values := map[string]string{}
		for _, a := range variants[i].Attributes {
			values[a.Name] = a.Value
		}
		var list []connector.Attribute
		for _, name := range names {
			list = append(list, connector.Attribute{Name: name, Value: cmp.Or(values[name], "-")})
		}
		variants[i].Attributes = list
		key := ""
		for _, a := range list {
			key += strings.ToLower(a.Value) + "\x00"
		}
		apart = apart && !seen[key]
		seen[key] = true
	}
	if apart {
		return
	}
	taken := map[string]bool{}
	for i := range variants {
		value := cmp.Or(variants[i].Name, variants[i].SKU)
		if taken[strings.ToLower(value)] {
			value = strings.TrimSpace(variants[i].Name + " (" + variants[i].SKU + ")")
		}
		taken[strings.ToLower(value)] = true
		variants[i].Attributes = []connector.Attribute{{Name: "Variant", Value: value}}
	}
}

// termsOf divides a product's attributes into those that buyers see and its terms.
func termsOf(all []connector.Attribute) (shown []connector.Attribute, terms map[string]string) {
	for _, a := range all {
		if name := connector.Letters(a.Name); slices.Contains(connector.TermNames, name) {
			if terms == nil {
				terms = map[string]string{}
			}
			terms[name] = a.Value
			continue
		}
		shown = append(shown, a)
	}
	return shown, terms
}

func sortedAttributes(list []connector.Attribute) []connector.Attribute {
	slices.SortFunc(list, func(a, b connector.Attribute) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// attributeLabels are the account's labels by code.
func attributeLabels(tx *db.Tx) (map[string]string, error) {
	list, _, err := catalog.ListAttributes(tx, 1000, 0)
	labels := map[string]string{}
	for _, a := range list {
		labels[a.Code] = a.Label
	}
	return labels, err
}

// categoryTree finds categories with their ancestors.
type categoryTree struct {
	tx    *db.Tx
	known map[id.Category]*connector.Category
}

// maxDepth limits how many levels of parents are read.
const maxDepth = 20

func (t categoryTree) find(category id.Category, depth int) (*connector.Category, error) {
	if c, ok := t.known[category]; ok || category == "" || depth > maxDepth {
		return c, nil
	}
	read, err := catalog.CategoryByID(t.tx, category)
	if err != nil {
		return nil, err
	}
	c := &connector.Category{ID: string(read.ID), Name: read.Name, Slug: read.Slug}
	t.known[category] = c
	c.Parent, err = t.find(read.Parent, depth+1)
	return c, err
}

// quantity is the stock that the platform shows for a SKU: what is available in the channel's warehouses less its
// buffer, not below 0; −1 if the channel's stock is not pushed.
func (s channelSettings) quantity(levels []stock.Level) int64 {
	if !s.PushStock {
		return connector.NotOurs
	}
	var available int64
	for _, l := range levels {
		if len(s.Warehouses) == 0 || slices.Contains(s.Warehouses, l.Warehouse) {
			available += l.Available()
		}
	}
	return max(0, available-s.StockBuffer)
}

// price is the price for the platform, rounded to the currency's minor unit.
func (s channelSettings) price(price money.Amount, currency string) money.Amount {
	factor, err := money.Parse(s.PriceFactor)
	if s.PriceFactor == "" || err != nil || factor <= 0 {
		return price
	}
	hundredfold, ok := factor.Times(100) // percent
	if !ok {
		return price
	}
	return price.Percent(hundredfold, money.Digits(currency))
}

func (s channelSettings) compareAt(price *money.Amount, currency string) *money.Amount {
	if price == nil {
		return nil
	}
	p := s.price(*price, currency)
	return &p
}
