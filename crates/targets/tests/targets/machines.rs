//! Our training against that of LIBSVM.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use targets::machines::train;
use targets::points::{Blobs, Points, libsvm};

fn has_libsvm() -> bool {
    let found = Command::new("svm-train").stdin(Stdio::null()).output().is_ok();
    if !found {
        println!("skipped: svm-train is not installed (Debian's libsvm-tools)");
    }
    found
}

fn run(folder: &Path, program: &str, words: &[&str]) -> String {
    let output = Command::new(program).args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{program} {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the number after the last `name = `.
fn after(text: &str, name: &str) -> f64 {
    let (_, rest) = text.rsplit_once(&format!("{name} = ")).unwrap();
    let end = rest.find(|c: char| c == ',' || c.is_whitespace()).unwrap_or(rest.len());
    rest[..end].parse().unwrap()
}

fn halves() -> [Points; 2] {
    let all = Blobs { points: 800, dimension: 6, classes: 2, seed: 5 }.points();
    let places: Vec<usize> = (0..800).collect();
    [all.select(&places[..400]), all.select(&places[400..])]
}

#[test]
fn training_agrees_with_libsvm() {
    if !has_libsvm() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("libsvm-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [training, validation] = halves();
    std::fs::write(folder.join("training"), libsvm::write(&training)).unwrap();
    std::fs::write(folder.join("validation"), libsvm::write(&validation)).unwrap();
    for (gamma, cost) in [(0.05, 1.0), (0.05, 100.0), (0.5, 0.3), (2.0, 10.0)] {
        let words = ["-t", "2", "-g", &gamma.to_string(), "-c", &cost.to_string(), "training", "model"];
        let said = run(&folder, "svm-train", &words);
        let predicted = run(&folder, "svm-predict", &["validation", "model", "classes"]);
        assert!(predicted.contains("Accuracy"), "{predicted}");
        let classes = std::fs::read_to_string(folder.join("classes")).unwrap();

        let own = train(&training, gamma, cost);
        let objective = after(&said, "obj");
        assert!((own.objective - objective).abs() < 1e-3 * objective.abs(), "{} {said}", own.objective);
        let support = after(&said, "Total nSV");
        let vectors = own.machine.coefficients.len() as f64;
        assert!((vectors - support).abs() <= 0.01 * support, "{vectors} {said}");
        // LIBSVM gives the first class that it meets the sign +1.
        let bias = after(&said, "rho").abs();
        assert!((own.machine.bias.abs() - bias).abs() < 1e-2, "{} {said}", own.machine.bias);
        let differs = (0..validation.count())
            .zip(classes.lines())
            .filter(|(point, class)| (own.machine.decision(validation.row(*point)) > 0.0) != (*class == "1"));
        assert!(differs.count() <= 1, "γ² = {gamma}, C = {cost}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
