-- What is counted over the cases of a run that are kept, so that its page need not count again. A run that was recorded before these
-- has no rows here, and is counted.
CREATE TABLE run_tools (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  expected TEXT NOT NULL,
  called TEXT NOT NULL,
  times INTEGER NOT NULL,
  cases INTEGER NOT NULL,
  PRIMARY KEY (run, expected, called)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_case_tags (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  tag TEXT NOT NULL,
  cases INTEGER NOT NULL,
  PRIMARY KEY (run, tag)
) STRICT, WITHOUT ROWID;
