-- What lists say of a case, so that they need not read it. NULL where a case was recorded before these were kept.
-- Why it is low, in a sentence; empty where there is nothing to say.
ALTER TABLE cases ADD COLUMN why TEXT;
-- The beginning of what was asked; empty where that is not known.
ALTER TABLE cases ADD COLUMN question TEXT;
-- What an expectation with several right ways was resolved to, a JSON object: accepted, cost, choices, variables. NULL for a list of calls.
ALTER TABLE cases ADD COLUMN expectation TEXT;
