package dashboard

import (
	"slices"
	"strings"
	"unicode"

	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
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

// Advanced is the input for another address of the platform, which few channels have; nil if the form has none.
func (f *form) Advanced() *field { return f.find("credentials." + connector.BaseURL.Name) }

// credentialField is one of the known credentials as an input. It says which others replace it, and which one it
// replaces.
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
		view.Text = "You see the key once, right after you create the channel. Keep it on your server."
		if view.Test = platform != channels.Custom; view.Test {
			view.Text = "We test the credentials at once, encrypt them, and never show them again."
		}
	}
	return show(screen{Template: "channel_new", Title: "New channel", Section: "/channels",
		Crumbs: []crumb{{"Channels", "/channels"}, {"New", ""}}, Data: view}), nil
}

// createChannel serves POST /channels/new. A custom channel's key is shown on the answer's page, and never again; the
// form of another one goes on to the test of its connection, which has the channel's page.
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
		steps := r.http.PostForm.Get("setup") != "" && draft.Platform != channels.Custom
		if steps {
			draft.Status = new(channels.Inactive) // until the last step
		}
		channel, secret, err := d.writeSecret(r, func(tx *db.Tx) (string, string, error) {
			c, _, secret, err := d.Commerce.CreateChannel(tx, r.caller(), draft)
			return string(c.ID), secret, err
		})
		if err != nil {
			return answer{}, err
		}
		if steps {
			return answer{to: "/connect/" + channel, resent: true}, nil
		}
		if secret == "" {
			return answer{to: "/channels/" + channel + "/test", resent: true}, nil
		}
		var newest catalog.Sold
		if err := r.read(func(tx *db.Tx) (err error) { newest, err = newestProduct(tx); return err }); err != nil {
			return answer{}, err
		}
		_, method, path, body := firstCall(newest, channel)
		return show(screen{Template: "channel_key", Title: r.say("Key of %s", *draft.Name), Section: "/channels", Data: once{
			Head: r.say("%s is ready", *draft.Name), Label: "API key", Secret: secret, Back: prefix + "/channels/" + channel,
			Text: "You see this key only now. It reads and writes products, stock, orders and customers of the whole account.",
			Curl: r.curlWith(secret, method, path, body)}}), nil
	})
}
