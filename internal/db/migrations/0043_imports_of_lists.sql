-- Price lists and stock lists are imported like files of products (docs/import.md). SQLite cannot change a column's CHECK, so that
-- another column takes its place.
ALTER TABLE imports ADD COLUMN file_kind TEXT NOT NULL DEFAULT 'products' CHECK (file_kind IN ('products', 'orders', 'prices', 'stock'));
UPDATE imports SET file_kind = kind;
ALTER TABLE imports DROP COLUMN kind;
ALTER TABLE imports RENAME COLUMN file_kind TO kind;
