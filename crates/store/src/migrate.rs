//! Migrates stores from earlier versions when they are opened for writing.
//!
//! `PRAGMA user_version` is the version of the schema. Step `n` migrates a store from version `n` to `n + 1`.
//! All steps and the new version number are written in one transaction, so a store is never between two
//! versions.

use rusqlite::Connection;

use super::checksum;

/// The schema version that this version of captune writes.
pub(super) const VERSION: u32 = 9;

/// One migration step: the version that it starts from, and its SQL.
pub(super) type Step = (u32, &'static str);

/// All steps, one for each earlier version.
pub(super) const STEPS: &[Step] = &[
    // Adds the outputs of a trial.
    (1, "ALTER TABLE trial ADD COLUMN outputs TEXT;"),
    // Adds the output that breaks ties between timeouts.
    (2, "ALTER TABLE trial ADD COLUMN tie REAL;"),
    // Snapshots now contain the configurations that may race again. Earlier snapshots can no longer be read,
    // so the races start again with the best configuration so far.
    (3, "UPDATE state SET snapshot = NULL, told = NULL;"),
    // Adds the constrained outputs of validation trials.
    (4, "ALTER TABLE validation ADD COLUMN constraints TEXT;"),
    // Adds checksums, which are filled in after the last step.
    (
        5,
        "ALTER TABLE trial ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
         ALTER TABLE configuration ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
         ALTER TABLE incumbent ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
         ALTER TABLE validation ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;",
    ),
    // Validation trials are now stored like other trials, once per session. Also adds the snapshot's format
    // number.
    (
        6,
        "ALTER TABLE state ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
         ALTER TABLE validation RENAME TO old_validation;
         CREATE TABLE validation (
             number        INTEGER PRIMARY KEY,
             role          TEXT NOT NULL,
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
             checksum      INTEGER NOT NULL,
             UNIQUE (role, configuration, instance, seed, session)
         );
         INSERT INTO validation SELECT number, role, configuration, instance, seed, status, cost, censored,
             coalesce(cost, wall, 0), NULL, constraints, cpu, wall, NULL, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, 0
             FROM old_validation;
         DROP TABLE old_validation;",
    ),
    // Adds the trials of ablations.
    (
        7,
        "CREATE TABLE ablation (
             number        INTEGER PRIMARY KEY,
             role          TEXT NOT NULL,
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
         );",
    ),
    // Adds the workers on other machines and the trials that they have taken.
    (
        8,
        "CREATE TABLE worker (
             first_slot INTEGER PRIMARY KEY,
             slots      INTEGER NOT NULL,
             name       TEXT NOT NULL UNIQUE,
             host       TEXT NOT NULL,
             speed      REAL NOT NULL,
             joined     REAL NOT NULL,
             \"left\"     REAL,
             before     REAL NOT NULL
         );
         CREATE TABLE lease (
             trial   INTEGER PRIMARY KEY,
             id      INTEGER NOT NULL,
             worker  TEXT NOT NULL,
             slot    INTEGER NOT NULL,
             since   REAL NOT NULL,
             \"until\" REAL NOT NULL
         );",
    ),
];

/// The version that introduced checksums.
const CHECKSUMS_SINCE: u32 = 6;
/// The version that changed the columns of validation trials.
const VALIDATION_COLUMNS_SINCE: u32 = 7;

/// Migrates a store from version `from` to `to`.
pub(super) fn migrate(
    connection: &mut Connection,
    steps: &[Step],
    from: u32,
    to: u32,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    for version in from..to {
        let step = steps.iter().find(|(start, _)| *start == version);
        let (_, sql) = step.ok_or(rusqlite::Error::InvalidQuery)?;
        transaction.execute_batch(sql)?;
    }
    set_version(&transaction, to)?;
    if to >= CHECKSUMS_SINCE {
        if from < CHECKSUMS_SINCE {
            checksum::fill(&transaction)?;
        } else if from < VALIDATION_COLUMNS_SINCE {
            checksum::fill_validations(&transaction)?;
        }
        checksum::seal(&transaction)?;
    }
    transaction.commit()
}

/// Writes the version number to SQLite's `user_version`, and to the table `campaign` for people who read it.
pub(super) fn set_version(connection: &Connection, version: u32) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", version)?;
    let sql = "INSERT INTO campaign VALUES ('format', ?1) ON CONFLICT DO UPDATE SET value = ?1";
    connection.execute(sql, [version.to_string()]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a store of a made-up version 1, in which the seed has a different key and the trial table has
    /// a different name.
    fn old() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE campaign (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
                 CREATE TABLE run (id INTEGER PRIMARY KEY, cost REAL);
                 INSERT INTO campaign VALUES ('random seed', '7'), ('format', '1');
                 INSERT INTO run VALUES (1, 2.5), (2, NULL);
                 PRAGMA user_version = 1;",
            )
            .unwrap();
        connection
    }

    const MADE_UP: &[Step] = &[
        (
            2,
            "ALTER TABLE trial ADD COLUMN status TEXT; UPDATE trial SET status = iif(cost, 'finished', 'lost');",
        ),
        (1, "ALTER TABLE run RENAME TO trial; UPDATE campaign SET key = 'seed' WHERE key = 'random seed';"),
    ];

    fn text(connection: &Connection, sql: &str) -> String {
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn every_step_is_taken_in_order() {
        let mut connection = old();
        migrate(&mut connection, MADE_UP, 1, 3).unwrap();
        assert_eq!(text(&connection, "SELECT group_concat(status) FROM trial"), "finished,lost");
        assert_eq!(text(&connection, "SELECT value FROM campaign WHERE key = 'seed'"), "7");
        assert_eq!(text(&connection, "SELECT value FROM campaign WHERE key = 'format'"), "3");
        assert_eq!(text(&connection, "SELECT CAST(user_version AS TEXT) FROM pragma_user_version"), "3");
    }

    #[test]
    fn a_failing_step_leaves_the_old_version() {
        let broken = [MADE_UP[1], (2, "DROP TABLE trial; SELECT nonsense;")];
        let mut connection = old();
        migrate(&mut connection, &broken, 1, 3).unwrap_err();
        assert_eq!(text(&connection, "SELECT count(*) || '' FROM run"), "2");
        assert_eq!(text(&connection, "SELECT CAST(user_version AS TEXT) FROM pragma_user_version"), "1");
        migrate(&mut connection, MADE_UP, 1, 4).unwrap_err();
        assert_eq!(text(&connection, "SELECT CAST(user_version AS TEXT) FROM pragma_user_version"), "1");
    }

    #[test]
    fn there_is_a_step_from_every_version() {
        let starts: Vec<u32> = STEPS.iter().map(|(start, _)| *start).collect();
        assert_eq!(starts, (1..VERSION).collect::<Vec<_>>());
    }
}
