-- Products changed many at once (interface §4.5.1): the outcome for each product of such a job.
CREATE TABLE job_products (
    tenant_id BIGINT NOT NULL,
    job_id UUID NOT NULL,
    position BIGINT NOT NULL,              -- from 0, in the order in which the products were changed
    product_id UUID NOT NULL,
    sku TEXT NOT NULL,                     -- the product's, or '' if it is gone
    outcome TEXT NOT NULL CHECK (outcome IN ('done', 'unchanged', 'refused')),
    message TEXT NOT NULL,                 -- why it was refused, or ''
    before TEXT NOT NULL,                  -- JSON object: what the change is about, before it, or ''
    after TEXT NOT NULL,                   -- JSON object: the same after it, or ''
    PRIMARY KEY (tenant_id, job_id, position)
) WITHOUT ROWID;
CREATE INDEX job_products_outcome ON job_products (tenant_id, job_id, outcome, position);
