-- The record of one campaign, version 9. Columns named `wall`, `cpu`, `started`, `ended` and `at` are
-- seconds; `started`, `ended` and `at` count from the start of the campaign, without breaks.
-- Dates are UTC. Values that were not measured are NULL, never 0. A `checksum` covers the row's other columns
-- except `number`.

-- Facts about the campaign, by key: version, name, scenario, folder, space, seed, created; and test, a JSON
-- list of the instances held out for validation.
CREATE TABLE campaign (
    key   TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- One row for each time the campaign was started or resumed.
CREATE TABLE session (
    id       INTEGER PRIMARY KEY,
    began_at TEXT NOT NULL,
    ended_at TEXT,              -- NULL: still running, or killed
    reason   TEXT,              -- why it ended
    host     TEXT NOT NULL,
    pid      INTEGER NOT NULL,
    version  TEXT NOT NULL      -- of captune
);

-- Configurations in the order of appearance; number 0 is the baseline.
CREATE TABLE configuration (
    id       INTEGER PRIMARY KEY,
    origin   TEXT NOT NULL,     -- what proposed it: default, baseline, given, design, random, local ...
    "values" TEXT NOT NULL,     -- JSON object of the active parameters by name
    codes    BLOB NOT NULL,     -- the same for captune: one little-endian double for each parameter of
                                -- the space, a choice as its index, NaN if inactive
    checksum INTEGER NOT NULL
);

-- The inputs that trials run on.
CREATE TABLE instance (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL
);

-- Every trial that has ended, in the order in which the search got them.
CREATE TABLE trial (
    row           INTEGER PRIMARY KEY,  -- 1, 2, 3 ... without a gap
    id            INTEGER NOT NULL UNIQUE, -- in the order of requests
    configuration INTEGER NOT NULL REFERENCES configuration (id),
    instance      INTEGER NOT NULL REFERENCES instance (id),
    seed          INTEGER NOT NULL,
    status        TEXT NOT NULL,        -- finished, capped, timeout, memory, crashed, wrong,
                                        -- aborted, lost
    cost          REAL,                 -- NULL if it has none
    censored      INTEGER,              -- 0: the cost is exact; 1: it is a lower bound; NULL: no cost
    spent         REAL NOT NULL,        -- what it used, in the unit of the cost if that grows with time
    cap           REAL,                 -- the cost at which it would have been stopped; NULL: none
    why           TEXT NOT NULL,        -- incumbent, challenge
    constraints   TEXT,                 -- JSON list: number, {"at_least": number}, or null if unmeasured
    cpu           REAL,
    wall          REAL,
    memory        INTEGER,              -- largest, in bytes
    exit          INTEGER,              -- exit code, or minus the number of the signal that ended it
    reason        TEXT,                 -- why it has this status, if not obvious
    started       REAL NOT NULL,
    ended         REAL NOT NULL,
    slot          INTEGER NOT NULL,     -- number of the slot it ran in
    session       INTEGER NOT NULL REFERENCES session (id),
    outputs       TEXT,                 -- JSON object of the scenario's outputs by name, as far as found
    tie           REAL,                 -- the output of `objective.then`, which decides between two timeouts
    checksum      INTEGER NOT NULL
);

-- Number of trials with each status, and what they used as far as measured: sums over `trial`, for a quick
-- overview of a large campaign.
CREATE TABLE tally (
    status TEXT PRIMARY KEY NOT NULL,
    trials INTEGER NOT NULL,
    cpu    REAL NOT NULL,
    wall   REAL NOT NULL
) WITHOUT ROWID;

-- The end of the output of failed trials: text, or a blob if it is not UTF-8.
CREATE TABLE output (
    trial  INTEGER PRIMARY KEY REFERENCES trial (row),
    stdout NOT NULL,
    stderr NOT NULL
);

-- Incumbents in the order of succession.
CREATE TABLE incumbent (
    number        INTEGER PRIMARY KEY,  -- 1, 2, 3 ...
    after_row     INTEGER NOT NULL,     -- the trial after which it took over; 0: before the first
    configuration INTEGER NOT NULL REFERENCES configuration (id),
    pairs         INTEGER NOT NULL,     -- number of pairs it had run on by then
    cost          REAL NOT NULL,        -- mean compared cost on these pairs
    wall          REAL NOT NULL,        -- spent by the campaign until then
    cpu           REAL NOT NULL,
    checksum      INTEGER NOT NULL
);

-- Other events, including warnings.
CREATE TABLE event (
    number INTEGER PRIMARY KEY,
    at     REAL NOT NULL,
    kind   TEXT NOT NULL,
    text   TEXT NOT NULL
);

-- Trials of the validation after the search, on unseen instances or with new seeds.
CREATE TABLE validation (
    number        INTEGER PRIMARY KEY,
    role          TEXT NOT NULL,        -- default, incumbent
    configuration INTEGER NOT NULL REFERENCES configuration (id),
    instance      TEXT NOT NULL,        -- its name
    seed          INTEGER NOT NULL,
    status        TEXT NOT NULL,        -- this and the following columns as in `trial`
    cost          REAL,
    censored      INTEGER,
    spent         REAL NOT NULL,
    cap           REAL,
    constraints   TEXT,
    cpu           REAL,
    wall          REAL,
    memory        INTEGER,
    exit          INTEGER,
    reason        TEXT,
    started       REAL NOT NULL,
    ended         REAL NOT NULL,
    slot          INTEGER NOT NULL,
    session       INTEGER REFERENCES session (id), -- NULL in campaigns before version 7
    outputs       TEXT,
    tie           REAL,
    checksum      INTEGER NOT NULL,
    UNIQUE (role, configuration, instance, seed, session)
);

-- Trials of an ablation after the search, which measures the changes from the baseline to the best one by
-- one. Columns as in `validation`. A trial that was capped may run again with a larger cap.
CREATE TABLE ablation (
    number        INTEGER PRIMARY KEY,
    role          TEXT NOT NULL,        -- default, candidate
    configuration INTEGER NOT NULL REFERENCES configuration (id),
    instance      TEXT NOT NULL,
    seed          INTEGER NOT NULL,
    status        TEXT NOT NULL,
    cost          REAL,
    censored      INTEGER,
    spent         REAL NOT NULL,
    cap           REAL,
    constraints   TEXT,
    cpu           REAL,
    wall          REAL,
    memory        INTEGER,
    exit          INTEGER,
    reason        TEXT,
    started       REAL NOT NULL,
    ended         REAL NOT NULL,
    slot          INTEGER NOT NULL,
    session       INTEGER REFERENCES session (id),
    outputs       TEXT,
    tie           REAL,
    checksum      INTEGER NOT NULL
);

-- Workers on other machines, by their slots. The slots of a worker that has left are not used again, so the
-- slot of a trial identifies its worker.
CREATE TABLE worker (
    first_slot INTEGER PRIMARY KEY,
    slots      INTEGER NOT NULL,        -- number of trials that it runs at the same time
    name       TEXT NOT NULL UNIQUE,
    host       TEXT NOT NULL,
    speed      REAL NOT NULL,           -- of its machine, in million steps of a fixed computation per second
    joined     REAL NOT NULL,           -- campaign time, or of its return after an absence
    "left"     REAL,                    -- NULL: connected, or the session was killed
    before     REAL NOT NULL            -- seconds for which it was connected before `joined`
);

-- Trials that such workers have taken and not yet reported. A row is removed with the insertion of its trial.
CREATE TABLE lease (
    trial   INTEGER PRIMARY KEY,        -- number of the trial
    id      INTEGER NOT NULL,           -- each attempt to run a trial has its own lease
    worker  TEXT NOT NULL,              -- name of the worker
    slot    INTEGER NOT NULL,
    since   REAL NOT NULL,              -- campaign time
    "until" REAL NOT NULL               -- deadline in seconds since 1970, moved by heartbeats of the worker
);

-- The state of the search; one row.
CREATE TABLE state (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    snapshot BLOB,                      -- the search's own data
    told     INTEGER,                   -- number of trials that the snapshot has absorbed
    wall     REAL NOT NULL,             -- spent by the campaign so far
    cpu      REAL NOT NULL,
    format   INTEGER NOT NULL DEFAULT 2 -- format of the snapshot; 1: version 6 or earlier
);
