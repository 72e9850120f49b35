-- The first schema. Sessions are known by a number inside the file, so that places are short.
CREATE TABLE sessions (
    n          INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    key        TEXT UNIQUE,
    title      TEXT NOT NULL,
    origin     TEXT NOT NULL,
    root       TEXT NOT NULL,
    profile    TEXT NOT NULL,
    model      TEXT NOT NULL,
    fork       TEXT,
    history    TEXT,
    created_ms INTEGER NOT NULL
) STRICT;

-- What every append changes, apart from what never changes: many heads share a page.
CREATE TABLE heads (
    session    INTEGER PRIMARY KEY REFERENCES sessions (n) ON DELETE CASCADE,
    last_seq   INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    runs       INTEGER NOT NULL,
    writer     TEXT,
    writer_ms  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Outcomes that are too large for a record, by their SHA-256.
CREATE TABLE blobs (
    hash BLOB PRIMARY KEY,
    body TEXT NOT NULL
) STRICT;

-- The journal. A row is one durable record (deltas = 0), or a block of deltas that follow one another.
CREATE TABLE records (
    n         INTEGER PRIMARY KEY,
    session   INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
    seq       INTEGER NOT NULL,
    deltas    INTEGER NOT NULL,
    ts_ms     INTEGER NOT NULL,
    run_id    TEXT NOT NULL,
    parent_id TEXT NOT NULL,
    event     TEXT NOT NULL,
    blob      BLOB REFERENCES blobs (hash)
) STRICT;
CREATE UNIQUE INDEX records_place ON records (session, seq);
CREATE INDEX records_blob ON records (blob) WHERE blob IS NOT NULL;

CREATE TABLE runs (
    n          INTEGER PRIMARY KEY,
    session    INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
    run_id     TEXT NOT NULL,
    message    TEXT NOT NULL,
    model      TEXT NOT NULL,
    profile    TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    ended_ms   INTEGER,
    outcome    TEXT,
    reason     TEXT,
    first_seq  INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    steps      INTEGER NOT NULL DEFAULT 0,
    calls      INTEGER NOT NULL DEFAULT 0,
    input      INTEGER NOT NULL DEFAULT 0,
    output     INTEGER NOT NULL DEFAULT 0,
    cached     INTEGER NOT NULL DEFAULT 0,
    reasoning  INTEGER NOT NULL DEFAULT 0,
    cost_usd   REAL
) STRICT;
CREATE UNIQUE INDEX runs_place ON runs (session, run_id);
CREATE INDEX runs_id ON runs (run_id);
CREATE INDEX runs_started ON runs (started_ms, run_id);
CREATE INDEX runs_open ON runs (started_ms, run_id) WHERE ended_ms IS NULL;

-- Titles and what the user said, in lower case, to be searched; a title has no run.
CREATE TABLE said (
    n       INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    folded  TEXT NOT NULL
) STRICT;
CREATE INDEX said_session ON said (session);

-- Questions that wait for an answer.
CREATE TABLE questions (
    session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
    call_id TEXT NOT NULL,
    run_id  TEXT NOT NULL,
    PRIMARY KEY (session, call_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
    n       INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
    seq     INTEGER NOT NULL,
    rule    TEXT NOT NULL
) STRICT;
CREATE INDEX grants_session ON grants (session, seq);

CREATE TABLE tasks (
    session INTEGER PRIMARY KEY REFERENCES sessions (n) ON DELETE CASCADE,
    seq     INTEGER NOT NULL,
    tasks   TEXT NOT NULL
) STRICT;

CREATE TABLE saves (
    n          INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    body       TEXT NOT NULL
) STRICT;

-- Decisions about calls may come before the session's first record: by its id, not its number.
CREATE TABLE audit (
    n          INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    ts_ms      INTEGER NOT NULL,
    line       TEXT NOT NULL
) STRICT;
CREATE INDEX audit_session ON audit (session_id);
