//! A large campaign: 100 000 trials, 76 parameters, 200 instances.

use std::fmt::Write as _;

use report::html;
use rustix::time::{ClockId, clock_gettime};

use crate::chromium::Chromium;
use crate::stage::Stage;

fn scenario() -> String {
    let mut text =
        "name = \"large\"\n[target]\ncommand = [\"true\", \"{params}\", \"{instance}\"]\n[objective]\n\
                    minimise = \"cpu_time\"\ncutoff = \"5s\"\n[instances]\nlist = ["
            .to_owned();
    (0..200).for_each(|number| write!(text, "\"instances/train/number-{number}.cnf\", ").unwrap());
    text += "]\n[budget]\ntrials = 200000\n[space]\n";
    let kinds = ["float = [0.001, 10.0], log = true", "integer = [1, 1000], log = true", "boolean = true"];
    (0..76).for_each(|number| writeln!(text, "parameter-{number} = {{ {} }}", kinds[number % 3]).unwrap());
    text
}

/// Returns the CPU seconds of all threads of this process.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The bars are 5 s and 10 MB for a release build. CPU time is measured, because tests share the machine; an
/// unoptimised build gets more.
#[test]
#[ignore = "writes 100 000 trials first, which takes half a minute"]
fn a_large_campaign_is_quick_small_and_says_what_it_leaves_out() {
    let mut stage = Stage::new(&scenario());
    let trials = stage.add(0, 36_000, 5);
    assert!(trials > 100_000, "{trials}");
    let start = cpu();
    let pages = stage.pages();
    let (read, text) = (cpu() - start, html(&pages));
    let (took, size) = (cpu() - start, text.len());
    let (folder, most) = (std::env::temp_dir(), if cfg!(debug_assertions) { 25.0 } else { 5.0 });
    let file = folder.join("captune-large-report.html");
    std::fs::write(&file, &text).unwrap();
    let mut figures =
        format!("{trials} trials: {read:.2} s for the data, {took:.2} s in all, {size} bytes\n");
    assert!(took < most && size < 10_000_000, "{figures}");
    assert!(
        text.contains("Shown: 4000 of 1") && text.contains("Shown: 2000 of 1"),
        "it says that it is thinned"
    );
    if let Some(mut browser) = Chromium::start("large") {
        figures += &smoothness(&mut browser, &format!("file://{}", file.display()));
    }
    std::fs::write(folder.join("captune-large-report.txt"), &figures).unwrap();
}

/// Opens a page, scrolls through all of it and sorts its longest table. The bars are rough, because tests share
/// the machine.
fn smoothness(browser: &mut Chromium, address: &str) -> String {
    browser.open(address, 1200, "light");
    let load = browser.value("performance.getEntriesByType('navigation')[0].loadEventEnd").as_f64().unwrap();
    let scroll = "new Promise(done => {
        const root = document.documentElement, frames = [];
        root.style.scrollBehavior = 'auto';
        let before = performance.now(), y = 0;
        const step = now => {
            frames.push(now - before); before = now; y += 120; scrollTo(0, y);
            if (y < root.scrollHeight) requestAnimationFrame(step);
            else { frames.shift(); frames.sort((a, b) => a - b); done(frames); }
        };
        requestAnimationFrame(step);
    })";
    let frames: Vec<f64> = serde_json::from_value(browser.value(scroll)).unwrap();
    let at = |share: f64| frames[((frames.len() - 1) as f64 * share) as usize];
    let sort = "(() => { const start = performance.now(); \
                document.querySelectorAll('#trials-table thead th')[7].click(); \
                return performance.now() - start; })()";
    let sorted = browser.value(sort).as_f64().unwrap();
    let figures = format!(
        "loaded in {load:.0} ms; {} frames of scrolling: median {:.1} ms, 95 % below {:.1} ms, longest {:.1} ms; \
         sorted in {sorted:.0} ms\n",
        frames.len(),
        at(0.5),
        at(0.95),
        at(1.0)
    );
    assert!(load < 10_000.0 && at(0.5) < 100.0 && sorted < 2000.0, "{figures}");
    assert_eq!(browser.errors, Vec::<String>::new());
    figures
}
