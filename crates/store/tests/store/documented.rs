//! Checks docs/reference/store.md against a real store: the page must name every table and column, and its
//! queries must run.

use std::collections::BTreeSet;
use std::process::Command;

use engine::ConfigId;
use rusqlite::{Connection, OpenFlags};
use store::{Batch, Elapsed, Store, StoredIncumbent};

use super::stage::{Folder, batch, charter, space, start};

const PAGE: &str = include_str!("../../../../docs/reference/store.md");

/// Returns a campaign with rows in every table that the queries use.
fn campaign() -> Folder {
    let folder = Folder::in_memory();
    let (mut writer, _acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    for n in 0..20 {
        let mut batch: Batch = batch(&space(), n);
        let spent = Elapsed { wall: f64::from(n), cpu: f64::from(n) };
        let after = u64::from(n) * 2;
        batch.incumbents.push(StoredIncumbent { after, config: ConfigId(n), pairs: n, cost: 3.5, spent });
        batch.trials[1].detail.stderr_tail = b"assertion failed".to_vec();
        writer.submit(batch).unwrap();
    }
    writer.finish("done").unwrap();
    folder
}

/// Returns the rows of a query's result, with columns joined by bars.
fn ask(folder: &Folder, sql: &str) -> Vec<String> {
    let is_installed = Command::new("sqlite3").arg("--version").output().is_ok();
    if is_installed {
        let output =
            Command::new("sqlite3").arg("-readonly").arg(folder.database()).arg(sql).output().unwrap();
        assert!(output.status.success(), "{sql}\n{}", String::from_utf8_lossy(&output.stderr));
        return String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    }
    println!("sqlite3 is not installed: using the library");
    let connection =
        Connection::open_with_flags(folder.database(), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let width = statement.column_count();
    let row = |row: &rusqlite::Row<'_>| {
        let cell = |column| match row.get_ref(column).unwrap() {
            rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
            rusqlite::types::ValueRef::Integer(number) => number.to_string(),
            rusqlite::types::ValueRef::Real(number) => format!("{number:?}"),
            _ => String::new(),
        };
        Ok((0..width).map(cell).collect::<Vec<_>>().join("|"))
    };
    statement.query_map([], row).unwrap().map(Result::unwrap).collect()
}

#[test]
fn the_queries_on_the_page_run() {
    let folder = campaign();
    let queries: Vec<&str> =
        PAGE.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let [best, instances, failures] = queries[..] else { panic!("three queries: {queries:?}") };
    let best = ask(&folder, best);
    assert_eq!(best.len(), 5);
    assert!(best[0].starts_with("20|19.0|19|3.5|random|{\"alpha\":"), "{best:?}");
    let instances = ask(&folder, instances);
    assert_eq!(instances.len(), 5);
    assert!(instances.iter().all(|row| row.contains(".cnf|8|4|2|")), "{instances:?}");
    let failures = ask(&folder, failures);
    let total: u32 = failures.iter().map(|row| row.split('|').nth(2).unwrap().parse::<u32>().unwrap()).sum();
    assert_eq!(total, 10);
    assert!(
        failures.iter().all(|row| row.contains("|-9|") && row.ends_with("assertion failed")),
        "{failures:?}"
    );
}

#[test]
fn the_page_names_every_table_and_column() {
    let folder = campaign();
    let tables =
        ask(&folder, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    let described: BTreeSet<String> = PAGE
        .lines()
        .filter_map(|line| Some(line.strip_prefix("| `")?.split_once("` |")?.0.to_owned()))
        .filter(|name| tables.contains(name))
        .collect();
    assert_eq!(described, tables.iter().cloned().collect());
    for table in tables {
        let line = PAGE.lines().find(|line| line.starts_with(&format!("| `{table}` |"))).unwrap();
        for column in ask(&folder, &format!("SELECT name FROM pragma_table_info('{table}')")) {
            // Readers do not need the key that limits `state` to one row.
            assert!(column == "one" || line.contains(&format!("`{column}`")), "{table}.{column}");
        }
    }
}
