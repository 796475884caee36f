-- The service's own TLS by an ACME authority. Every node of the store uses these rows; none belongs to an account.
CREATE TABLE certificates (
    kind TEXT NOT NULL CHECK (kind IN ('account', 'certificate', 'challenge', 'order', 'pause')),
    -- account: the authority's directory; certificate: the domain and the directory; challenge: "http-01" and its token, or
    -- "tls-alpn-01" and the domain; order, pause: the domain
    name TEXT NOT NULL,
    -- encrypted; account: its key, certificate: key and chain, challenge: the answer; '' of an order and a pause
    secret TEXT NOT NULL,
    -- certificate: its end. challenge, order (one node orders), pause (after a failed order): worth nothing from then on. account: 0
    until_at BIGINT NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID;
