-- The catalog (interface §2.7, §4.2). Deleted rows stay 90 days as tombstones of the change feeds.
CREATE TABLE categories (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    external_id TEXT COLLATE "C",
    name TEXT NOT NULL,
    slug TEXT COLLATE "C" NOT NULL,
    parent_id UUID,
    parent_external_id TEXT COLLATE "C",   -- until that category arrives
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,            -- stamp of the tenant's change clock
    deleted_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX categories_tenant_id_external_id ON categories (tenant_id, external_id)
    WHERE external_id IS NOT NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX categories_tenant_id_slug ON categories (tenant_id, slug) WHERE deleted_at IS NULL;
CREATE INDEX categories_tenant_id_parent_id ON categories (tenant_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX categories_tenant_id_changed_at ON categories (tenant_id, changed_at, deleted_at);
CREATE INDEX categories_deleted_at ON categories (deleted_at) WHERE deleted_at IS NOT NULL;
-- The list of categories is in the order of their names (interface §2.7.3).
CREATE INDEX categories_tenant_id_name ON categories (tenant_id, name COLLATE "C", id) WHERE deleted_at IS NULL;
-- Categories that wait for their parent, among very many that have the same one already.
CREATE INDEX categories_waiting ON categories (tenant_id, parent_external_id)
    WHERE parent_id IS NULL AND parent_external_id IS NOT NULL AND deleted_at IS NULL;

CREATE TABLE products (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    sku TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    slug TEXT COLLATE "C" NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('DRAFT', 'ACTIVE', 'INACTIVE', 'ARCHIVED')),
    price BIGINT NOT NULL CHECK (price >= 0),
    compare_at_price BIGINT CHECK (compare_at_price >= 0),
    media TEXT NOT NULL,                   -- JSON: [{id, url, position}]
    attributes TEXT NOT NULL,              -- JSON object: code to value
    search TEXT NOT NULL,                  -- folded sku and name
    variant_count BIGINT NOT NULL,         -- rows in variants and in product_categories: a reader skips what is not there
    category_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    deleted_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX products_tenant_id_slug ON products (tenant_id, slug) WHERE deleted_at IS NULL;
CREATE INDEX products_tenant_id_changed_at ON products (tenant_id, changed_at, deleted_at); -- a feed's page and its total
CREATE INDEX products_deleted_at ON products (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX products_tenant_id_status ON products (tenant_id, status, id) WHERE deleted_at IS NULL;
CREATE INDEX products_tenant_id_tombstones ON products (tenant_id, deleted_at, changed_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE variants (
    tenant_id BIGINT NOT NULL,
    product_id UUID NOT NULL,
    position BIGINT NOT NULL,
    id UUID NOT NULL,
    sku TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    price BIGINT CHECK (price >= 0),       -- NULL: the product's
    compare_at_price BIGINT CHECK (compare_at_price >= 0),
    attributes TEXT NOT NULL,              -- JSON object: code to value
    PRIMARY KEY (tenant_id, product_id, id)
) WITHOUT ROWID;

-- The one space of SKUs: what can be ordered, priced and stocked.
CREATE TABLE skus (
    tenant_id BIGINT NOT NULL,
    sku TEXT COLLATE "C" NOT NULL,
    product_id UUID NOT NULL,
    variant_id UUID,
    PRIMARY KEY (tenant_id, sku)
) WITHOUT ROWID;

CREATE TABLE product_categories (
    tenant_id BIGINT NOT NULL,
    product_id UUID NOT NULL,
    position BIGINT NOT NULL,
    reference TEXT COLLATE "C" NOT NULL,   -- id or external id as given
    category_id UUID,                      -- NULL until that category arrives
    PRIMARY KEY (tenant_id, product_id, position)
) WITHOUT ROWID;
CREATE INDEX product_categories_waiting ON product_categories (tenant_id, reference) WHERE category_id IS NULL;
CREATE INDEX product_categories_tenant_id_category_id ON product_categories (tenant_id, category_id, product_id);

CREATE TABLE attributes (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    code TEXT COLLATE "C" NOT NULL,
    label TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('text', 'number', 'boolean', 'date', 'select')),
    options TEXT NOT NULL,                 -- JSON array of strings
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, code)
);
