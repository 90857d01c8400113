//! A checksum in each row of the tables whose numbers a campaign rests on.
//!
//! SQLite has none of its own: a bit that flips within a number leaves a sound file with another number.
//! The [`Checksum`] goes over the row's other columns in their order.

use rusqlite::types::{ToSqlOutput, Type, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row, Statement, ToSql};

use crate::digest::Checksum;

/// The columns of a trial that it goes over.
pub(super) const TRIAL: &str = "row, id, configuration, instance, seed, status, cost, censored, spent, cap, why, constraints, cpu, wall, \
     memory, exit, reason, started, ended, slot, session, outputs, tie";
/// Those of a configuration.
pub(super) const CONFIGURATION: &str = "id, origin, \"values\", codes";
/// Those of an incumbent, but for its number, which SQLite gives it.
pub(super) const INCUMBENT: &str = "after_row, configuration, pairs, cost, wall, cpu";
/// Those of a validation's trial, likewise.
pub(super) const VALIDATION: &str = "role, configuration, instance, seed, status, cost, censored, spent, cap, constraints, cpu, wall, memory, \
     exit, reason, started, ended, slot, session, outputs, tie";

/// Takes in a value as SQLite gives it back.
fn take(checksum: &mut Checksum, value: ValueRef<'_>) {
    match value {
        // SQLite stores what is not a number as nothing.
        ValueRef::Real(number) if number.is_nan() => checksum.word(0, 0),
        ValueRef::Null => checksum.word(0, 0),
        ValueRef::Integer(number) => checksum.word(1, number.cast_unsigned()),
        // SQLite stores a negative zero as zero.
        ValueRef::Real(number) => checksum.word(2, (number + 0.0).to_bits()),
        ValueRef::Text(text) => checksum.bytes(3, text),
        ValueRef::Blob(blob) => checksum.bytes(4, blob),
    }
}

/// Executes a statement that writes a row and, after these values, its checksum.
pub(super) fn execute(statement: &mut Statement<'_>, values: &[&dyn ToSql]) -> rusqlite::Result<()> {
    let mut checksum = Checksum::default();
    for (place, value) in values.iter().enumerate() {
        let value = value.to_sql()?;
        match &value {
            ToSqlOutput::Borrowed(value) => take(&mut checksum, *value),
            ToSqlOutput::Owned(value) => take(&mut checksum, value.into()),
            _ => return Err(rusqlite::Error::InvalidQuery),
        }
        statement.raw_bind_parameter(place + 1, value)?;
    }
    statement.raw_bind_parameter(values.len() + 1, checksum.end().cast_signed())?;
    statement.raw_execute().map(drop)
}

/// Whether a row is as it was written: its last column is the checksum of all before it.
pub(super) fn is_sound(row: &Row<'_>) -> rusqlite::Result<bool> {
    let last = row.as_ref().column_count() - 1;
    Ok(of_row(row, last)? == row.get::<_, i64>(last)?)
}

/// Refuses a row that is not as it was written.
pub(super) fn check(row: &Row<'_>) -> rusqlite::Result<()> {
    let refused = || {
        let last = row.as_ref().column_count() - 1;
        rusqlite::Error::FromSqlConversionFailure(
            last,
            Type::Integer,
            "a row differs from its checksum".into(),
        )
    };
    if is_sound(row)? { Ok(()) } else { Err(refused()) }
}

fn of_row(row: &Row<'_>, columns: usize) -> rusqlite::Result<i64> {
    let mut checksum = Checksum::default();
    for column in 0..columns {
        take(&mut checksum, row.get_ref(column)?);
    }
    Ok(checksum.end().cast_signed())
}

/// Notes the checksum of what the campaign is: of its facts and its instances, which change together and
/// seldom.
pub(super) fn seal(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "INSERT INTO campaign VALUES ('checksum', ?1) ON CONFLICT DO UPDATE SET value = ?1";
    connection.execute(sql, [of_charter(connection)?.to_string()]).map(drop)
}

/// Whether the campaign is what it was when it was sealed.
pub(super) fn is_sealed(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT value FROM campaign WHERE key = 'checksum'";
    let sealed: Option<String> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(sealed == Some(of_charter(connection)?.to_string()))
}

fn of_charter(connection: &Connection) -> rusqlite::Result<i64> {
    let mut checksum = Checksum::default();
    for sql in [
        "SELECT key, value FROM campaign WHERE key <> 'checksum' ORDER BY key",
        "SELECT id, name FROM instance ORDER BY id",
    ] {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(&mut checksum, row.get_ref(0)?);
            take(&mut checksum, row.get_ref(1)?);
        }
    }
    Ok(checksum.end().cast_signed())
}

/// Gives every row of an earlier version its checksum: what it holds by now is taken as sound.
pub(super) fn fill(connection: &Connection) -> rusqlite::Result<()> {
    let tables = [
        ("trial", TRIAL),
        ("configuration", CONFIGURATION),
        ("incumbent", INCUMBENT),
        ("validation", VALIDATION),
    ];
    tables.into_iter().try_for_each(|(table, columns)| fill_table(connection, table, columns))
}

/// The same of the validations alone, whose columns have changed.
pub(super) fn fill_validations(connection: &Connection) -> rusqlite::Result<()> {
    fill_table(connection, "validation", VALIDATION)
}

fn fill_table(connection: &Connection, table: &str, columns: &str) -> rusqlite::Result<()> {
    let mut rows = connection.prepare(&format!("SELECT {columns}, rowid FROM {table}"))?;
    let count = rows.column_count() - 1;
    let mut update = connection.prepare(&format!("UPDATE {table} SET checksum = ? WHERE rowid = ?"))?;
    let found = rows.query_map([], |row| Ok((of_row(row, count)?, row.get::<_, i64>(count)?)))?;
    // All before the first is written: SQLite may show a row twice that changes while it is read.
    for found in found.collect::<rusqlite::Result<Vec<_>>>()? {
        update.execute(found)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checksum that a row is written with, which must be that of what SQLite gives back.
    fn of(cost: f64, text: &str, blob: &[u8], number: Option<i64>) -> i64 {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE TABLE t (a REAL, b TEXT, c BLOB, d INTEGER, checksum INTEGER)")
            .unwrap();
        let mut statement = connection.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?)").unwrap();
        execute(&mut statement, &[&cost, &text, &blob, &number]).unwrap();
        connection
            .query_row("SELECT * FROM t", [], |row| {
                assert!(is_sound(row)?, "{cost} {text} {blob:?} {number:?}");
                row.get(4)
            })
            .unwrap()
    }

    #[test]
    fn every_bit_of_a_row_counts() {
        let whole = of(0.5, "a text of some length", &[1, 2, 3], Some(7));
        for bit in 0..64 {
            let cost = f64::from_bits(0.5_f64.to_bits() ^ 1 << bit);
            assert_ne!(of(cost, "a text of some length", &[1, 2, 3], Some(7)), whole, "{bit}");
        }
        assert_ne!(of(0.5, "a text of some lengti", &[1, 2, 3], Some(7)), whole);
        assert_ne!(of(0.5, "a text of some length\0", &[1, 2, 3], Some(7)), whole);
        assert_ne!(of(0.5, "a text of some length", &[1, 2, 3, 0], Some(7)), whole);
        assert_ne!(of(0.5, "a text of some length", &[1, 2, 3], None), whole);
    }

    #[test]
    fn what_sqlite_makes_of_numbers_has_the_same_checksum() {
        for cost in [-0.0, f64::NAN, 3.0, 1e300, f64::INFINITY] {
            of(cost, "", &[], Some(-1));
        }
    }
}
