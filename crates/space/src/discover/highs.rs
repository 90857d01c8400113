//! The options file that HiGHS writes, and the comment format that it shares with SCIP.
//!
//! ```text
//! # Presolve: "off", "choose" or "on"
//! # [type: string, advanced: false, default: "choose"]
//! presolve = choose
//!
//! # Limit on the number of iterations
//! # [type: integer, advanced: false, range: {0, 2147483647}, default: 2147483647]
//! simplex_iteration_limit = 2147483647
//! ```
//!
//! The choices of a string option appear only in its description, in quotes.

use super::draft::{Draft, Numbers, Opt};

/// Name prefixes of options that are not tuned, each with the reason.
const NOT_TUNED: [(&str, &str); 33] = [
    ("threads", "changes the resources, not the search"),
    ("parallel", "changes the resources, not the search"),
    ("random_seed", "a random seed"),
    ("kkt_tolerance", "changes what is accepted as a solution"),
    ("infinite_", "changes the problem"),
    ("small_matrix_value", "changes the problem"),
    ("large_matrix_value", "changes the problem"),
    ("user_", "changes the problem"),
    ("primal_feasibility_tolerance", "changes what is accepted as a solution"),
    ("dual_feasibility_tolerance", "changes what is accepted as a solution"),
    ("primal_residual_tolerance", "changes what is accepted as a solution"),
    ("dual_residual_tolerance", "changes what is accepted as a solution"),
    ("optimality_tolerance", "changes what is accepted as a solution"),
    ("ipm_optimality_tolerance", "changes what is accepted as a solution"),
    ("pdlp_optimality_tolerance", "changes what is accepted as a solution"),
    ("mip_feasibility_tolerance", "changes what is accepted as a solution"),
    ("mip_rel_gap", "changes what is accepted as a solution"),
    ("mip_abs_gap", "changes what is accepted as a solution"),
    ("objective_", "stops the run"),
    ("mip_max_nodes", "stops the run"),
    ("mip_max_stall_nodes", "stops the run"),
    ("mip_max_leaves", "stops the run"),
    ("mip_max_improving_sols", "stops the run"),
    ("mip_improving_solution_", "affects only the output"),
    ("mip_min_logging_interval", "affects only the output"),
    ("blend_multi_objectives", "changes the problem"),
    ("glpsol_", "changes how files are read"),
    ("simplex_max_concurrency", "changes the resources, not the search"),
    ("write_", "affects only the output"),
    ("read_", "names a file"),
    ("output_flag", "affects only the output"),
    ("log_", "affects only the output"),
    ("ranging", "computes more than the solution"),
];
/// Parts of the names of options that are not tuned, each with the reason.
const NOT_TUNED_PARTS: [(&str, &str); 6] = [
    ("debug", "internal checks of the solver"),
    ("analysis", "internal checks of the solver"),
    ("iteration_limit", "stops the run"),
    ("time_limit", "stops the run"),
    ("iis", "computes something else"),
    ("_file", "names a file"),
];

/// An option with its comments.
pub(super) struct Described<'a> {
    pub(super) name: &'a str,
    pub(super) about: &'a str,
    pub(super) kind: &'a str,
    /// The text between the brackets of the range.
    pub(super) range: Option<&'a str>,
    pub(super) value: &'a str,
}

/// Returns every option in a file whose comment gives its type.
pub(super) fn described(text: &str) -> impl Iterator<Item = Described<'_>> {
    let mut about = "";
    let mut form = None;
    text.lines().filter_map(move |line| {
        if let Some(inside) = line.strip_prefix("# [type: ") {
            form = inside.trim_end().strip_suffix(']');
            return None;
        }
        if let Some(comment) = line.strip_prefix('#') {
            about = comment.trim();
            return None;
        }
        let (name, value) = line.split_once('=')?;
        let form = form.take()?;
        let kind = form.split(',').next()?;
        let range = form.split_once("range: ").and_then(|(_, range)| {
            let closing = if range.starts_with('{') { '}' } else { ']' };
            Some(range.get(1..)?.split_once(closing)?.0)
        });
        Some(Described {
            name: name.trim(),
            about: std::mem::take(&mut about),
            kind,
            range,
            value: value.trim(),
        })
    })
}

pub(super) fn read(text: &str, draft: &mut Draft) {
    for Described { name, about, kind, range, value } in described(text) {
        let by_start = NOT_TUNED.iter().find(|(start, _)| name.starts_with(start));
        let by_part = NOT_TUNED_PARTS.iter().find(|(part, _)| name.contains(part));
        if let Some((_, why)) = by_start.or(by_part) {
            draft.leave_out(name, why);
            continue;
        }
        let option = Opt { name, about, ..Opt::default() };
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let bounds = range.and_then(|range| range.split_once(','));
        let numbers =
            bounds.and_then(|(lower, upper)| Some((number(lower)?, number(upper)?, number(value)?)));
        match (kind, numbers) {
            ("bool", _) => draft.boolean(&option, value == "true"),
            ("integer" | "double", Some((lower, upper, value))) => {
                draft.number(&option, Numbers::closed(lower, upper, value, kind == "integer"));
            }
            ("string", _) => match quoted(about) {
                words if words.is_empty() => draft.leave_out(name, "any text is allowed"),
                words => {
                    let review = words.contains(&"hipo").then_some("your build may lack hipo");
                    draft.choices(&Opt { review, ..option }, words, value);
                }
            },
            _ => draft.leave_out(name, "its range could not be parsed"),
        }
    }
}

/// Returns the quoted words of a description.
fn quoted(about: &str) -> Vec<&str> {
    about
        .split('"')
        .skip(1)
        .step_by(2)
        .filter(|word| !word.is_empty() && !word.contains(['\\', ' ']))
        .collect()
}
