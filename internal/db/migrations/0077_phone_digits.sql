-- The text by which a customer is found ends with the phone number in one form (interface §4.4; internal/customers/phone.go): the mark, a +
-- if the number begins with a calling code, and the digits without leading zeros.
UPDATE customers SET search = search || ' ☎' || (
    SELECT CASE WHEN n.number LIKE '+%' OR n.number LIKE '00%' THEN '+' ELSE '' END || lower(ltrim(n.number, '+0')) FROM (
        SELECT replace(replace(replace(replace(replace(replace(replace(replace(customers.phone,
            '(0)', ''), ' ', ''), ' ', ''), '-', ''), '(', ''), ')', ''), '/', ''), '.', '') AS number) AS n)
    WHERE phone LIKE '%1%' OR phone LIKE '%2%' OR phone LIKE '%3%' OR phone LIKE '%4%' OR phone LIKE '%5%' OR phone LIKE '%6%'
        OR phone LIKE '%7%' OR phone LIKE '%8%' OR phone LIKE '%9%';
INSERT INTO search_loose (tenant_id, kind, id, sort, text, version)
    SELECT tenant_id, 'customer', id, CASE WHEN merged_into IS NULL THEN 0 ELSE 1 END, search, 0 FROM customers WHERE search LIKE '%☎%'
    ON CONFLICT (tenant_id, kind, id) DO UPDATE SET text = excluded.text, version = search_loose.version + 1;
