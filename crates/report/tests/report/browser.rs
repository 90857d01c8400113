//! The report and the live page in a real browser.

use serde_json::json;

use crate::chromium::Chromium;
use crate::server::serve;
use crate::stage::hostile;

#[test]
fn the_report_works_in_a_browser() {
    let Some(mut browser) = Chromium::start("report") else { return };
    let stage = hostile();
    let file = stage.folder.join("report.html");
    std::fs::write(&file, report::html(&stage.pages())).unwrap();
    let address = format!("file://{}", file.display());
    browser.open(&address, 1200, "light");
    assert_eq!(browser.value("document.querySelectorAll('section').length"), json!(11));
    assert_eq!(browser.value("document.querySelectorAll('script').length"), json!(1));

    // Sorting by cost, upwards and downwards.
    let sort = "[...document.querySelectorAll('#trials-table thead th')].find(h => h.textContent === 'CPU time').click()";
    let costs = "[...document.querySelectorAll('#trials-table tbody tr')].map(r => r.cells[7].dataset.s).filter(s => s).map(Number)";
    for compare in ["<=", ">="] {
        browser.value(sort);
        let sorted = format!("{costs}.every((v, i, all) => i === 0 || all[i - 1] {compare} v)");
        assert_eq!(browser.value(&sorted), json!(true), "{compare}");
    }
    // Filtering, and filling in the command.
    let type_in = "{ const f = document.querySelector('[data-filter]'); f.value = 'crashed'; f.dispatchEvent(new Event('input', { bubbles: true })); }";
    browser.value(type_in);
    let shown = "[...document.querySelectorAll('#trials-table tbody tr')].filter(r => !r.hidden)";
    assert_eq!(
        browser.value(&format!(
            "{shown}.length > 0 && {shown}.every(r => r.cells[6].textContent === 'crashed')"
        )),
        json!(true)
    );
    browser.value(&format!("{shown}[0].click()"));
    let filled =
        format!("document.getElementById('rerun').textContent.endsWith(' ' + {shown}[0].dataset.trial)");
    assert_eq!(browser.value(&filled), json!(true));
    // Brushing the upper half of the last axis.
    browser.value(
        "document.querySelector('.parallel').scrollIntoView({ behavior: 'instant', block: 'center' })",
    );
    let place = "(() => { const b = [...document.querySelectorAll('.brush')].at(-1).getBoundingClientRect(); return [b.x + b.width / 2, b.y, b.height]; })()";
    let at: Vec<f64> = serde_json::from_value(browser.value(place)).unwrap();
    browser.drag((at[0], at[1] + 2.0), (at[0], at[1] + at[2] / 2.0));
    let kept = "[document.querySelectorAll('.pc:not(.off)').length, document.querySelectorAll('.pc').length]";
    let kept: Vec<usize> = serde_json::from_value(browser.value(kept)).unwrap();
    assert!(kept[0] > 0 && kept[0] < kept[1], "{kept:?}");
    let told = browser.value("document.querySelector('.selection').textContent");
    assert!(told.as_str().unwrap().starts_with(&format!("{} of {}", kept[0], kept[1])), "{told}");
    // Hovering over a mark.
    browser.value("document.querySelector('#duel .dot').dispatchEvent(new PointerEvent('pointermove', { bubbles: true }))");
    assert_ne!(browser.value("document.getElementById('tip').textContent"), json!(""));

    // Dark, and on a phone: nothing wider than the screen.
    let background = "getComputedStyle(document.body).backgroundColor";
    let light = browser.value(background);
    browser.open(&address, 390, "dark");
    assert_ne!(browser.value(background), light);
    assert_eq!(browser.value("document.documentElement.scrollWidth <= 390"), json!(true));
    assert_eq!(browser.errors, Vec::<String>::new());
    let outside: Vec<&String> = browser
        .requests
        .iter()
        .filter(|one| !one.starts_with("file:") && !one.starts_with("data:"))
        .collect();
    assert_eq!(outside, Vec::<&String>::new());
}

#[test]
fn the_live_page_follows_a_campaign() {
    let Some(mut browser) = Chromium::start("live") else { return };
    let mut stage = hostile();
    let served = serve(&[&stage]);
    browser.open(&served.url, 1200, "light");
    assert_eq!(browser.value("location.search"), json!(""), "the token is no longer in the address");
    browser.until("document.getElementById('live').textContent.includes('trials')");
    let before = browser.value("document.getElementById('live').textContent");
    let rows = browser.value("document.querySelectorAll('#trials-table tbody tr').length").as_u64().unwrap();
    let added = stage.add(60, 20, 3);
    browser
        .until(&format!("document.querySelectorAll('#trials-table tbody tr').length === {}", rows + added));
    assert_ne!(browser.value("document.getElementById('live').textContent"), before);
    assert_eq!(browser.value("document.querySelectorAll('section').length"), json!(11));
    assert_eq!(browser.errors, Vec::<String>::new());
    let own = format!("http://127.0.0.1:{}/", served.port);
    let outside: Vec<&String> =
        browser.requests.iter().filter(|one| !one.starts_with(&own) && !one.starts_with("data:")).collect();
    assert_eq!(outside, Vec::<&String>::new());
}
