-- Pictures that an account has uploaded (interface §4.5.1). Their files are in the folder or bucket of the setting media, under their names.
CREATE TABLE media (
    tenant_id BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,        -- SHA-256 of the account and the file in hex, with .jpg or .png
    bytes BIGINT NOT NULL,                 -- of the file and of the small one
    width BIGINT NOT NULL,
    height BIGINT NOT NULL,
    uploaded_at BIGINT NOT NULL,           -- last, in microseconds since 1970
    PRIMARY KEY (tenant_id, name)
);
