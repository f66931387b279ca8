-- Runs. One without `finished` is being recorded, or its process was killed.
CREATE TABLE runs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Hexadecimal; the same in every history that the run is imported into.
  key TEXT NOT NULL UNIQUE,
  -- Milliseconds since 1970, UTC.
  started INTEGER NOT NULL,
  finished INTEGER,
  -- The suite as the user named it, its profile, and a hash of its text.
  suite TEXT NOT NULL,
  profile TEXT,
  suite_hash TEXT NOT NULL,
  -- What was chosen beside the suite, for people; NULL where all cases were scored.
  selection TEXT,
  -- Evaluators, gates and the like, a JSON object.
  settings TEXT NOT NULL,
  version TEXT NOT NULL,
  git_commit TEXT,
  git_branch TEXT,
  -- True where the working tree differed from the commit.
  git_dirty INTEGER NOT NULL DEFAULT 0,
  -- Cases that were scored, cases that did not pass, cases that are kept.
  cases INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  kept INTEGER NOT NULL DEFAULT 0,
  -- Weighted scores of the cases, and the share that passed, where there are any.
  mean REAL,
  pass_rate REAL,
  gates INTEGER NOT NULL DEFAULT 0,
  gates_missed INTEGER NOT NULL DEFAULT 0,
  -- The summary as `rightcall run --format json` prints it.
  summary TEXT
) STRICT;

CREATE TABLE run_tags (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (run, tag)
) STRICT, WITHOUT ROWID;

-- What each evaluator made of the run, in the order of the suite.
CREATE TABLE evaluators (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  position INTEGER NOT NULL,
  evaluator TEXT NOT NULL,
  name TEXT,
  label TEXT NOT NULL,
  threshold REAL,
  mean REAL,
  pass_rate REAL,
  scored INTEGER NOT NULL,
  passed INTEGER NOT NULL,
  not_applicable INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  -- Scores in each tenth of 0 to 1, a JSON list.
  histogram TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- The cases that are kept, in input order.
CREATE TABLE cases (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  number INTEGER NOT NULL,
  label TEXT NOT NULL,
  -- JSON text.
  trial TEXT,
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  -- The weighted score, or why there is none.
  score REAL,
  reason TEXT,
  -- 'scored', 'not_applicable' or 'error'.
  outcome TEXT NOT NULL,
  passed INTEGER,
  failed INTEGER NOT NULL,
  -- Orders cases from worst to best: errors, missing runs, scores, what was not applicable.
  worst REAL NOT NULL,
  -- The order in which cases are chosen for the sample; see rightcall_run::Recording.
  rank INTEGER NOT NULL,
  -- True for a case of the sample; also where all cases are kept.
  sampled INTEGER NOT NULL DEFAULT 1,
  -- A JSON object.
  meta TEXT,
  -- Why the score is low, in a sentence; empty for a right case.
  why TEXT NOT NULL,
  -- The beginning of the question; empty where the case has none.
  question TEXT NOT NULL,
  -- The resolution of an expectation with several right ways, a JSON object: accepted, cost, choices, variables. NULL for a list of calls.
  expectation TEXT,
  UNIQUE (run, number)
) STRICT;
CREATE INDEX cases_worst ON cases (run, worst, number);
CREATE INDEX cases_label ON cases (run, label, trial);
CREATE INDEX cases_failed ON cases (run, failed, number);

-- The canonical cases, apart, so that lists do not read over them.
CREATE TABLE texts (
  "case" INTEGER PRIMARY KEY REFERENCES cases ON DELETE CASCADE,
  json TEXT NOT NULL
) STRICT;

CREATE TABLE evaluations (
  "case" INTEGER NOT NULL REFERENCES cases ON DELETE CASCADE,
  position INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  score REAL,
  passed INTEGER,
  reason TEXT,
  PRIMARY KEY ("case", position)
) STRICT, WITHOUT ROWID;

CREATE TABLE alignments (
  "case" INTEGER NOT NULL REFERENCES cases ON DELETE CASCADE,
  position INTEGER NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY ("case", position)
) STRICT;

CREATE TABLE case_tags (
  "case" INTEGER NOT NULL REFERENCES cases ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY ("case", tag)
) STRICT, WITHOUT ROWID;

-- Which tool was called where which was expected; '' for none.
CREATE TABLE tools (
  "case" INTEGER NOT NULL REFERENCES cases ON DELETE CASCADE,
  expected TEXT NOT NULL,
  called TEXT NOT NULL,
  times INTEGER NOT NULL,
  -- Pairs of one tool with different arguments; NULL where the run does not record them.
  other_arguments INTEGER,
  -- Calls that ended in an error; NULL where the run does not record them.
  failed INTEGER,
  -- True for calls of a case that does not state which calls it expects: such a call is not extra.
  unstated INTEGER NOT NULL,
  PRIMARY KEY ("case", expected, called)
) STRICT, WITHOUT ROWID;

-- Why evaluators scored a case low, each cause once, in the words of the pages.
CREATE TABLE case_causes (
  "case" INTEGER NOT NULL REFERENCES cases ON DELETE CASCADE,
  cause TEXT NOT NULL,
  -- True if the case failed for an evaluator that shows the cause, or scored below 1 where the evaluator has no verdict.
  counts INTEGER NOT NULL,
  PRIMARY KEY ("case", cause)
) STRICT, WITHOUT ROWID;

-- Totals over the kept cases of a run, so that its page need not count.
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
