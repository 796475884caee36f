package tiktokshop

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// PushShipment ships the quantities of this parcel and all before it, less what is packed on the platform: so a parcel
// whose answer was lost is not shipped again. If TikTok ships, its own label has the number, and the package is only
// handed over.
func (s *session) PushShipment(ctx context.Context, ref connector.OrderRef, parcel connector.Parcel) error {
	o, err := s.beforeWrite(ctx, ref.ExternalID)
	if err != nil {
		return err
	}
	for _, p := range o.Pieces {
		if parcel.Number != "" && p.Number == parcel.Number && !ref.SharesNumber(parcel) {
			return s.recarry(ctx, o, ref, parcel, p)
		}
	}
	ids := o.toShip(ref, parcel)
	switch {
	case statuses[o.Status] == orders.Cancelled:
		return connector.Failf(connector.Rejected, "the order is cancelled on TikTok Shop")
	case len(ids) == 0:
		return s.renumber(ctx, o, ref, parcel)
	case o.byTikTok():
		return connector.Failf(connector.Cannot, "TikTok ships this order from its own warehouse")
	case o.Shipping == "TIKTOK":
		return s.ship(ctx, o, ids, fields{"handover_method": cmp.Or(s.link.Channel.Value("handoverMethod"), "DROP_OFF")})
	}
	carrier, err := s.sender(ctx, o, ref, parcel)
	if err != nil {
		return err
	}
	known, err := s.market(ctx)
	if err != nil {
		return err
	}
	if known.parcels && len(ids) < len(o.unpacked()) {
		return s.written(o, ids, s.write(ctx, o, "/fulfillment/202309/orders/"+url.PathEscape(string(o.ID))+"/packages",
			fields{"order_line_item_ids": ids, "shipping_provider_id": carrier, "tracking_number": parcel.Number}))
	}
	return s.ship(ctx, o, ids, fields{"self_shipment": fields{"tracking_number": parcel.Number, "shipping_provider_id": carrier}})
}

// sender is TikTok's id of the carrier of a parcel. Errors: Failure Rejected for a parcel without a carrier or a
// number.
func (s *session) sender(ctx context.Context, o *order, ref connector.OrderRef, parcel connector.Parcel) (string, error) {
	name := s.carrierOf(ref, parcel)
	if parcel.Number == "" || name == "" {
		return "", connector.Failf(connector.Rejected, "TikTok Shop takes %s", wholeParcels)
	}
	return s.carrier(ctx, string(o.DeliveryOption), name)
}

// renumber gives the package of a shipment that was deleted here, or had another number, the number and carrier of
// its replacement. TikTok allows that for 72 hours, for packages that the seller ships.
func (s *session) renumber(ctx context.Context, o *order, ref connector.OrderRef, parcel connector.Parcel) error {
	if o.byTikTok() || o.Shipping == "TIKTOK" {
		if parcel.Corrected {
			ref.Unsent("TikTok Shop shows the number of its own label")
		}
		return nil
	}
	contents, numbers := map[string]map[string]int64{}, map[string]string{}
	for _, b := range o.bundles() {
		for _, p := range b.pieces {
			of := string(p.Package)
			if p.cancelled() || of == "" {
				continue
			}
			if contents[of] == nil {
				contents[of] = map[string]int64{}
			}
			contents[of][b.id]++
			numbers[of] = p.Number
		}
	}
	for _, of := range slices.Sorted(maps.Keys(contents)) {
		if !ref.Replaces(parcel, []string{numbers[of]}, contents[of]) {
			continue
		}
		carrier, err := s.sender(ctx, o, ref, parcel)
		if err != nil {
			return err
		}
		return s.relabel(ctx, o, of, parcel.Number, carrier)
	}
	return nil
}

// recarry gives the package of a shipment whose tracking was corrected its carrier, if TikTok shows another one
// beside the right number.
func (s *session) recarry(ctx context.Context, o *order, ref connector.OrderRef, parcel connector.Parcel, shown piece) error {
	if !parcel.Corrected || parcel.Carrier == "" || shown.Carrier == "" || shown.Package == "" {
		return nil
	}
	if o.byTikTok() || o.Shipping == "TIKTOK" {
		ref.Unsent("TikTok Shop shows the carrier of its own label")
		return nil
	}
	carrier, err := s.sender(ctx, o, ref, parcel)
	if err != nil {
		return err
	}
	if there, err := s.carrier(ctx, string(o.DeliveryOption), shown.Carrier); err == nil && there == carrier {
		return nil
	}
	return s.relabel(ctx, o, string(shown.Package), parcel.Number, carrier)
}

// relabel gives a package that the seller ships another number and carrier.
func (s *session) relabel(ctx context.Context, o *order, of, number, carrier string) error {
	delete(s.ahead, string(o.ID))
	return s.write(ctx, o, "/fulfillment/202309/packages/"+url.PathEscape(of)+"/shipping_info/update",
		fields{"tracking_number": number, "shipping_provider_id": carrier})
}

// wholeParcels is what TikTok takes, and what to do about a parcel that is none of these.
const wholeParcels = "a parcel with a carrier and a tracking number only: delete the shipment and make it again with both; the channel's " +
	"setting carrier names one for those without"

// ReadAhead reads the orders.
func (s *session) ReadAhead(ctx context.Context, externalIDs []string) error {
	s.ahead = map[string]*order{}
	list, err := s.readOrders(ctx, externalIDs)
	for i := range list {
		s.ahead[string(list[i].ID)] = &list[i]
	}
	return err
}

// beforeWrite returns an order before a write: this session's state of it, because parcels of one order follow each
// other, or the shop's.
func (s *session) beforeWrite(ctx context.Context, id string) (*order, error) {
	if o := s.ahead[id]; o != nil {
		return o, nil
	}
	o, err := s.readOrder(ctx, id)
	if err != nil {
		return nil, err
	}
	if s.ahead == nil {
		s.ahead = map[string]*order{}
	}
	s.ahead[id] = o
	return o, nil
}

// write sends a change of an order. Unless it was accepted, the order is read again before the next one.
func (s *session) write(ctx context.Context, o *order, path string, body fields) error {
	_, err := s.call(ctx, request{method: http.MethodPost, path: path, body: body}, nil)
	if err != nil {
		delete(s.ahead, string(o.ID))
	}
	return err
}

// written notes that pieces of an order are packed, once a write that packs them was accepted.
func (s *session) written(o *order, ids []string, err error) error {
	for i := range o.Pieces {
		if p := &o.Pieces[i]; err == nil && slices.Contains(ids, string(p.ID)) {
			p.Status = packedStatus
		}
	}
	return err
}

// unpacked are the pieces that wait to be shipped.
func (o *order) unpacked() (ids []string) {
	for _, p := range o.Pieces {
		if !p.packed() {
			ids = append(ids, string(p.ID))
		}
	}
	return ids
}

// toShip are the pieces that a parcel ships: for each line, those shipped up to it that are not packed on the platform.
func (o *order) toShip(ref connector.OrderRef, parcel connector.Parcel) (ids []string) {
	due := ref.ShippedThrough(parcel.Key)
	for _, b := range o.bundles() {
		var waiting []string
		packed := int64(0)
		for _, p := range b.pieces {
			switch {
			case p.cancelled():
			case p.packed():
				packed++
			default:
				waiting = append(waiting, string(p.ID))
			}
		}
		n := min(max(0, due[b.id]-packed), int64(len(waiting)))
		ids = append(ids, waiting[:n]...)
	}
	return ids
}

// ship ships the packages of some pieces. A package with other pieces, too, is divided first.
func (s *session) ship(ctx context.Context, o *order, ids []string, how fields) error {
	groups := map[string][]string{} // by package: the pieces to be shipped
	others := map[string]bool{}     // packages with pieces that stay
	for _, p := range o.Pieces {
		of := string(p.Package)
		if of == "" && len(o.Packages) > 0 {
			of = string(o.Packages[0].ID)
		}
		switch {
		case slices.Contains(ids, string(p.ID)):
			groups[of] = append(groups[of], string(p.ID))
		case !p.packed():
			others[of] = true
		}
	}
	for of, pieces := range groups {
		if others[of] {
			delete(s.ahead, string(o.ID)) // its packages are others afterwards
			var err error
			if of, err = s.split(ctx, string(o.ID), pieces, rest(o, pieces)); err != nil {
				return err
			}
		}
		if of == "" {
			return connector.Failf(connector.Temporary, "TikTok Shop has made no package of the order yet")
		}
		if err := s.written(o, pieces, s.write(ctx, o, "/fulfillment/202309/packages/"+url.PathEscape(of)+"/ship", how)); err != nil {
			return err
		}
	}
	return nil
}

// rest are the waiting pieces other than those that are shipped.
func rest(o *order, shipped []string) []string {
	return slices.DeleteFunc(o.unpacked(), func(id string) bool { return slices.Contains(shipped, id) })
}

// split divides an order into two packages and returns that of the first pieces.
func (s *session) split(ctx context.Context, order string, first, second []string) (string, error) {
	var out struct {
		Packages []struct {
			Group connector.ID `json:"splittable_group_id"`
			ID    connector.ID `json:"id"`
		} `json:"packages"`
	}
	_, err := s.call(ctx, request{method: http.MethodPost, path: "/fulfillment/202309/orders/" + url.PathEscape(order) + "/split",
		body: fields{"splittable_groups": []fields{{"id": "1", "order_line_item_ids": first}, {"id": "2", "order_line_item_ids": second}}}}, &out)
	if err != nil {
		return "", err
	}
	for _, p := range out.Packages {
		if p.Group == "1" {
			return string(p.ID), nil
		}
	}
	return "", connector.Failf(connector.Temporary, "TikTok Shop did not say which package the split made")
}

// PushStatus cancels the order, or checks that its pieces are packed: an order's status on the platform follows from
// its parcels.
func (s *session) PushStatus(ctx context.Context, ref connector.OrderRef, to connector.Status) error {
	switch to {
	case orders.Cancelled:
		return s.PushCancel(ctx, ref, "")
	case orders.Shipped:
		o, err := s.beforeWrite(ctx, ref.ExternalID)
		if err == nil && len(o.unpacked()) > 0 {
			err = connector.Failf(connector.Rejected,
				"TikTok Shop still waits for %d pieces: it takes %s", len(o.unpacked()), wholeParcels)
		}
		return err
	case orders.Delivered, orders.Returned:
		return connector.Failf(connector.Cannot, "TikTok Shop takes no word about %s: it asks the carrier", to)
	}
	return nil
}
