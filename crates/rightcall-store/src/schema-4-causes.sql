-- Why evaluators gave a case a low score, each cause once, in the words that pages show. A run that was recorded before these has none.
CREATE TABLE case_causes (
  "case" INTEGER NOT NULL REFERENCES cases ON DELETE CASCADE,
  cause TEXT NOT NULL,
  -- True if the case failed for an evaluator that shows the cause, or scored below 1 where that gives no verdict.
  counts INTEGER NOT NULL,
  PRIMARY KEY ("case", cause)
) STRICT, WITHOUT ROWID;

-- How the tools of a case were called; NULL where a case was recorded before these were kept, or its run does not say.
-- Pairs of one tool with different arguments.
ALTER TABLE tools ADD COLUMN other_arguments INTEGER;
-- Calls that ended in an error.
ALTER TABLE tools ADD COLUMN failed INTEGER;
-- True for calls of a case that does not state which calls it expects: such a call is not extra.
ALTER TABLE tools ADD COLUMN unstated INTEGER NOT NULL DEFAULT 0;
