-- How far an operation in steps is done whose records are not in the order of their ids; '' before the first.
ALTER TABLE unfinished ADD COLUMN place TEXT NOT NULL DEFAULT '';
