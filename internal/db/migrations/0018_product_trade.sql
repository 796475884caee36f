-- What trade needs to know of products and variants (interface §2.7.1). NULL: not set; of a variant: what the product has.
ALTER TABLE products ADD COLUMN gtin TEXT;
ALTER TABLE products ADD COLUMN weight BIGINT;            -- 1/10,000 kilogram
ALTER TABLE products ADD COLUMN cost BIGINT;              -- as price
ALTER TABLE products ADD COLUMN tax_class TEXT;
ALTER TABLE products ADD COLUMN country_of_origin TEXT;   -- ISO 3166-1 alpha-2
ALTER TABLE variants ADD COLUMN gtin TEXT;                -- NULL: none, the product's is not the variant's
ALTER TABLE variants ADD COLUMN weight BIGINT;
ALTER TABLE variants ADD COLUMN cost BIGINT;
ALTER TABLE variants ADD COLUMN tax_class TEXT;
ALTER TABLE variants ADD COLUMN country_of_origin TEXT;
