package dashboard

import (
	"hash/fnv"
	"io"
	"strconv"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/jobs"
)

// changeChannel serves POST /channels/{id}. New credentials are tested at once, unless the channel is inactive, which
// a test would end.
func (d *Dashboard) changeChannel(r *request, c channels.Channel) (answer, error) {
	at := "/channels/" + string(c.ID)
	return r.submit(d.channelForm(r, at, c.Platform, c.Name, true), d.showChannel, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadChannelChange(o)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		if err := d.Commerce.CheckAddresses(r.http.Context(), c.Platform, draft); err != nil {
			return answer{}, err
		}
		out, err := d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.UpdateChannel(tx, r.caller(), c.ID, commerce.Expected{}, draft)
			return redirect(at, "Saved"), err
		})
		if err == nil {
			err = d.Commerce.FinishItems(r.http.Context(), r.store(), r.caller().Tenant, c.ID)
		}
		if err == nil && c.Status == channels.Inactive && r.http.PostForm.Get("setup") != "" {
			return answer{to: startsAt(c), resent: true}, nil
		}
		if err != nil || draft.Credentials == nil || c.Status == channels.Inactive {
			return out, err
		}
		if c, err = r.channelOf(); err != nil {
			return answer{}, err
		}
		r.http.PostForm = nil // it is stored: the page has a new form
		return d.testedPage(r, c, "Saved. ")
	})
}

// switchChannel serves POST /channels/{id}/status.
func (d *Dashboard) switchChannel(r *request, c channels.Channel) (answer, error) {
	at := "/channels/" + string(c.ID)
	return r.submit(r.form(at+"/status", field{Name: "status", Kind: "hidden"}), d.showChannel, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadChannelChange(o)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			c, err := d.Commerce.UpdateChannel(tx, r.caller(), c.ID, commerce.Expected{}, commerce.ChannelDraft{Status: draft.Status})
			words, back := "Activated the channel", channels.Inactive
			if c.Status == channels.Inactive {
				words, back = "Deactivated the channel", channels.Active
			}
			return redirect(at, words).undo(undo{Action: at + "/status", Fields: map[string]string{"status": string(back)}}), err
		})
	})
}

// testedView is the result of a connection test.
type testedView struct {
	Callout callout
	Pairs   []pair
}

// ID is the element's id on the page. A failure has that of the channel's newest error, which is the same one: news
// leave the result and do not repeat it.
func (v *testedView) ID() string {
	if v.Callout.Tone == "bad" {
		return problemID(v.Callout.Text)
	}
	return "test"
}

// problemID is the id of the words that say what is wrong.
func problemID(words string) string {
	sum := fnv.New64a()
	_, _ = io.WriteString(sum, words) // into memory
	return "wrong-" + strconv.FormatUint(sum.Sum64(), 36)
}

// ProblemID is the id of the newest error's words.
func (v channelView) ProblemID() string { return problemID(v.Problem) }

// testChannel serves POST /channels/{id}/test: the page with the result, which may show a secret to paste into the
// shop.
func (d *Dashboard) testChannel(r *request, c channels.Channel) (answer, error) {
	if c.Platform == channels.Custom {
		return answer{}, refusal(apperr.Invalid, "a custom channel has no connection to test: its system calls this one")
	}
	begin := ""
	if r.http.PostForm.Has("platform") { // the form of a new channel
		begin = r.say("Created %s. ", c.Name)
	}
	return d.testedPage(r, c, begin)
}

// testedPage tests a channel's connection and is its page with the result, which begins with some words.
func (d *Dashboard) testedPage(r *request, c channels.Channel, begin string) (answer, error) {
	result, err := d.Commerce.CheckChannel(r.http.Context(), r.store(), c, d.PublicURL)
	if err != nil {
		return answer{}, err
	}
	return d.channelPage(r, viewOfTest(r, result, begin))
}

// viewOfTest shows the result of a test; it begins with some words.
func viewOfTest(r *request, result commerce.ConnectionTest, begin string) *testedView {
	view := &testedView{Callout: callout{"bad", begin + r.say("The connection does not work"), sentence(result.Message)}}
	if result.Success {
		view.Callout = callout{"good", begin + r.format.words.Rule(sentence(result.Message)), ""}
	}
	add := func(name, value string) {
		if value != "" {
			view.Pairs = append(view.Pairs, pair{Name: name, Value: value})
		}
	}
	if shop := result.Shop; shop != nil {
		add("Shop", shop.Name)
		add("Version", shop.Version)
		add("Currency", shop.Currency)
	}
	add("Notifies of", strings.Join(result.WebhooksRegistered, ", "))
	add("Missing", strings.Join(result.Missing, ", "))
	if paste := result.Paste; paste != nil {
		add("Enter in the shop: address", paste.URL)
		add("Header", paste.Header)
		add("Secret", paste.Secret)
	}
	return view
}

func syncForm(r *request, at string) *form {
	return r.form(at+"/sync", field{Name: "type", Label: "Synchronise now", Kind: "select", Options: []option{
		{Value: string(jobs.OrderPull), Label: "Pull orders"}, {Value: string(jobs.ProductPush), Label: "Push products"},
		{Value: string(jobs.StockPush), Label: "Push stock"}, {Value: string(jobs.StatusPush), Label: "Push states of orders"}}})
}

// syncChannel serves POST /channels/{id}/sync.
func (d *Dashboard) syncChannel(r *request) (answer, error) {
	channel, err := pathID[id.Channel](r, "channel")
	if err != nil {
		return answer{}, err
	}
	return r.submit(syncForm(r, "/channels/"+string(channel)), d.showChannel, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadSync(o)
		err := o.Err()
		if err == nil {
			err = d.Commerce.MarkForSync(r.http.Context(), r.store(), r.caller().Tenant, channel, &draft)
		}
		if err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			j, err := d.Commerce.SyncChannel(tx, channel, draft)
			return redirect("/jobs/"+string(j.ID), "Queued the job"), err
		})
	})
}

// deleteChannel serves POST /channels/{id}/delete: the channel's name must be typed.
func (d *Dashboard) deleteChannel(r *request, c channels.Channel) (answer, error) {
	at := "/channels/" + string(c.ID)
	return r.submit(r.channelDelete(c, at, 0, 0).Form, d.showChannel, func(f *form) (answer, error) {
		if strings.TrimSpace(f.Value("name")) != c.Name {
			return answer{}, apperr.At("name", "is not the channel's name")
		}
		found, err := d.Commerce.FindChannelAnswers(r.http.Context(), r.store(), r.caller().Tenant, c.ID, true)
		if err != nil {
			return answer{}, err
		}
		out, err := d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.DeleteChannel(tx, r.caller(), c.ID, commerce.Expected{}, true, found)
			return redirect("/channels", "Deleted the channel"), err
		})
		if err == nil {
			err = d.Commerce.FinishChannelDeletion(r.http.Context(), r.store(), r.caller().Tenant, c.ID)
		}
		return out, err
	})
}
