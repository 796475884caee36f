package worker

import (
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// linkStep is how many orders one step reads.
const linkStep = 100

// link sets the product of order lines whose SKU has been created (interface §2.1). It runs right after a commit of
// this node that created SKUs, and from time to time for the commits of other nodes.
func (w *Worker) link() {
	woken := w.DB.Woken(catalog.SKUTopic)
	for more := true; more || w.pause(woken, max(measureEvery, w.Poll)); {
		var err error
		more, err = w.linkWaiting()
		w.failed("linking lines to their products", err)
		more = more && err == nil
	}
}

// linkWaiting links some orders and reports whether there may be more.
func (w *Worker) linkWaiting() (more bool, err error) {
	var list []orders.Waiting
	err = w.DB.Read(w.stopping, db.Across, func(tx *db.Tx) error {
		list, err = orders.WaitingAnywhere(tx, linkStep)
		return err
	})
	for _, o := range list {
		err := w.DB.Write(w.stopping, o.Tenant, func(tx *db.Tx) error { return w.Commerce.LinkOrder(tx, o.Order) })
		if err != nil {
			return false, err
		}
	}
	return len(list) == linkStep, err
}
