//! The result of one search as a row of the file.

use anyhow::{Context, Result};

pub(super) const HEAD: &str = "task,data_set,search,version,seed,evaluations,infeasible,seen_speedup,choice,vectors,\
    speedup,error,bound,feasible,time_speedup,cpu_seconds";

/// The result of one search.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) task: String,
    pub(super) data_set: String,
    pub(super) search: String,
    pub(super) version: String,
    pub(super) seed: u64,
    pub(super) evaluations: u64,
    /// Share of evaluations whose error was above the bound.
    pub(super) infeasible: f64,
    /// The fastest evaluation whose error was not above the bound, against the reference; `None` if there was
    /// none.
    pub(super) seen: Option<f64>,
    /// The configuration that the search recommends.
    pub(super) choice: String,
    /// Vectors of the recommended machine.
    pub(super) vectors: u64,
    /// Speed-up of the choice, mean cost over fresh seeds.
    pub(super) speed_up: f64,
    /// Mean error of the choice over fresh seeds.
    pub(super) error: f64,
    pub(super) bound: f64,
    /// Whether that error is at most the bound.
    pub(super) feasible: bool,
    /// Speed-up of the choice in CPU time.
    pub(super) in_time: f64,
    /// CPU time of the search itself.
    pub(super) cpu: f64,
}

impl Row {
    /// Returns what identifies a row.
    pub(super) fn key(&self) -> (&str, &str, &str, u64) {
        (&self.task, &self.data_set, &self.search, self.seed)
    }

    /// Returns the speed-up that counts. It is 1 if the choice is infeasible or slower than the reference, because
    /// then the reference must be used.
    pub(super) fn counted(&self) -> f64 {
        if self.feasible { self.speed_up.max(1.0) } else { 1.0 }
    }

    pub(super) fn line(&self) -> String {
        format!(
            "{},{},{},{},{},{},{:.4},{},{},{},{:.4},{},{},{},{:.3},{:.2}\n",
            self.task,
            self.data_set,
            self.search,
            self.version,
            self.seed,
            self.evaluations,
            self.infeasible,
            self.seen.map_or("-".to_owned(), |seen| format!("{seen:.4}")),
            self.choice.replace(',', " "),
            self.vectors,
            self.speed_up,
            self.error,
            self.bound,
            self.feasible,
            self.in_time,
            self.cpu
        )
    }

    pub(super) fn of_line(line: &str) -> Result<Self> {
        let words: Vec<&str> = line.split(',').collect();
        let wrong = || format!("`{line}` is not a row with the columns {HEAD}");
        let [
            task,
            data_set,
            search,
            version,
            seed,
            evaluations,
            infeasible,
            seen,
            choice,
            vectors,
            speed_up,
            error,
            bound,
            feasible,
            in_time,
            cpu,
        ] = words[..]
        else {
            anyhow::bail!(wrong());
        };
        let number = |word: &str| word.parse::<f64>().with_context(wrong);
        Ok(Self {
            task: task.to_owned(),
            data_set: data_set.to_owned(),
            search: search.to_owned(),
            version: version.to_owned(),
            seed: seed.parse().with_context(wrong)?,
            evaluations: evaluations.parse().with_context(wrong)?,
            infeasible: number(infeasible)?,
            seen: if seen == "-" { None } else { Some(number(seen)?) },
            choice: choice.to_owned(),
            vectors: vectors.parse().with_context(wrong)?,
            speed_up: number(speed_up)?,
            error: number(error)?,
            bound: number(bound)?,
            feasible: feasible.parse().with_context(wrong)?,
            in_time: number(in_time)?,
            cpu: number(cpu)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let row = Row {
            task: "lsh".to_owned(),
            data_set: "usps".to_owned(),
            search: "auto".to_owned(),
            version: "0123456789ab-dirty".to_owned(),
            seed: 3,
            evaluations: 100,
            infeasible: 0.25,
            seen: None,
            choice: "functions=3 tables=4".to_owned(),
            vectors: 0,
            speed_up: 4.5,
            error: 0.0625,
            bound: 0.03125,
            feasible: false,
            in_time: 2.125,
            cpu: 1.5,
        };
        assert_eq!(Row::of_line(row.line().trim_end()).unwrap(), row);
        assert_eq!(row.counted(), 1.0);
        let seen = Row { seen: Some(7.25), feasible: true, ..row };
        assert_eq!(Row::of_line(seen.line().trim_end()).unwrap(), seen);
        assert_eq!(seen.counted(), 4.5);
        assert_eq!(Row { speed_up: 0.5, ..seen }.counted(), 1.0);
        let error = Row::of_line("lsh,usps").unwrap_err().to_string();
        assert!(error.contains("`lsh,usps` is not a row with the columns task,"), "{error}");
    }
}
