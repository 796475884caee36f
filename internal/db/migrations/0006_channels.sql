-- Channels and what is published through them (interface §4.5, §6.3).
CREATE TABLE channels (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL UNIQUE,               -- platforms name a channel without its account
    name TEXT NOT NULL,
    platform TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'needs_reauth', 'expiring', 'error')),
    credentials TEXT NOT NULL,             -- sealed JSON
    settings TEXT NOT NULL,                -- JSON
    oversell TEXT NOT NULL CHECK (oversell IN ('allow', 'reject')),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    last_sync_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);

-- What the service knows of the platform behind a channel (interface §4.5, §6.3).
CREATE TABLE channel_syncs (
    tenant_id BIGINT NOT NULL,
    channel_id UUID NOT NULL,
    clock BIGINT NOT NULL,                 -- the account's change clock when its changes were last looked at
    pulled_until BIGINT,                   -- by the platform's clock: orders that changed before are here; NULL before the first pull
    pulled_at BIGINT,                      -- by ours: when that was
    pull_at BIGINT NOT NULL,               -- when the next scheduled pull is due
    check_at BIGINT,                       -- when the webhooks are looked at again; NULL before the first test
    held_until BIGINT NOT NULL,            -- after a failure nothing is tried before
    failures BIGINT NOT NULL,              -- in a row
    failing TEXT NOT NULL,                 -- JSON object: type of job to the time since which it fails
    last_error TEXT,
    hook_url TEXT NOT NULL,                -- the address that the platform notifies; '' before the first test
    webhooks TEXT NOT NULL,                -- JSON: [{topic, status}]
    shop TEXT NOT NULL,                    -- JSON object: what the last test found
    facts TEXT NOT NULL,                   -- JSON object: what the connector keeps of the shop
    renewing_until BIGINT NOT NULL,        -- end of the lease of whoever renews its tokens
    poll_at BIGINT,                        -- when the platform is asked again about work it has accepted; NULL: there is none
    PRIMARY KEY (tenant_id, channel_id)
) WITHOUT ROWID;

-- Which SKU is what on a platform, and what it is known to show.
CREATE TABLE channel_items (
    tenant_id BIGINT NOT NULL,
    channel_id UUID NOT NULL,
    sku TEXT COLLATE "C" NOT NULL,
    product_id UUID NOT NULL,
    variant_id UUID,
    external_product TEXT COLLATE "C" NOT NULL, -- '' until the platform has it
    external_variant TEXT COLLATE "C" NOT NULL, -- '' for a product without variants
    other TEXT NOT NULL,                   -- JSON object: further ids
    images TEXT NOT NULL,                  -- JSON object: our image id to the platform's
    content TEXT NOT NULL,                 -- hash of what was pushed of the product; '' for variants and before the first push
    quantity BIGINT,                       -- what the platform shows as far as we know; NULL: not known
    price TEXT NOT NULL,                   -- the price pushed, with its reduction; '' before the first push
    operation TEXT NOT NULL,               -- what the platform is asked for while it works on it; '' for nothing
    stock_due BOOLEAN NOT NULL,            -- stock or price may differ from what is here
    check_due BOOLEAN NOT NULL,            -- the platform's number may have changed: read it first
    content_due BOOLEAN NOT NULL,          -- the product changed since it was pushed
    marks BIGINT NOT NULL,                 -- how often anything became due: who pushed an older state leaves it due
    error TEXT,                            -- why the last push of stock or price was refused
    review TEXT NOT NULL DEFAULT '',       -- a change that the platform examines, or ''; stock and prices go on
    external_item TEXT NOT NULL DEFAULT '', -- Shopify's inventory item, the only id in its notifications of stock; '' elsewhere
    PRIMARY KEY (tenant_id, channel_id, sku)
) WITHOUT ROWID;
CREATE INDEX channel_items_external ON channel_items (tenant_id, channel_id, external_product, external_variant);
CREATE INDEX channel_items_product ON channel_items (tenant_id, product_id);
CREATE INDEX channel_items_due ON channel_items (tenant_id, channel_id, external_product, sku) WHERE stock_due OR check_due;
CREATE INDEX channel_items_content_due ON channel_items (tenant_id, channel_id, product_id) WHERE content_due;
CREATE INDEX channel_items_review ON channel_items (tenant_id, channel_id, review) WHERE review <> '';
CREATE INDEX channel_items_item ON channel_items (tenant_id, channel_id, external_item) WHERE external_item <> '';
CREATE INDEX channel_items_operation ON channel_items (tenant_id, channel_id, operation) WHERE operation <> '';
--postgres ALTER TABLE channel_items ALTER COLUMN channel_id SET (n_distinct = 100);

CREATE TABLE publications (
    tenant_id BIGINT NOT NULL,
    product_id UUID NOT NULL,
    channel_id UUID NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'published', 'failed', 'removing')),
    external_id TEXT,
    published_at BIGINT,
    error TEXT,
    external_url TEXT,                     -- where buyers see it
    PRIMARY KEY (tenant_id, product_id, channel_id)
) WITHOUT ROWID;
CREATE INDEX publications_tenant_id_channel_id ON publications (tenant_id, channel_id, product_id);
CREATE INDEX publications_due ON publications (tenant_id, channel_id, product_id) WHERE status IN ('pending', 'removing');
-- Most accounts have one channel and one warehouse. From that PostgreSQL would conclude that each channel or warehouse has
-- every row, and
-- read another index of the account (decision 1); n_distinct says otherwise, here and in other tables.
--postgres ALTER TABLE publications ALTER COLUMN channel_id SET (n_distinct = 100);

CREATE TABLE notifications (               -- platform notifications seen, for de-duplication (interface §6.3)
    tenant_id BIGINT NOT NULL,
    channel_id UUID NOT NULL,
    key TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, channel_id, key)
) WITHOUT ROWID;
CREATE INDEX notifications_expires_at ON notifications (expires_at);
