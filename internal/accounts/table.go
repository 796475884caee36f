package accounts

import (
	"strings"

	"entrepot/internal/db"
)

// accountTable has the account's number as its tenant_id, so statements that look for the account read it too.
var accountTable = db.NewTable("tenants",
	db.Col("tenant_id", func(a *Account) any { return &a.Tenant }).ReadOnly(),
	db.Col("id", func(a *Account) any { return &a.ID }).Fixed(),
	db.Col("name", func(a *Account) any { return &a.Name }),
	db.Col("plan", func(a *Account) any { return &a.Plan }),
	db.Col("currency", func(a *Account) any { return &a.Currency }),
	db.Coded("settings", func(a *Account) string { return a.Settings.text() },
		func(a *Account, text string) (err error) { a.Settings, err = parseSettings(text); return err }),
	db.Col("sandbox", func(a *Account) any { return &a.Sandbox }).Fixed(),
	db.Derived("clock_offset", func(*Account) any { return int64(0) }).Fixed(),
	db.Col("created_at", func(a *Account) any { return &a.CreatedAt }).Fixed(),
	db.Col("updated_at", func(a *Account) any { return &a.UpdatedAt }),
).Of("account")

var userTable = db.NewTable("users",
	db.Col("tenant_id", func(u *User) any { return &u.tenant }).ReadOnly(),
	db.Col("id", func(u *User) any { return &u.ID }).Fixed(),
	db.Col("email", func(u *User) any { return &u.Email }),
	db.Derived("email_key", func(u *User) any { return FoldEmail(u.Email) }),
	db.Col("name", func(u *User) any { return &u.Name }),
	db.Col("password_hash", func(u *User) any { return &u.PasswordHash }),
	db.Col("role", func(u *User) any { return &u.Role }),
	db.Col("status", func(u *User) any { return &u.Status }),
	db.Col("created_at", func(u *User) any { return &u.CreatedAt }).Fixed(),
	db.Col("last_login_at", func(u *User) any { return &u.LastLoginAt }).Null().ReadOnly(),
	db.Coded("scopes", func(u *User) string { return strings.Join(u.Limit, " ") },
		func(u *User, text string) error { u.Limit = strings.Fields(text); return nil }),
	db.Col("time_zone", func(u *User) any { return &u.TimeZone }),
	db.Col("locale", func(u *User) any { return &u.Locale }),
	db.Col("language", func(u *User) any { return &u.Language }),
).Of("user")

var keyTable = db.NewTable("api_keys",
	db.Col("id", func(k *Key) any { return &k.ID }),
	db.Col("name", func(k *Key) any { return &k.Name }),
	db.Derived("hash", func(k *Key) any { return k.hash }),
	db.Col("prefix", func(k *Key) any { return &k.Prefix }),
	db.Coded("scopes", func(k *Key) string { return strings.Join(k.Scopes, " ") },
		func(k *Key, text string) error { k.Scopes = strings.Fields(text); return nil }),
	db.Col("channel_id", func(k *Key) any { return &k.Channel }).Null(),
	db.Col("created_by", func(k *Key) any { return &k.CreatedBy }).Null(),
	db.Col("created_at", func(k *Key) any { return &k.CreatedAt }),
	db.Col("expires_at", func(k *Key) any { return &k.ExpiresAt }).Null(),
	db.Col("revoked_at", func(k *Key) any { return &k.revokedAt }).Null().ReadOnly(),
	db.Col("last_used_at", func(k *Key) any { return &k.LastUsedAt }).Null().ReadOnly(),
).Of("API key")

var signInTable = db.NewTable("tokens",
	db.Derived("hash", func(s *SignIn) any { return s.hash }),
	db.Col("user_id", func(s *SignIn) any { return &s.user }),
	db.Col("id", func(s *SignIn) any { return &s.ID }),
	db.Col("address", func(s *SignIn) any { return &s.Address }),
	db.Col("agent", func(s *SignIn) any { return &s.Agent }),
	db.Col("dashboard", func(s *SignIn) any { return &s.Dashboard }),
	db.Col("created_at", func(s *SignIn) any { return &s.CreatedAt }),
	db.Col("expires_at", func(s *SignIn) any { return &s.ExpiresAt }),
	db.Col("last_used_at", func(s *SignIn) any { return &s.LastUsedAt }).Null(),
).Of("sign-in")
