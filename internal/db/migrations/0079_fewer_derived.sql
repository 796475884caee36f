-- Blocks of what sold best in 350 days: the best sellers of a year are summed from those of 30 days.
DELETE FROM sales_blocks WHERE width = 30240000000000;
-- Kept counts of what repairs have written: nobody reads them.
DELETE FROM tallies WHERE name = 'repairs' AND key <> '';
