//! The reference documents exactly the program's keys, with the program's own descriptions.

use scenario::keys::{KEYS, reference};

use scenario::testkit::{Stage, root};

fn document() -> String {
    std::fs::read_to_string(root().join("docs/reference/scenario.md")).unwrap()
}

#[test]
fn the_reference_and_the_program_have_the_same_keys() {
    let document = document();
    let mut tables: Vec<&str> = KEYS.iter().map(|k| k.path.split_once('.').map_or("", |(t, _)| t)).collect();
    tables.dedup();
    for table in tables {
        let rows = reference(table);
        assert!(document.contains(&rows), "the rows of `[{table}]` should be:\n{rows}");
    }
    // Only rows for keys have this form.
    let rows = document.lines().filter(|line| line.starts_with("| `") && line.matches(" | ").count() == 4);
    assert_eq!(rows.count(), KEYS.len());
}

/// Every example is a valid scenario, and together they use every key.
#[test]
fn the_examples_are_valid_and_use_every_key() {
    let document = document();
    let examples: Vec<&str> =
        document.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(examples.len() >= 3, "{}", examples.len());
    let stage = Stage::new();
    for file in ["cnf/a.cnf", "cnf/b.cnf", "test/c.cnf", "models/a.mps", "clips/a.y4m"] {
        stage.file(file, "");
    }
    stage.file("minisat.toml", &std::fs::read_to_string(root().join("spaces/minisat.toml")).unwrap());
    stage.file("known.csv", "cnf/a.cnf,SATISFIABLE\n");
    stage.file("formulas.txt", "# two of them\ncnf/a.cnf\ncnf/b.cnf\n");
    stage.file("features.csv", "name,rows\nsmall,1\nlarge,2\nhuge,3\n");
    stage.file("production.conf", "rate 0.25\n# as delivered\nfast=true\n");
    stage.file("last-year.json", "{\"depth\": 4}");
    stage.file("colleague.toml", "depth = 2\n");
    for program in ["minisat", "steps", "bench", "encode", "up", "down", "check", "server"] {
        let path = stage.file(program, "#!/bin/sh\n");
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    for example in &examples {
        stage.read(example);
    }
    let all = examples.concat();
    for key in KEYS {
        let name = key.path.rsplit('.').next().unwrap();
        assert!(name == "NAME" || all.contains(&format!("{name} ")), "no example of {}", key.path);
    }
}
