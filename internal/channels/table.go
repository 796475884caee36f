package channels

import "entrepot/internal/db"

// table is a channel's row.
var table = db.NewTable("channels",
	db.Col("tenant_id", func(c *Channel) any { return &c.Tenant }).ReadOnly(),
	db.Col("id", func(c *Channel) any { return &c.ID }).Fixed(),
	db.Col("name", func(c *Channel) any { return &c.Name }),
	db.Col("platform", func(c *Channel) any { return &c.Platform }).Fixed(),
	db.Col("status", func(c *Channel) any { return &c.Status }),
	db.Col("credentials", func(c *Channel) any { return &c.Credentials }),
	db.Col("settings", func(c *Channel) any { return &c.Settings }),
	db.Col("oversell", func(c *Channel) any { return &c.Oversell }),
	db.Col("created_at", func(c *Channel) any { return &c.CreatedAt }).Fixed(),
	db.Col("updated_at", func(c *Channel) any { return &c.UpdatedAt }),
	db.Col("last_sync_at", func(c *Channel) any { return &c.LastSyncAt }).Null().ReadOnly(),
).Of("channel")
