//! The search for neighbours as a program that can be tuned like any other.
//!
//! The program classifies every point by the others, with and without hash tables, and prints one `name = value`
//! per line. The exit code is 2 for invalid arguments or input.

use super::{Exact, Hashing, WIDTH};
use crate::points::{Blobs, Points, libsvm};

use crate::generate_option;

const USAGE: &str = "usage: captune-lsh [-functions N] [-tables N] [-width X] [-seed N] POINTS
       captune-lsh --generate blobs:POINTS,DIMENSION,CLASSES,SEED
POINTS is a file in the format of LIBSVM, or blobs:POINTS,DIMENSION,CLASSES,SEED for generated points.
-width is in median distances to the nearest neighbour.";

/// Largest number of functions and of tables.
const MOST: usize = 1000;

/// The request on the command line.
enum Request {
    Help,
    Generate(Blobs),
    /// The width is in median distances.
    Search {
        points: String,
        hashing: Hashing,
        seed: u64,
    },
}

/// Runs the program. Returns the text to print, or an error message.
pub fn program(arguments: impl Iterator<Item = String>) -> Result<String, String> {
    match request(arguments)? {
        Request::Help => Ok(format!("{USAGE}\n")),
        Request::Generate(blobs) => Ok(libsvm::write(&blobs.points())),
        Request::Search { points, hashing, seed } => Ok(report(&read(&points)?, hashing, seed)),
    }
}

fn request(mut words: impl Iterator<Item = String>) -> Result<Request, String> {
    let mut hashing = Hashing { functions: 8, tables: 8, width: WIDTH };
    let (mut seed, mut points) = (1, None);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"));
        match word.as_str() {
            "-functions" => hashing.functions = count(&word, &value()?)?,
            "-tables" => hashing.tables = count(&word, &value()?)?,
            "-width" => hashing.width = width(&value()?)?,
            "-seed" => {
                let text = value()?;
                seed =
                    text.parse().map_err(|_| format!("-seed: `{text}` is not a whole number from 0 on"))?;
            }
            "-h" | "-help" | "--help" => return Ok(Request::Help),
            "--generate" => {
                let name = value()?;
                return Ok(Request::Generate(generate_option::read(&name, words.next(), USAGE)?));
            }
            _ if word.starts_with('-') => return Err(format!("unknown argument `{word}`\n{USAGE}")),
            _ if points.is_some() => {
                return Err(format!("unexpected second set of points `{word}`\n{USAGE}"));
            }
            _ => points = Some(word),
        }
    }
    let points = points.ok_or_else(|| format!("no points given\n{USAGE}"))?;
    Ok(Request::Search { points, hashing, seed })
}

fn count(name: &str, text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=MOST).contains(count));
    count.ok_or_else(|| format!("{name}: `{text}` is not a whole number from 1 to {MOST}"))
}

fn width(text: &str) -> Result<f64, String> {
    let width = text.parse().ok().filter(|width: &f64| width.is_finite() && *width > 0.0);
    width.ok_or_else(|| format!("-width: `{text}` is not a number above 0"))
}

fn read(name: &str) -> Result<Points, String> {
    if name.starts_with("blobs:") {
        return Ok(name.parse::<Blobs>().map_err(|error| error.to_string())?.points());
    }
    let text = std::fs::read_to_string(name).map_err(|error| format!("{name}: {error}"))?;
    libsvm::read(&text).map_err(|error| format!("{name}: {error}"))
}

fn report(points: &Points, hashing: Hashing, seed: u64) -> String {
    let exact = Exact::of(points);
    // If all points are copies of each other, any width puts them into the same bucket.
    let unit = if exact.nearest.is_finite() && exact.nearest > 0.0 { exact.nearest } else { 1.0 };
    let found = Hashing { width: hashing.width * unit, ..hashing }.leave_one_out(points, seed);
    let exact = exact.outcome;
    format!(
        "operations = {}\nerror = {:.6}\nexact error = {:.6}\nworse by = {:.6}\nspeed-up = {:.4}\n",
        found.operations,
        found.error(),
        exact.error(),
        found.error() - exact.error(),
        exact.operations as f64 / found.operations as f64
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str) -> Result<String, String> {
        program(line.split_ascii_whitespace().map(str::to_owned))
    }

    #[test]
    fn the_report_compares_with_the_exact_search() {
        let text = run("-functions 1 -tables 1 -width 1e9 blobs:200,4,3,1").unwrap();
        let value = |name: &str| -> f64 {
            let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name} = "))).unwrap();
            line.parse().unwrap()
        };
        assert_eq!(value("operations"), f64::from(200 * 199 * 4 + 200 * 4 + 200 * 199));
        assert!(value("error") > 0.0 && value("error") == value("exact error") && value("worse by") == 0.0);
        assert_eq!(value("speed-up"), 0.7968, "159200 / 199800");
        let narrow = run("-functions 4 -tables 1 -width 4 blobs:200,4,3,1").unwrap();
        assert!(
            narrow != text
                && narrow == run("-functions 4 -tables 1 -width 4 -seed 1 blobs:200,4,3,1").unwrap()
        );
        assert_ne!(narrow, run("-functions 4 -tables 1 -width 4 -seed 2 blobs:200,4,3,1").unwrap());
    }

    #[test]
    fn invalid_arguments_are_reported() {
        for (line, message) in [
            ("", "no points given"),
            ("-tables", "-tables needs a value"),
            ("-tables 0 blobs:9,1,1,1", "-tables: `0` is not a whole number from 1 to 1000"),
            ("-functions 1.5 x", "-functions: `1.5` is not a whole number from 1 to 1000"),
            ("-width 0 x", "-width: `0` is not a number above 0"),
            ("-seed -1 x", "-seed: `-1` is not a whole number from 0 on"),
            ("-walk 1 x", "unknown argument `-walk`"),
            ("x y", "unexpected second set of points `y`"),
            ("no-such.libsvm", "no-such.libsvm: No such file or directory"),
            ("blobs:9", "`blobs:9` is not `blobs:POINTS,DIMENSION,CLASSES,SEED`"),
            ("--generate blobs:9,1,1,1 x", "--generate takes no further arguments, but got `x`"),
        ] {
            let error = run(line).unwrap_err();
            assert!(error.starts_with(message), "{line}: {error}");
        }
        assert!(run("--help").unwrap().starts_with("usage: captune-lsh"));
    }

    #[test]
    fn generated_points_can_be_read_again() {
        let text = run("--generate blobs:50,3,2,7").unwrap();
        assert_eq!(libsvm::read(&text).unwrap(), "blobs:50,3,2,7".parse::<Blobs>().unwrap().points());
    }

    #[test]
    fn copies_of_one_point_share_their_bucket() {
        let path = std::env::temp_dir().join(format!("captune-lsh-{}", std::process::id()));
        std::fs::write(&path, "1 1:3\n".repeat(5)).unwrap();
        let text = run(&format!("-functions 3 -tables 1 {}", path.display())).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(text.contains("\nerror = 0.000000\n"), "{text}");
    }
}
