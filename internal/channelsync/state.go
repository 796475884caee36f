// Package channelsync holds what the service knows about the platform of a channel (interface §4.5.7, §6.3).
//
//	State   one row for each channel: how far orders are pulled, what is due when, what has failed since when, the last test
//	Item    one row for each SKU and channel: the platform's ids and values, and what is due
//	Due     what must be pulled or pushed; MarkChanges finds what changed in the account since the last run
package channelsync

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// State is one channel's row. Times are microseconds by the service's clock unless said otherwise; 0 stands for never.
type State struct {
	Channel       id.Channel
	Clock         int64 // the account's change clock when its changes were last read
	PulledUntil   int64 // by the platform's clock
	PulledAt      int64
	PullAt        int64
	CheckAt       int64
	HeldUntil     int64
	Failures      int64
	Failing       string // JSON object: times by name, see Since
	LastError     string
	HookURL       string
	Webhooks      string // JSON: [{topic, status}]
	Shop          string // JSON object
	Facts         string // JSON object
	RenewingUntil int64
	PollAt        int64 // when the platform is asked about its operations
}

var states = db.NewTable("channel_syncs",
	db.Col("channel_id", func(s *State) any { return &s.Channel }).Fixed(),
	db.Col("clock", func(s *State) any { return &s.Clock }),
	db.Col("pulled_until", func(s *State) any { return &s.PulledUntil }).Null(),
	db.Col("pulled_at", func(s *State) any { return &s.PulledAt }).Null(),
	db.Col("pull_at", func(s *State) any { return &s.PullAt }),
	db.Col("check_at", func(s *State) any { return &s.CheckAt }).Null(),
	db.Col("held_until", func(s *State) any { return &s.HeldUntil }),
	db.Col("failures", func(s *State) any { return &s.Failures }),
	db.Col("failing", func(s *State) any { return &s.Failing }),
	db.Col("last_error", func(s *State) any { return &s.LastError }).Null(),
	db.Col("hook_url", func(s *State) any { return &s.HookURL }),
	db.Col("webhooks", func(s *State) any { return &s.Webhooks }),
	db.Col("shop", func(s *State) any { return &s.Shop }),
	db.Col("facts", func(s *State) any { return &s.Facts }),
	db.Col("renewing_until", func(s *State) any { return &s.RenewingUntil }),
	db.Col("poll_at", func(s *State) any { return &s.PollAt }).Null(),
)

// newState is the state of a channel without a row.
func newState(channel id.Channel) State {
	return State{Channel: channel, Failing: "{}", Webhooks: "[]", Shop: "{}", Facts: "{}"}
}

// Begin queues the row of a new channel, with the time of its first scheduled pull.
func Begin(tx db.Writer, channel id.Channel, pullAt time.Time) {
	s := newState(channel)
	s.PullAt = pullAt.UnixMicro()
	states.InsertFrom(tx, s, "WHERE TRUE ON CONFLICT (tenant_id, channel_id) DO NOTHING")
}

// ByChannel reads a channel's row; the zero State with empty JSON when it has none.
func ByChannel(tx *db.Tx, channel id.Channel) (State, error) { return one(tx, channel, db.NoLock) }

// ByChannels reads the rows of channels; those without one are left out.
func ByChannels(tx *db.Tx, channels []id.Channel) (map[id.Channel]State, error) {
	found := map[id.Channel]State{}
	for piece := range slices.Chunk(channels, 256) {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		list, err := db.List(tx, states.Scanner(),
			"SELECT "+states.Columns("")+" FROM channel_syncs WHERE tenant_id = $1 AND channel_id IN "+db.In(len(args)-1, 2), args...)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			found[s.Channel] = s
		}
	}
	return found, nil
}

// Lock is ByChannel, and locks the row for a change. It comes after the channel's lock and before those of orders.
func Lock(tx *db.Tx, channel id.Channel) (State, error) { return one(tx, channel, db.ForUpdate) }

func one(tx *db.Tx, channel id.Channel, lock db.Lock) (State, error) {
	list, err := states.All(tx, ofChannel+string(lock), channel)
	if err != nil || len(list) == 0 {
		return newState(channel), err
	}
	return list[0], nil
}

// Save queues a locked row as it is now.
func (s State) Save(tx db.Writer) {
	states.Update(tx, &s, "channel_id = $2::UUID", s.Channel).Rows(1, nil)
}

// Hook is one registration of a webhook on the platform, as last seen.
type Hook struct {
	Topic  string `json:"topic"`  // the platform's name
	Status string `json:"status"` // "active", else the platform's word
}

// Hooks are the platform's webhooks.
func (s State) Hooks() (hooks []Hook) {
	_ = json.Unmarshal([]byte(s.Webhooks), &hooks)
	return hooks
}

// SetHooks sets them.
func (s *State) SetHooks(hooks []Hook) { s.Webhooks = encode(hooks) }

// Tested reports whether a test with the channel's credentials has succeeded.
func (s State) Tested() bool { return s.Shop != "" && s.Shop != "{}" }

// Account is the platform's id of the account, as the last test with the channel's credentials found it.
func (s State) Account() string { return s.shop().Account }

// Address is the shop's own address, an http or https URL, as the last test with the channel's credentials found it;
// "" before one.
func (s State) Address() string {
	address := s.shop().URL
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return address
}

func (s State) shop() (shop struct{ Account, URL string }) {
	_ = json.Unmarshal([]byte(s.Shop), &shop)
	return shop
}

// ForgetShop queues that nothing is known of the channel's shop and of what its credentials may do, because it has
// others.
func ForgetShop(tx db.Writer, channel id.Channel) {
	tx.Queue("UPDATE channel_syncs SET shop = '{}', facts = '{}' WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.TenantID(), channel)
}

// Since is a time by its name: that since which jobs of a type have failed, or another one of the channel's work; 0
// for none.
func (s State) Since(kind string) int64 {
	failing := map[string]int64{}
	_ = json.Unmarshal([]byte(s.Failing), &failing)
	return failing[kind]
}

// SetSince sets the time of a name, 0 for none.
func (s *State) SetSince(kind string, at int64) {
	failing := map[string]int64{}
	_ = json.Unmarshal([]byte(s.Failing), &failing)
	if failing[kind] = at; at == 0 {
		delete(failing, kind)
	}
	s.Failing = encode(failing)
}

// Fact reads one of the facts.
func (s State) Fact(name string) string {
	facts := map[string]string{}
	_ = json.Unmarshal([]byte(s.Facts), &facts)
	return facts[name]
}

// KeepFacts queues the storage of facts.
func KeepFacts(tx db.Writer, channel id.Channel, facts map[string]string) {
	tx.Queue("UPDATE channel_syncs SET facts = $3 WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.TenantID(), channel, encode(facts))
}

// AllFacts are all facts about the shop.
func (s State) AllFacts() map[string]string {
	facts := map[string]string{}
	_ = json.Unmarshal([]byte(s.Facts), &facts)
	return facts
}

// Lease takes the right to renew the channel's tokens for a time; it reports whether it was free.
func Lease(tx *db.Tx, channel id.Channel, d time.Duration) (bool, error) {
	n, err := tx.Exec(
		"UPDATE channel_syncs SET renewing_until = $3 WHERE tenant_id = $1 AND channel_id = $2::UUID AND renewing_until <= $4",
		tx.Tenant,
		channel,
		tx.Now().Add(d).UnixMicro(),
		tx.Micros(),
	)
	return n == 1, err
}

// EndLease queues the release of that right.
func EndLease(tx db.Writer, channel id.Channel) {
	tx.Queue("UPDATE channel_syncs SET renewing_until = 0 WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.TenantID(), channel)
}

// CheckNow queues a check of the platform's webhooks, if they were ever registered.
func CheckNow(tx db.Writer, channel id.Channel) {
	tx.Queue("UPDATE channel_syncs SET check_at = $3 WHERE tenant_id = $1 AND channel_id = $2::UUID AND hook_url <> ''",
		tx.TenantID(), channel, tx.Micros())
}

// NoHooks queues that the platform has no webhooks any more.
func NoHooks(tx db.Writer, channel id.Channel) {
	tx.Queue("UPDATE channel_syncs SET webhooks = '[]' WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.TenantID(), channel)
}

// PullAt queues the time of the next scheduled pull.
func PullAt(tx db.Writer, channel id.Channel, at int64) {
	tx.Queue("UPDATE channel_syncs SET pull_at = $3 WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.TenantID(), channel, at)
}

// PullAnew queues that orders are pulled from the beginning, now.
func PullAnew(tx db.Writer, channel id.Channel) {
	tx.Queue("UPDATE channel_syncs SET pulled_until = NULL, pull_at = $3 WHERE tenant_id = $1 AND channel_id = $2::UUID",
		tx.TenantID(), channel, tx.Micros())
}

// Pulled queues how far orders are pulled.
func Pulled(tx db.Writer, channel id.Channel, until, pullAt int64) {
	tx.Queue("UPDATE channel_syncs SET pulled_until = $3, pulled_at = $4, pull_at = $5 WHERE tenant_id = $1 AND channel_id = $2::UUID",
		tx.TenantID(), channel, db.Null(until), tx.Micros(), pullAt)
}

// DeleteSome deletes at most limit items of a channel and returns how many it deleted.
func DeleteSome(tx *db.Tx, channel id.Channel, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM channel_items WHERE tenant_id = $1 AND channel_id = $2::UUID AND sku IN (SELECT sku FROM channel_items
		WHERE tenant_id = $1 AND channel_id = $2::UUID ORDER BY sku LIMIT $3::BIGINT)`, tx.Tenant, channel, limit)
}

// AnyItems reports whether a channel has more than n items.
func AnyItems(tx *db.Tx, channel id.Channel, n int) (bool, error) {
	return db.MoreThan(tx, n, "channel_items WHERE tenant_id = $1 AND channel_id = $2::UUID", channel)
}

// Delete queues the deletion of a channel's state and items.
func Delete(tx db.Writer, channel id.Channel) {
	tx.Queue("DELETE FROM channel_items WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.TenantID(), channel)
	tx.Queue("DELETE FROM channel_syncs WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.TenantID(), channel)
}

// Waiting is a channel with possible work.
type Waiting struct {
	Tenant  id.Tenant
	Channel id.Channel
}

// Due lists channels with a due pull, check or poll, or with changes in their account since the last run. It serves
// every tenant.
func Due(tx *db.Tx, limit int) ([]Waiting, error) {
	return db.List(tx, func(r db.Rows) (w Waiting, err error) { return w, r.Scan(&w.Tenant, &w.Channel) },
		`SELECT s.tenant_id, s.channel_id FROM channel_syncs s JOIN channels c ON c.tenant_id = s.tenant_id AND c.id = s.channel_id
		LEFT JOIN change_clocks k ON k.tenant_id = s.tenant_id
		WHERE c.status IN ('active', 'expiring') AND (s.held_until <= $1 OR s.pull_at <= $1)
			AND (s.pull_at <= $1 OR s.check_at <= $1 OR s.poll_at <= $1 OR k.last > s.clock)
		ORDER BY s.pull_at, s.channel_id LIMIT $2::BIGINT`, tx.Micros(), limit)
}

// Clock reads the account's change clock. Later commits have greater stamps.
func Clock(tx *db.Tx) (last int64, err error) {
	err = tx.Row("SELECT last FROM change_clocks WHERE tenant_id = $1", []any{tx.Tenant}, &last)
	if errors.Is(err, db.ErrNoRow) {
		err = nil
	}
	return last, err
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of plain values always encode
	}
	return string(text)
}

// Failed queues a channel's newest error.
func Failed(tx db.Writer, channel id.Channel, message string) {
	tx.Queue("UPDATE channel_syncs SET last_error = $3 WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.TenantID(), channel, message)
}
