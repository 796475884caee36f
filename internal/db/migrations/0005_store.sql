-- What a store knows of itself (interface §5.1, §10).
CREATE TABLE store_keys (
    id TEXT PRIMARY KEY,                   -- of the master key that seals this store's secrets; one row
    created_at BIGINT NOT NULL
);

CREATE TABLE setup_links (                 -- open ways to make the first account; all gone with its making
    hash TEXT PRIMARY KEY,                 -- SHA-256 of the link's token
    created_at BIGINT NOT NULL
);
