package records

import (
	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/channels"
	"entrepot/internal/id"
)

// WriteChannel writes a channel (interface §2.7). A custom one never shows a synchronisation.
func WriteChannel(w *apijson.Writer, name string, c channels.Channel) {
	w.Record("Channel", name)
	apijson.ID(w, "id", c.ID)
	w.Text("name", c.Name)
	w.Text("platform", c.Platform)
	apijson.Word(w, "status", c.Status)
	w.RawObject("settings", c.Settings)
	w.Bool("hasCredentials", c.Credentials != "")
	w.Micros("createdAt", c.CreatedAt)
	w.Micros("updatedAt", c.UpdatedAt)
	w.MicrosOrNull("lastSyncAt", c.LastSyncAt)
	w.End()
}

// WriteNewChannel writes what a creation answers: the channel, and for a custom one its key.
func WriteNewChannel(w *apijson.Writer, c channels.Channel, key accounts.Key, secret string) {
	w.Record("NewChannel", "data")
	WriteChannel(w, "channel", c)
	if secret != "" {
		w.Record("ChannelKey", "apiKey")
		apijson.ID(w, "id", key.ID)
		w.Text("name", key.Name)
		w.Text("key", secret)
		apijson.Texts(w, "scopes", key.Scopes)
		w.End()
	}
	w.End()
}

// SampleChannel is the channel that describes the answers.
var SampleChannel = channels.Channel{ID: SampleID[id.Channel](259), Name: "ERP", Platform: channels.Custom, Status: channels.Active,
	Settings: `{"oversell":"allow"}`, CreatedAt: SampleTime, UpdatedAt: SampleTime, LastSyncAt: SampleTime}
