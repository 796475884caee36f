-- Up to which stamp of an account's change clock each view has everything (decision 9). A view without a row has nothing yet.
CREATE TABLE views_until (
    tenant_id BIGINT NOT NULL,
    view TEXT COLLATE "C" NOT NULL,        -- its name in package view
    stamp BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, view)
) WITHOUT ROWID;

DROP TABLE product_sorts_until;
DROP TABLE stock_values_until;
DROP TABLE segment_lists_until;
DROP TABLE search_until;
ALTER TABLE segments ADD COLUMN rules_digest TEXT NOT NULL DEFAULT ''; -- segment_lists.rules of its list
