package tiktokshop

import (
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// decimal is an amount as TikTok writes it: a text, sometimes a number.
type decimal string

// UnmarshalJSON takes a text or a number; anything else reads as "".
func (d *decimal) UnmarshalJSON(raw []byte) error {
	*d = ""
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*d = decimal(strings.TrimSpace(text))
	} else if len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		*d = decimal(raw)
	}
	return nil
}

// order is an order as TikTok gives it.
type order struct {
	ID             connector.ID                `json:"id"`
	Status         string                      `json:"status"`
	Created        int64                       `json:"create_time"`
	Updated        int64                       `json:"update_time"`
	Email          string                      `json:"buyer_email"`
	Message        string                      `json:"buyer_message"`
	PaymentMethod  string                      `json:"payment_method_name"`
	Shipping       string                      `json:"shipping_type"`    // TIKTOK or SELLER
	Fulfillment    string                      `json:"fulfillment_type"` // FULFILLMENT_BY_SELLER or FULFILLMENT_BY_TIKTOK
	DeliveryOption connector.ID                `json:"delivery_option_id"`
	DeliveryName   string                      `json:"delivery_option_name"`
	Packages       []struct{ ID connector.ID } `json:"packages"`
	Address        *address                    `json:"recipient_address"`
	Payment        payment                     `json:"payment"`
	Pieces         []piece                     `json:"line_items"`
	ToBeCancelled  bool                        `json:"is_buyer_request_cancel"`
}

// byTikTok reports whether TikTok ships it from its own warehouses.
func (o *order) byTikTok() bool { return o.Fulfillment == "FULFILLMENT_BY_TIKTOK" }

type payment struct {
	Currency         string  `json:"currency"`
	SubTotal         decimal `json:"sub_total"`
	Shipping         decimal `json:"shipping_fee"`
	ShippingTax      decimal `json:"shipping_fee_tax"`
	Tax              decimal `json:"tax"`
	Total            decimal `json:"total_amount"`
	SellerDiscount   decimal `json:"seller_discount"`
	PlatformDiscount decimal `json:"platform_discount"`
}

// piece is one unit of what was bought: an order has no quantities.
type piece struct {
	ID        connector.ID `json:"id"`
	Product   connector.ID `json:"product_id"`
	SKUID     connector.ID `json:"sku_id"`
	SKU       string       `json:"seller_sku"`
	Name      string       `json:"product_name"`
	Form      string       `json:"sku_name"`
	Price     decimal      `json:"sale_price"`
	Status    string       `json:"display_status"`
	Package   connector.ID `json:"package_id"`
	Number    string       `json:"tracking_number"`
	Carrier   string       `json:"shipping_provider_name"`
	Delivered int64        `json:"delivery_time"`
	Ready     int64        `json:"rts_time"`
	Taxes     []struct {
		Amount decimal `json:"tax_amount"`
	} `json:"item_tax"`
}

// bundle is the pieces of one SKU at one price, which form a line. Its id is that of its first piece, which stays the
// same.
type bundle struct {
	id     string
	pieces []piece
}

// bundles are the order's lines, in the order of their pieces.
func (o *order) bundles() []bundle {
	var list []bundle
	at := map[string]int{}
	pieces := slices.Clone(o.Pieces)
	slices.SortStableFunc(pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), strings.Compare(string(a.ID), string(b.ID)))
	})
	for _, p := range pieces {
		key := string(p.SKUID) + " " + p.SKU + " " + string(p.Price)
		i, known := at[key]
		if !known {
			i = len(list)
			at[key] = i
			list = append(list, bundle{id: string(p.ID)})
		}
		list[i].pieces = append(list[i].pieces, p)
	}
	return list
}

// gone reports whether the platform counts the piece as shipped.
func (p piece) gone() bool {
	switch p.Status {
	case "IN_TRANSIT", "DELIVERED", "COMPLETED":
		return true
	}
	return false
}

// packed reports whether the piece needs nothing more to be shipped: it is on its way, waits to be collected, or was
// cancelled.
func (p piece) packed() bool {
	return p.gone() || p.Status == packedStatus || p.cancelled()
}

// packedStatus is the state of a piece that waits for its carrier.
const packedStatus = "AWAITING_COLLECTION"

func (p piece) cancelled() bool { return p.Status == "CANCELLED" || p.Status == "CANCEL" }

// statuses are the meanings of TikTok's states.
var statuses = map[string]orders.Status{
	"UNPAID": orders.Pending, "ON_HOLD": orders.Pending,
	"AWAITING_SHIPMENT": orders.Processing, "AWAITING_COLLECTION": orders.Processing,
	"PARTIALLY_SHIPPING": orders.PartiallyShipped, "IN_TRANSIT": orders.Shipped,
	"DELIVERED": orders.Delivered, "COMPLETED": orders.Delivered,
	"CANCELLED": orders.Cancelled, "CANCEL": orders.Cancelled,
}

// convert converts an order. Lines of an order that TikTok ships have no SKU: the stock is in TikTok's warehouses, so
// nothing of it is reserved.
func (o *order) convert() (connector.Order, error) {
	sum, err := connector.NewSums(o.Payment.Currency)
	if err != nil {
		return connector.Order{}, err
	}
	of := func(d decimal) money.Amount { return sum.Of(string(d)) }
	out := connector.Order{ExternalID: string(o.ID), Number: string(o.ID), Status: statuses[o.Status], Theirs: strings.ToLower(o.Status),
		Trails:    o.Status == "AWAITING_SHIPMENT" || o.Status == "AWAITING_COLLECTION",
		CreatedAt: moment(o.Created), UpdatedAt: moment(o.Updated), Currency: o.Payment.Currency, Note: o.Message,
		Payment: map[string]any{"method": o.PaymentMethod, "sellerDiscount": string(o.Payment.SellerDiscount),
			"platformDiscount": string(o.Payment.PlatformDiscount)},
		Shipping: of(o.Payment.Shipping), Tax: of(o.Payment.Tax), Total: of(o.Payment.Total)}
	var taxes []money.Amount
	for _, b := range o.bundles() {
		first := b.pieces[0]
		line := connector.OrderLine{ExternalID: b.id, SKU: first.SKU, Name: first.Name, Quantity: int64(len(b.pieces)),
			Item: connector.IDs{Product: string(first.Product), Variant: string(first.SKUID)}}
		if first.Form != "" && !strings.EqualFold(first.Form, "default") {
			line.Name += ", " + first.Form
		}
		if o.byTikTok() {
			line.SKU, line.Item, line.Name = "", connector.IDs{}, strings.TrimSpace(line.Name+" ("+first.SKU+")")
		}
		var tax money.Amount
		for _, p := range b.pieces {
			line.Amount += of(p.Price)
			if p.gone() {
				out.Left(b.id, 1)
			}
			for _, t := range p.Taxes {
				tax += of(t.Amount)
			}
		}
		out.Lines, taxes = append(out.Lines, line), append(taxes, tax)
	}
	takeTaxOut(&out, taxes, of(o.Payment.ShippingTax), money.Digits(out.Currency))
	out.Balance()
	o.buyer(&out)
	out.ShippedBy(o.DeliveryName)
	out.ToBeCancelled(o.ToBeCancelled)
	if o.byTikTok() {
		out.Payment["fulfilledBy"] = "TIKTOK"
	}
	out.Parcels = o.parcels()
	return out, sum.Err()
}

// takeTaxOut removes the tax from lines and shipping if prices include it, so that they add up to the total with the
// tax added. Tax that TikTok gives for a part is subtracted from it; the rest is subtracted from all parts in
// proportion.
func takeTaxOut(o *connector.Order, taxes []money.Amount, shipping money.Amount, digits int) {
	var left money.Amount
	goods := o.Goods()
	for _, tax := range taxes {
		left -= tax
	}
	if o.Tax <= 0 || goods+o.Shipping <= 0 || goods+o.Shipping+o.Tax == o.Total || goods+o.Shipping > o.Total {
		return
	}
	if shipping == 0 && left == 0 {
		shipping = proportion(o.Tax, o.Shipping, goods+o.Shipping).Round(digits)
	}
	shipping = min(shipping, o.Shipping)
	o.Shipping -= shipping
	left += o.Tax - shipping
	for i := range o.Lines {
		l := &o.Lines[i]
		part := proportion(left, l.Amount, goods).Round(digits)
		left, goods = left-part, goods-l.Amount
		l.Amount -= taxes[i] + part
	}
}

// proportion is an amount times a part over a whole.
func proportion(of, part, whole money.Amount) money.Amount {
	if whole == 0 {
		return 0
	}
	product := new(big.Int).Mul(big.NewInt(int64(of)), big.NewInt(int64(part)))
	return money.Amount(product.Quo(product, big.NewInt(int64(whole))).Int64())
}

func moment(seconds int64) time.Time {
	if seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// parcels are the packages that were shipped.
func (o *order) parcels() []connector.Parcel {
	var list []connector.Parcel
	at := map[string]int{}
	for _, b := range o.bundles() {
		for _, p := range b.pieces {
			if !p.gone() || p.Package == "" && p.Number == "" {
				continue
			}
			key := connector.First(p.Package, connector.ID(p.Number))
			i, known := at[key]
			if !known {
				i = len(list)
				at[key] = i
				list = append(list, connector.Parcel{Key: key, Carrier: p.Carrier, Number: p.Number, ShippedAt: moment(p.Ready)})
			}
			lines := list[i].Lines
			if n := len(lines); n > 0 && lines[n-1].ExternalLine == b.id {
				lines[n-1].Quantity++
				continue
			}
			list[i].Lines = append(lines, connector.ParcelLine{ExternalLine: b.id, SKU: p.SKU, Quantity: 1})
		}
	}
	return list
}

// address is where an order goes. It is absent until the order is paid, and in part masked where TikTok ships.
type address struct {
	Name       string `json:"name"`
	First      string `json:"first_name"`
	Last       string `json:"last_name"`
	Phone      string `json:"phone_number"`
	Region     string `json:"region_code"`
	PostalCode string `json:"postal_code"`
	Line1      string `json:"address_line1"`
	Line2      string `json:"address_line2"`
	Line3      string `json:"address_line3"`
	Line4      string `json:"address_line4"`
	Detail     string `json:"address_detail"`
	Town       string `json:"post_town"`
	Districts  []struct {
		Level string `json:"address_level_name"`
		Rank  string `json:"address_level"` // L0 is the country, L1 below it, and so on
		Name  string `json:"address_name"`
	} `json:"district_info"`
}

// shown is a value if TikTok has not masked it, else "".
func shown(text string) string {
	if strings.Contains(text, "**") {
		return ""
	}
	return strings.TrimSpace(text)
}

// buyer sets the buyer. Masked or missing values stay empty, so that they replace nothing that is known. Until the
// order is paid there is no address and no name: name and e-mail are stored together later.
func (o *order) buyer(out *connector.Order) {
	a := o.Address
	if a == nil {
		return
	}
	if email := shown(o.Email); strings.Contains(email, "@") {
		out.Email = email
	}
	out.Name, out.Phone = cmp.Or(a.name(), "TikTok Shop buyer"), shown(a.Phone) // a masked name stays masked
	out.ShipTo = a.place()
}

func (a *address) name() string {
	if name := shown(a.Name); name != "" {
		return name
	}
	return strings.TrimSpace(shown(a.First) + " " + shown(a.Last))
}

// place is the address, nil when nothing of its street is shown.
func (a *address) place() *connector.Place {
	var lines []string
	for _, line := range []string{a.Line1, a.Line2, a.Line3, a.Line4} {
		if line = shown(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		if detail := shown(a.Detail); detail != "" {
			lines = append(lines, detail)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	city, state := a.districts()
	return &connector.Place{Name: a.name(), Line1: lines[0], Line2: strings.Join(lines[1:], ", "), City: city, State: state,
		PostalCode: shown(a.PostalCode), Country: strings.ToUpper(a.Region), Phone: shown(a.Phone)}
}

// districts finds city and state by the names of their levels, which differ by country: the city is the level with
// that name, else the lowest level; the state is the level right below the country, unless that is the city.
func (a *address) districts() (city, state string) {
	lowest := ""
	for _, d := range a.Districts {
		level, name := strings.ToLower(d.Level), shown(d.Name)
		if name == "" || level == "country" || d.Rank == "L0" {
			continue
		}
		lowest = name
		switch {
		case city == "" && (strings.Contains(level, "city") || level == "town" || level == "municipality" || level == "post town"):
			city = name
		case state == "":
			state = name
		}
	}
	if town := shown(a.Town); town != "" {
		city = town
	}
	if city == "" {
		city = lowest
	}
	if state == city {
		state = ""
	}
	return city, state
}
