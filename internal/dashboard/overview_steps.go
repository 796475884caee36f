package dashboard

import (
	"entrepot/internal/catalog"
	"entrepot/internal/db"
)

// stepsName is the cookie of a browser in which the first steps are put away.
const stepsName = "entrepot-steps"

// firstStepRow is one of the first steps with an account: what is done is ticked.
type firstStepRow struct {
	need
	Done bool
}

// stepsLeft reports whether the first steps are still shown in this browser, to a user who can take them.
func (r *request) stepsLeft() bool {
	_, err := r.http.Cookie(stepsName)
	return err != nil && r.caller().May("write:channels") && r.caller().May("read:products") && r.caller().May("read:orders")
}

// readProducts notes whether the account has a product.
func (w *openWork) readProducts(tx *db.Tx) error {
	counts, err := catalog.Counts(tx)
	for _, n := range counts {
		w.anyProduct = w.anyProduct || n > 0
	}
	return err
}

// firstSteps are the first steps with an account, nil when all are done.
func (d *Dashboard) firstSteps(r *request, v *overviewView, work *openWork) (list []firstStepRow) {
	left := false
	for _, s := range []firstStepRow{
		{Done: true, need: need{Icon: "user", Head: "Create your account", Text: "You are in."}},
		{Done: work.anyProduct, need: need{Icon: "tag", Head: "Bring your products", Text: "From a file, or one by one.", Label: "Add products",
			part: "/products", area: "write:products"}},
		{Done: v.anyChannel, need: need{Icon: "plug", Head: "Connect a channel", Text: "A shop, a marketplace, or a system of your own with a key.",
			Label: "Add a channel", part: "/channels/new", area: "write:channels"}},
		{Done: len(v.Latest) > 0, need: need{Icon: "order", Head: "Take the first order", Text: "Your channel sends it, or a file does.",
			Label: "See orders", part: "/orders", area: "read:orders"}},
		{Done: len(work.hooks) > 0, need: need{Icon: "hook", Head: "Hear of every change", Text: "Webhooks notify your systems as things happen.",
			Label: "Add a webhook", part: "/webhooks/new", area: "write:webhooks"}},
	} {
		if s.part != "" && !(d.has(s.part) && r.caller().May(s.area)) {
			continue
		}
		s.Tone, s.To = "info", prefix+s.part
		if s.Done {
			s.Tone, s.Icon = "good", "check"
		}
		left = left || !s.Done
		list = append(list, s)
	}
	if !left {
		return nil
	}
	return list
}

// dismissSteps serves POST /first-steps/dismiss: this browser shows the first steps no more.
func (d *Dashboard) dismissSteps(r *request) (answer, error) {
	out := redirect("/", "Put the first steps away")
	out.cookies = append(out.cookies, r.cookie(stepsName, "off", imagesTime))
	return out, nil
}
