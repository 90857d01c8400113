//! A checksum in each row of the tables that a campaign depends on.
//!
//! SQLite itself has no checksums: if a bit flips in a number, the file is still valid but contains a
//! different number. The [`Checksum`] of a row covers the row's other columns, in their order.

use rusqlite::types::{ToSqlOutput, Type, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row, Statement, ToSql};

use crate::digest::Checksum;

/// Columns of a trial that the checksum covers.
pub(super) const TRIAL: &str = "row, id, configuration, instance, seed, status, cost, censored, spent, cap, why, constraints, cpu, wall, \
     memory, exit, reason, started, ended, slot, session, outputs, tie";
/// Columns of a configuration that the checksum covers.
pub(super) const CONFIGURATION: &str = "id, origin, \"values\", codes";
/// Columns of an incumbent that the checksum covers: all except its number, which SQLite assigns.
pub(super) const INCUMBENT: &str = "after_row, configuration, pairs, cost, wall, cpu";
/// Columns of a validation trial that the checksum covers: all except its number.
pub(super) const VALIDATION: &str = "role, configuration, instance, seed, status, cost, censored, spent, cap, constraints, cpu, wall, memory, \
     exit, reason, started, ended, slot, session, outputs, tie";

/// Adds a value to the checksum, in the form in which SQLite returns it.
fn add(checksum: &mut Checksum, value: ValueRef<'_>) {
    match value {
        // SQLite stores NaN as NULL.
        ValueRef::Real(number) if number.is_nan() => checksum.word(0, 0),
        ValueRef::Null => checksum.word(0, 0),
        ValueRef::Integer(number) => checksum.word(1, number.cast_unsigned()),
        // SQLite stores a negative zero as zero.
        ValueRef::Real(number) => checksum.word(2, (number + 0.0).to_bits()),
        ValueRef::Text(text) => checksum.bytes(3, text),
        ValueRef::Blob(blob) => checksum.bytes(4, blob),
    }
}

/// Executes a statement that writes a row with these values and their checksum.
pub(super) fn execute(statement: &mut Statement<'_>, values: &[&dyn ToSql]) -> rusqlite::Result<()> {
    let mut checksum = Checksum::default();
    for (place, value) in values.iter().enumerate() {
        let value = value.to_sql()?;
        match &value {
            ToSqlOutput::Borrowed(value) => add(&mut checksum, *value),
            ToSqlOutput::Owned(value) => add(&mut checksum, value.into()),
            _ => return Err(rusqlite::Error::InvalidQuery),
        }
        statement.raw_bind_parameter(place + 1, value)?;
    }
    statement.raw_bind_parameter(values.len() + 1, checksum.end().cast_signed())?;
    statement.raw_execute().map(drop)
}

/// Returns whether a row is unchanged. Its last column is the checksum of all other columns.
pub(super) fn is_intact(row: &Row<'_>) -> rusqlite::Result<bool> {
    let last = row.as_ref().column_count() - 1;
    Ok(of_row(row, last)? == row.get::<_, i64>(last)?)
}

/// Returns an error if a row was changed after it was written.
pub(super) fn check(row: &Row<'_>) -> rusqlite::Result<()> {
    let error = || {
        let last = row.as_ref().column_count() - 1;
        rusqlite::Error::FromSqlConversionFailure(
            last,
            Type::Integer,
            "a row does not match its checksum".into(),
        )
    };
    if is_intact(row)? { Ok(()) } else { Err(error()) }
}

fn of_row(row: &Row<'_>, columns: usize) -> rusqlite::Result<i64> {
    let mut checksum = Checksum::default();
    for column in 0..columns {
        add(&mut checksum, row.get_ref(column)?);
    }
    Ok(checksum.end().cast_signed())
}

/// Stores the checksum of the charter. The charter is in the tables `campaign` and `instance`, which change
/// rarely and only together.
pub(super) fn seal(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "INSERT INTO campaign VALUES ('checksum', ?1) ON CONFLICT DO UPDATE SET value = ?1";
    connection.execute(sql, [of_charter(connection)?.to_string()]).map(drop)
}

/// Returns whether the charter has not changed since its checksum was stored.
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
            add(&mut checksum, row.get_ref(0)?);
            add(&mut checksum, row.get_ref(1)?);
        }
    }
    Ok(checksum.end().cast_signed())
}

/// Fills in the checksums of all rows in a store from an earlier version. Their current contents are assumed
/// to be intact.
pub(super) fn fill(connection: &Connection) -> rusqlite::Result<()> {
    let tables = [
        ("trial", TRIAL),
        ("configuration", CONFIGURATION),
        ("incumbent", INCUMBENT),
        ("validation", VALIDATION),
    ];
    tables.into_iter().try_for_each(|(table, columns)| fill_table(connection, table, columns))
}

/// Fills in the checksums of the validation trials only, because only their columns have changed.
pub(super) fn fill_validations(connection: &Connection) -> rusqlite::Result<()> {
    fill_table(connection, "validation", VALIDATION)
}

fn fill_table(connection: &Connection, table: &str, columns: &str) -> rusqlite::Result<()> {
    let mut rows = connection.prepare(&format!("SELECT {columns}, rowid FROM {table}"))?;
    let count = rows.column_count() - 1;
    let mut update = connection.prepare(&format!("UPDATE {table} SET checksum = ? WHERE rowid = ?"))?;
    let found = rows.query_map([], |row| Ok((of_row(row, count)?, row.get::<_, i64>(count)?)))?;
    // Read all rows before writing the first one. If rows change during a query, SQLite may return some of
    // them twice.
    for found in found.collect::<rusqlite::Result<Vec<_>>>()? {
        update.execute(found)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a row and returns its checksum. The checksum must match the values that SQLite returns.
    fn of(cost: f64, text: &str, blob: &[u8], number: Option<i64>) -> i64 {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE TABLE t (a REAL, b TEXT, c BLOB, d INTEGER, checksum INTEGER)")
            .unwrap();
        let mut statement = connection.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?)").unwrap();
        execute(&mut statement, &[&cost, &text, &blob, &number]).unwrap();
        connection
            .query_row("SELECT * FROM t", [], |row| {
                assert!(is_intact(row)?, "{cost} {text} {blob:?} {number:?}");
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
    fn numbers_that_sqlite_changes_have_the_same_checksum() {
        for cost in [-0.0, f64::NAN, 3.0, 1e300, f64::INFINITY] {
            of(cost, "", &[], Some(-1));
        }
    }
}
