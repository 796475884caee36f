package records

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
)

// WriteChannel writes a channel with the state of its synchronisation (interface §2.7.10), which a custom channel
// does not have.
func WriteChannel(w *apijson.Writer, name string, c channels.Channel, sync channelsync.State) {
	w.Record("Channel", name)
	apijson.ID(w, "id", c.ID)
	w.Text("name", c.Name)
	w.Text("platform", c.Platform)
	apijson.Word(w, "status", c.Status)
	w.Bool("tested", c.Platform == channels.Custom || sync.Tested())
	w.TextOrNull("address", sync.Address())
	w.RawObject("settings", c.Settings)
	w.Bool("hasCredentials", c.Credentials != "")
	w.Micros("createdAt", c.CreatedAt)
	w.Micros("updatedAt", c.UpdatedAt)
	w.MicrosOrNull("lastSyncAt", c.LastSyncAt)
	w.TextOrNull("lastError", sync.LastError)
	w.MicrosOrNull("nextPullAt", nextPull(c, sync))
	w.List("webhooks")
	for _, hook := range sync.Hooks() {
		w.Object("")
		w.Text("topic", hook.Topic)
		w.Text("status", hook.Status)
		w.End()
	}
	w.EndList()
	w.End()
}

// nextPull is the time of the channel's next scheduled pull, 0 for none.
func nextPull(c channels.Channel, sync channelsync.State) int64 {
	if c.Platform == channels.Custom || c.Status != channels.Active && c.Status != channels.Expiring {
		return 0
	}
	return sync.PullAt
}

// WriteNewChannel writes the answer to a creation: the channel, and the key of a custom one.
func WriteNewChannel(w *apijson.Writer, c channels.Channel, sync channelsync.State, key accounts.Key, secret string) {
	w.Record("NewChannel", "data")
	WriteChannel(w, "channel", c, sync)
	if secret != "" {
		WriteChannelKey(w, key, secret)
	}
	w.End()
}

// WriteChannelKey writes the member apiKey of a new custom channel: its key, this once.
func WriteChannelKey(w *apijson.Writer, key accounts.Key, secret string) {
	w.Record("ChannelKey", "apiKey")
	apijson.ID(w, "id", key.ID)
	w.Text("name", key.Name)
	w.Text("key", secret)
	apijson.Texts(w, "scopes", key.Scopes)
	w.End()
}

// SampleChannel is the channel that describes the answers.
var SampleChannel = channels.Channel{ID: SampleID[id.Channel](259), Name: "ERP", Platform: channels.Custom, Status: channels.Active,
	Settings: `{"oversell":"allow"}`, CreatedAt: SampleTime, UpdatedAt: SampleTime, LastSyncAt: SampleTime}

// SampleChannelSync is a possible state of a platform's channel.
var SampleChannelSync = channelsync.State{LastError: "the shop is closed for maintenance", PullAt: SampleTime,
	Shop: `{"URL":"https://shop.example"}`, Webhooks: `[{"topic":"order.updated","status":"active"}]`}
