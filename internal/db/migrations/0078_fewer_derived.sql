-- Deep pages of products are no longer found by rows that were counted before: nobody asks how many rows a repair has written.
DELETE FROM tallies WHERE name = 'repairs' AND key <> '';
