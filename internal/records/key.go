package records

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
)

// WriteKey writes a key; its text only when it is given (interface §2.7.10).
func WriteKey(w *apijson.Writer, name string, k accounts.Key, secret string) {
	w.Record(kind(secret == "", "ApiKey", "NewApiKey"), name)
	apijson.ID(w, "id", k.ID)
	w.Text("name", k.Name)
	if secret != "" {
		w.Text("key", secret)
	}
	w.Text("prefix", k.Prefix)
	apijson.Texts(w, "scopes", k.Scopes)
	apijson.IDOrNull(w, "channelId", k.Channel)
	apijson.IDOrNull(w, "createdBy", k.CreatedBy)
	w.Micros("createdAt", k.CreatedAt)
	w.MicrosOrNull("expiresAt", k.ExpiresAt)
	w.MicrosOrNull("lastUsedAt", k.LastUsedAt)
	w.End()
}

// SampleKey is the key that describes the answers.
var SampleKey = accounts.Key{ID: "019a1c52-7c1e-7d40-9a55-000000000002", Name: "operations", Prefix: "pk_live_3fQx",
	Scopes: []string{"read:orders", "write:webhooks"}, Channel: "019a1c52-7c1e-7d40-9a55-000000000003", CreatedBy: SampleUser.ID,
	CreatedAt: SampleTime, ExpiresAt: SampleTime, LastUsedAt: SampleTime}
