package jobs

import "entrepot/internal/db"

var table = db.NewTable("jobs",
	db.Joined("j.tenant_id", func(j *Job) any { return &j.Tenant }),
	db.Col("id", func(j *Job) any { return &j.ID }),
	db.Col("type", func(j *Job) any { return &j.Type }),
	db.Col("channel_id", func(j *Job) any { return &j.Channel }).Null(),
	db.Col("subject", func(j *Job) any { return &j.Subject }).Null(),
	db.Col("status", func(j *Job) any { return &j.Status }),
	db.Col("total", func(j *Job) any { return &j.Total }),
	db.Col("processed", func(j *Job) any { return &j.Processed }),
	db.Col("created", func(j *Job) any { return &j.Created }),
	db.Col("updated", func(j *Job) any { return &j.Updated }),
	db.Col("failed", func(j *Job) any { return &j.Failed }),
	db.Col("errors", func(j *Job) any { return &j.Errors }),
	db.Col("input", func(j *Job) any { return &j.Input }),
	db.Col("cursor", func(j *Job) any { return &j.Cursor }),
	db.Col("tries", func(j *Job) any { return &j.Tries }),
	db.Col("due_at", func(j *Job) any { return &j.DueAt }).Null(),
	db.Col("created_at", func(j *Job) any { return &j.CreatedAt }),
	db.Col("started_at", func(j *Job) any { return &j.StartedAt }).Null(),
	db.Col("completed_at", func(j *Job) any { return &j.CompletedAt }).Null(),
	db.Joined("c.name", func(j *Job) any { return &j.ChannelName }),
	db.Joined("c.platform", func(j *Job) any { return &j.ChannelType }),
).Of("job")
