-- Files of orders are imported like files of products (docs/import.md).
ALTER TABLE imports ADD COLUMN kind TEXT NOT NULL DEFAULT 'products' CHECK (kind IN ('products', 'orders'));
