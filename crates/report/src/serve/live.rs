//! A campaign that is shown while it runs.
//!
//! Reading and drawing a whole campaign takes time that the campaign may need. So the pages are drawn again
//! only if the store has changed, and at most so often that drawing takes a two-hundredth of the time:
//!
//! ```text
//! next drawing >= last drawing + 200 * the CPU time that it took
//! ```
//!
//! In between, the line at the top comes from the store's tally, which is quick to read.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use store::Store;
use view::pages::Pages;
use view::{Kept, Picture, Records, folder_of};
use words::{Costs, clock, count, counted};

use crate::document::{self, Place};
use crate::markup::Markup;
use crate::page::{self, Page};

/// Time between two looks at the store.
pub(crate) const INTERVAL: Duration = Duration::from_secs(1);
/// Drawing may take this part of the time.
const PART: u32 = 200;

/// A campaign that is shown while it runs.
#[derive(Debug)]
pub struct Live {
    /// The folder of the campaign.
    folder: PathBuf,
    /// The meaning of its costs, which takes a while to read and never changes.
    costs: OnceLock<Option<Costs>>,
    drawn: Mutex<Option<Drawn>>,
}

/// The pages as they were drawn last.
#[derive(Clone, Debug)]
struct Drawn {
    name: String,
    pages: Arc<[Page]>,
    /// Number of trials and validation trials then.
    version: String,
    at: Instant,
    took: Duration,
}

impl Live {
    /// Returns the campaign in a folder, or of a scenario file. Nothing is read yet.
    pub fn new(path: PathBuf) -> Self {
        Self { folder: folder_of(&path), costs: OnceLock::new(), drawn: Mutex::new(None) }
    }

    /// Returns its name, or its path if it cannot be read.
    fn name(&self) -> String {
        let name = Store::read(&self.folder).and_then(|reader| reader.name());
        name.unwrap_or_else(|_| self.folder.display().to_string())
    }

    /// Returns the whole page.
    pub(crate) fn page(&self, number: usize, names: &[String]) -> Result<String, String> {
        let (name, pages) = self.pages()?;
        Ok(document::document(&name, &pages, Place::Live(number, names)))
    }

    /// Returns the pages without the frame.
    pub(crate) fn body(&self) -> Result<String, String> {
        Ok(document::body(&self.pages()?.1).as_str().to_owned())
    }

    /// Returns the campaign's name and pages, drawn again if that is due.
    fn pages(&self) -> Result<(String, Arc<[Page]>), String> {
        let version = self.look().map(|(version, _)| version)?;
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = drawn.as_ref().filter(|old| old.version == version || !old.is_due()) {
            return Ok((old.name.clone(), Arc::clone(&old.pages)));
        }
        let before = cpu();
        let kept = Kept::open(&self.folder).map_err(|error| error.to_string())?;
        let records = Records::of(&kept).map_err(|error| error.to_string())?;
        let figures = Pages::of(&records).map_err(|error| error.to_string())?;
        let (name, pages): (String, Arc<[Page]>) = (kept.charter.name.clone(), page::all(&figures).into());
        let took = cpu().saturating_sub(before);
        *drawn =
            Some(Drawn { name: name.clone(), pages: Arc::clone(&pages), version, at: Instant::now(), took });
        Ok((name, pages))
    }

    /// Returns the line at the top and the version of the pages as JSON, in one line.
    pub(crate) fn state(&self) -> String {
        let (text, version) = match self.look() {
            Ok((version, text)) => {
                let drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
                match drawn.as_ref().filter(|old| old.version != version && !old.is_due()) {
                    Some(old) => {
                        let ago = old.at.elapsed().as_secs();
                        (format!("{text} · pictures from {ago} s ago"), old.version.clone())
                    }
                    None => (text, version),
                }
            }
            Err(error) => (format!("cannot read the campaign: {error}"), String::new()),
        };
        json!({ "text": text, "version": version }).to_string()
    }

    /// Reads the store's overview: a version that changes with every trial, and a line of text.
    fn look(&self) -> Result<(String, String), String> {
        let reader = Store::read(&self.folder).map_err(|error| error.to_string())?;
        let summary = reader.summary().map_err(|error| error.to_string())?;
        let validations = reader.validation_count().map_err(|error| error.to_string())?;
        let running = Store::holder(&self.folder).map_err(|error| error.to_string())?.is_some();
        let version =
            format!("{}-{validations}-{}-{}", summary.trials, summary.incumbents.len(), u8::from(running));
        let costs = self.costs.get_or_init(|| {
            let kept = Kept::open(&self.folder).ok()?;
            kept.scenario().ok().map(Costs::of)
        });
        let best = match (&summary.best, costs) {
            (Some(best), Some(costs)) => format!(
                " · best {} {} {}",
                words::name(best.incumbent.config.0, costs.against),
                costs.mean,
                costs.show(costs.number(best.incumbent.cost))
            ),
            _ => String::new(),
        };
        let state = if running { "running" } else { "not running" };
        let trials = counted(summary.trials, "trial");
        let validating =
            if validations > 0 { format!(" · {} of validation", count(validations)) } else { String::new() };
        let text = format!("{state} · {} · {trials}{validating}{best}", clock(summary.spent.wall));
        Ok((version, text))
    }
}

impl Drawn {
    fn is_due(&self) -> bool {
        self.at.elapsed() >= self.took * PART
    }
}

/// Returns the CPU time of this process: the model that a page shows is fitted by several threads.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Returns the names of all campaigns. Those with the same name, such as two campaigns of one scenario, are followed
/// by their folders.
pub(crate) fn names(campaigns: &[Live]) -> Vec<String> {
    let names: Vec<String> = campaigns.iter().map(Live::name).collect();
    let is_unique = |name: &String| names.iter().filter(|other| *other == name).count() == 1;
    let one = |(campaign, name): (&Live, &String)| {
        if is_unique(name) { name.clone() } else { format!("{name} ({})", campaign.folder.display()) }
    };
    campaigns.iter().zip(&names).map(one).collect()
}

/// Returns the list of all campaigns, with the main figures of each.
pub(crate) fn side_by_side(campaigns: &[Live]) -> String {
    let mut table = Markup::new();
    table.raw("<div class=\"scroll\"><table class=\"plain\"><thead><tr><th>campaign</th><th>state</th><th>time</th><th>trials</th><th>best</th><th>result</th></tr></thead><tbody>");
    for ((number, campaign), name) in campaigns.iter().enumerate().zip(names(campaigns)) {
        table.open("tr", &[]);
        table.open("th", &[("scope", "row")]);
        table.add("a", &[("href", &format!("/c/{number}"))], &name);
        table.close("th");
        match Kept::open(&campaign.folder).and_then(|kept| Picture::of(&kept)) {
            Ok(picture) => row(&mut table, &picture),
            Err(error) => table.add("td", &[("colspan", "5"), ("class", "wide")], &error.to_string()),
        }
        table.close("tr");
    }
    table.raw("</tbody></table></div>");
    document::frame("Campaigns", &table)
}

fn row(table: &mut Markup, picture: &Picture) {
    table.add("td", &[], &words::state(&picture.state));
    table.add("td", &[], &clock(picture.spent.wall));
    table.add("td", &[], &count(picture.tally.trials.all()));
    let Some(figures) = picture.figures.known() else { return table.add("td", &[], "") };
    let costs = Costs::from(figures.costs.clone());
    let best = figures.best.as_ref().map_or_else(String::new, |best| costs.standing(best));
    table.add("td", &[("class", "wide")], &best);
    let result = match (&figures.verdict, &figures.training) {
        (Some(verdict), _) => words::verdict::first_line(verdict, &costs),
        (None, Some(training)) => format!("in training: {}", costs.in_training(training)),
        (None, None) => String::new(),
    };
    table.add("td", &[("class", "wide")], &result);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_takes_at_most_a_two_hundredth_of_the_time() {
        let drawn = |ago: u64| Drawn {
            name: String::new(),
            pages: Vec::new().into(),
            version: String::new(),
            at: Instant::now().checked_sub(Duration::from_secs(ago)).unwrap(),
            took: Duration::from_millis(100),
        };
        assert!(!drawn(10).is_due() && drawn(30).is_due(), "100 ms of drawing are paid for after 20 s");
    }

    #[test]
    fn the_time_of_all_threads_counts() {
        let before = cpu();
        let busy = || while cpu().saturating_sub(before) < Duration::from_millis(20) {};
        std::thread::scope(|scope| scope.spawn(busy).join()).unwrap();
        assert!(cpu().saturating_sub(before) >= Duration::from_millis(20));
    }
}
