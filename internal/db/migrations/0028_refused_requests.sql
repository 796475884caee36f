-- Who did what, by whom and to what (interface §4.5.10). The log is short beside everything else.
CREATE INDEX audit_log_tenant_id_actor ON audit_log (tenant_id, actor, id);
CREATE INDEX audit_log_tenant_id_action ON audit_log (tenant_id, action, id);
CREATE INDEX audit_log_tenant_id_resource_id ON audit_log (tenant_id, resource_id, id);

-- The newest requests of an account that were refused, equal ones counted together. No bodies, and of addresses only what routes are made
-- of, so that nothing in it is about a person.
CREATE TABLE refused_requests (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,                      -- made when the row was written: newer rows have greater ones
    key_id UUID,                           -- the API key, also one that was revoked or has expired
    user_id UUID,                          -- the user, of an access token
    method TEXT NOT NULL,
    route TEXT NOT NULL,                   -- /api/v1/orders/{id}; of an unknown one what is unknown is *
    status BIGINT NOT NULL,
    code TEXT NOT NULL,
    request_id TEXT NOT NULL,              -- of the newest; '' if it might name a person
    times BIGINT NOT NULL,
    created_at BIGINT NOT NULL,            -- of the newest
    PRIMARY KEY (tenant_id, id)
) WITHOUT ROWID;
