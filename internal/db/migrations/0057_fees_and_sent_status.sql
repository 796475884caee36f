-- fee: a line of a platform's order that is nothing to ship, such as a tip or gift wrapping. sent_status: the status that an order's
-- platform was sent last, as long as it has no other one: that is no news (interface §2.1, §3.1; decision 16).
ALTER TABLE order_lines ADD COLUMN fee BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE orders ADD COLUMN sent_status TEXT;
