-- Where users logged in from lately (interface §8): such a network has places of its own for checking passwords.
CREATE TABLE login_networks (
    tenant_id BIGINT NOT NULL,
    user_id UUID NOT NULL,
    network TEXT NOT NULL,                 -- SHA-256 of the /24 or /64 of the client's address
    used_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, user_id, network)
) WITHOUT ROWID;
CREATE INDEX login_networks_network ON login_networks (network, used_at);
