package main

import (
	"encoding/json"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
)

// record is the form of a record with --json: the members that the API shows, then accountId, then the members that
// more, if not nil, writes.
func record(of accounts.Account, write func(w *apijson.Writer), more func(w *apijson.Writer)) json.RawMessage {
	shown, added := apijson.NewWriter(512), apijson.NewWriter(128)
	write(shown)
	added.Object("")
	apijson.ID(added, "accountId", of.ID)
	if more != nil {
		more(added)
	}
	added.End()
	text := shown.Bytes()
	return append(append(text[:len(text)-1:len(text)-1], ','), added.Bytes()[1:]...)
}
