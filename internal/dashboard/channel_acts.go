package dashboard

import (
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"entrepot/internal/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/id"
	"entrepot/internal/jobs"
	"entrepot/internal/limits"
)

// platformChoice is a platform that a channel can be made for.
type platformChoice struct{ Name, Text, To string }

type newChannelView struct {
	Choices []platformChoice
	Form    *form
	Name    string // of the platform chosen
	Text    string
	Test    bool // it is tested as it is made
}

// channelForm has the name and the credentials that the platform's connector needs. For an existing channel, an empty
// credential stays unchanged.
func (d *Dashboard) channelForm(r *request, action, platform, name string, change bool) *form {
	fields := []field{{Name: "name", Label: "Name", Value: name, Required: true, Max: limits.MaxName,
		Hint: "As you and your colleagues call it"}}
	if !change {
		fields = append(fields, field{Name: "platform", Kind: "hidden", Value: platform})
	}
	if found, ok := d.Commerce.Connectors.ByPlatform(platform); ok {
		known := found.Profile().Known()
		for _, f := range known {
			fields = append(fields, credentialField(f, known, change))
		}
	}
	return r.editing(action, fields...)
}

// credentialField is one of the known credentials as an input. It says which others replace it, and which one it replaces.
func credentialField(f connector.Field, known []connector.Field, change bool) field {
	in := field{Name: "credentials." + f.Name, Label: memberWords(f.Name), Hint: sentence(f.Note), Complete: "off",
		Required: f.Required && len(f.Or) == 0 && !change}
	replaces := slices.IndexFunc(known, func(other connector.Field) bool { return slices.Contains(other.Or, f.Name) })
	switch {
	case len(f.Or) > 0:
		var words []string
		for _, name := range f.Or {
			words = append(words, memberWords(name))
		}
		in.Hint += ". Without it: " + strings.Join(words, " and ")
	case replaces >= 0:
		in.Hint += ". In place of " + memberWords(known[replaces].Name)
	}
	in.Optional = !change && !f.Required && replaces < 0
	if change { // credentials are not shown again: an empty input would look as if there were none
		in.Placeholder = "unchanged"
	}
	switch f.Form {
	case connector.Secret:
		in.Kind, in.Complete = "password", "new-password"
	case connector.Address, connector.Target:
		in.Kind = "url"
	default:
		in.Mono = true
	}
	return in
}

// memberWords converts a member's name to words: consumerKey becomes Consumer key, and baseUrl Base URL.
func memberWords(name string) string {
	var b strings.Builder
	for i, c := range name {
		switch {
		case i == 0:
			b.WriteRune(unicode.ToUpper(c))
		case unicode.IsUpper(c):
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(c))
		default:
			b.WriteRune(c)
		}
	}
	words := strings.Fields(b.String())
	for i, word := range words {
		if w := strings.ToUpper(word); w == "URL" || w == "API" || w == "SKU" {
			words[i] = w
		}
	}
	return strings.Join(words, " ")
}

// showNewChannel serves GET /channels/new: first the choice of platform, then its form.
func (d *Dashboard) showNewChannel(r *request) (answer, error) {
	platform := r.http.FormValue("platform")
	view := newChannelView{Name: channels.PlatformName(platform)}
	if view.Name == "" {
		for _, p := range channels.Platforms {
			if _, known := d.Commerce.Connectors.ByPlatform(p); !known && p != channels.Custom {
				continue
			}
			choice := platformChoice{Name: channels.PlatformName(p), To: prefix + "/channels/new?platform=" + p,
				Text: "Orders come in, products, stock and prices go out."}
			if p == channels.Custom {
				choice.Name, choice.Text = "Your own system", "An ERP or a shop of yours calls this service with a key."
			}
			view.Choices = append(view.Choices, choice)
		}
	} else {
		view.Form = d.channelForm(r, "/channels/new", platform, "", false)
		view.Text = "The key is shown once, when the channel is made. Keep it on your server."
		if view.Test = platform != channels.Custom; view.Test {
			view.Text = "The credentials are tested at once, encrypted, and never shown again."
		}
	}
	return show(screen{Template: "channel_new", Title: "New channel", Section: "/channels",
		Crumbs: []crumb{{"Channels", "/channels"}, {"New", ""}}, Data: view}), nil
}

// createChannel serves POST /channels/new. A custom channel's key is shown on the answer's page, and never again; the form of another
// one goes on to the test of its connection, which has the channel's page.
func (d *Dashboard) createChannel(r *request) (answer, error) {
	f := d.channelForm(r, "/channels/new", r.http.PostForm.Get("platform"), "", false)
	return r.submit(f, d.showNewChannel, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadChannel(o)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		if err := d.Commerce.CheckCredentials(draft.Platform, draft.Credentials, draft.NotText...); err != nil {
			return answer{}, err
		}
		if err := d.Commerce.CheckAddresses(r.http.Context(), draft.Platform, draft); err != nil {
			return answer{}, err
		}
		channel, secret, err := d.writeSecret(r, func(tx *db.Tx) (string, string, error) {
			c, _, secret, err := d.Commerce.CreateChannel(tx, r.caller(), draft)
			return string(c.ID), secret, err
		})
		if err != nil {
			return answer{}, err
		}
		if secret == "" {
			return answer{to: "/channels/" + channel + "/test", resent: true}, nil
		}
		var newest catalog.Sold
		if err := r.read(func(tx *db.Tx) (err error) { newest, err = newestProduct(tx); return err }); err != nil {
			return answer{}, err
		}
		_, method, path, body := firstCall(newest, channel)
		return show(screen{Template: "channel_key", Title: "Key of " + *draft.Name, Section: "/channels", Data: once{
			Head: *draft.Name + " is ready", Label: "API key", Secret: secret, Back: prefix + "/channels/" + channel,
			Text: "This is the only time that the key is shown. It reads and writes products, stock, orders and customers of the whole account.",
			Curl: r.curlWith(secret, method, path, body)}}), nil
	})
}

// changeChannel serves POST /channels/{id}. New credentials are tested at once, unless the channel is inactive, which a test would end.
func (d *Dashboard) changeChannel(r *request) (answer, error) {
	c, err := r.pathChannel()
	if err != nil {
		return answer{}, err
	}
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
		if err != nil || draft.Credentials == nil || c.Status == channels.Inactive {
			return out, err
		}
		if c, err = r.pathChannel(); err != nil {
			return answer{}, err
		}
		r.http.PostForm = nil // it is stored: the page has a new form
		return d.testedPage(r, c, "Saved. ")
	})
}

// switchChannel serves POST /channels/{id}/status.
func (d *Dashboard) switchChannel(r *request) (answer, error) {
	c, err := r.pathChannel()
	if err != nil {
		return answer{}, err
	}
	at := "/channels/" + string(c.ID)
	return r.submit(r.form(at+"/status", field{Name: "status", Kind: "hidden"}), d.showChannel, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadChannelChange(o)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			c, err := d.Commerce.UpdateChannel(tx, r.caller(), c.ID, commerce.Expected{}, commerce.ChannelDraft{Status: draft.Status})
			words, back := "The channel is active", channels.Inactive
			if c.Status == channels.Inactive {
				words, back = "The channel is inactive", channels.Active
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

// ID is the place of the result on the page. A failure has that of the channel's newest error, which is the same one: news keep the result
// and do not say it once more.
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

// testChannel serves POST /channels/{id}/test: the page with the result, which may show a secret to paste into the shop.
func (d *Dashboard) testChannel(r *request) (answer, error) {
	c, err := r.pathChannel()
	if err != nil {
		return answer{}, err
	}
	if c.Platform == channels.Custom {
		return answer{}, refusal(apperr.Invalid, "a custom channel has no connection to test: its system calls this one")
	}
	begin := ""
	if r.http.PostForm.Has("platform") { // the form of a new channel
		begin = c.Name + " is made. "
	}
	return d.testedPage(r, c, begin)
}

// testedPage tests a channel's connection and is its page with the result, which begins with some words.
func (d *Dashboard) testedPage(r *request, c channels.Channel, begin string) (answer, error) {
	result, err := d.Commerce.CheckChannel(r.http.Context(), r.store(), c, d.PublicURL)
	if err != nil {
		return answer{}, err
	}
	view := &testedView{Callout: callout{"bad", begin + "The connection does not work", sentence(result.Message)}}
	if result.Success {
		view.Callout = callout{"good", begin + sentence(result.Message), ""}
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
	return d.channelPage(r, view)
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
			return redirect("/jobs/"+string(j.ID), "It is queued"), err
		})
	})
}

// deleteChannel serves POST /channels/{id}/delete: the channel's name must be typed.
func (d *Dashboard) deleteChannel(r *request) (answer, error) {
	c, err := r.pathChannel()
	if err != nil {
		return answer{}, err
	}
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
			return redirect("/channels", "The channel is deleted"), err
		})
		if err == nil {
			err = d.Commerce.FinishChannelDeletion(r.http.Context(), r.store(), r.caller().Tenant, c.ID)
		}
		return out, err
	})
}
