//! The HTML file: complete, self-contained, and inert whatever the names are.

use report::{html, methods, tables};

use crate::stage::{HOSTILE, Stage, hostile};

const PAGES: [&str; 10] = [
    "overview",
    "progress",
    "duel",
    "search",
    "matrix",
    "races",
    "constraints",
    "surrogate",
    "instances",
    "trials",
];

#[test]
fn names_and_values_cannot_become_markup() {
    let text = html(&hostile().pages());
    assert_eq!(text.matches("<script").count(), 1, "only the report's own script");
    for dangerous in ["<img", "onerror=alert(2)>\"", "<svg onload", "</text><script", "fast'\"<b>", "\u{1b}"]
    {
        assert!(!text.contains(dangerous), "{dangerous}");
    }
    for number in 1..=7 {
        assert!(text.contains(&format!("alert({number})")), "the hostile name {number} is not shown at all");
    }
    assert!(text.contains("&lt;script&gt;alert(7)&lt;/script&gt; signal 11"));
}

#[test]
fn the_file_has_every_page_and_refers_to_nothing() {
    let text = html(&hostile().pages());
    for page in PAGES {
        assert!(text.contains(&format!("<section id=\"{page}\">")), "{page}");
        assert!(text.contains(&format!("href=\"#{page}\"")), "{page}");
    }
    for reference in ["src=\"http", "href=\"http", "url(http", "@import", "style=\""] {
        assert!(!text.contains(reference), "{reference}");
    }
    let policy = text.split("Content-Security-Policy\" content=\"").nth(1).unwrap();
    let policy = policy.split('"').next().unwrap().replace("&#39;", "'");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(policy.contains("connect-src 'none'"), "{policy}");
    assert!(text.contains("class=\"arrow") && text.contains("class=\"dot"), "bounds and exact values");
}

#[test]
fn a_campaign_without_trials_explains_its_empty_pages() {
    let text = html(&Stage::new(HOSTILE).pages());
    for page in PAGES {
        let body = text.split(&format!("<section id=\"{page}\">")).nth(1).unwrap();
        let body = body.split("</section>").next().unwrap();
        assert!(
            page == "overview" || page == "constraints" || body.contains("class=\"nothing\""),
            "{page}: {body}"
        );
        assert!(!body.contains("NaN") && !body.contains("inf"), "{page}: {body}");
    }
}

#[test]
fn no_coordinate_is_infinite_or_unknown() {
    let text = html(&hostile().pages());
    let text = text.split("<script>").next().unwrap();
    for bad in ["=\"NaN", "=\"inf", "=\"-inf", " NaN", "MNaN", "LNaN"] {
        assert!(!text.contains(bad), "{bad}");
    }
}

#[test]
fn every_line_of_the_parallel_coordinates_reaches_the_cost() {
    let own = "on = { boolean = true }\nrate = { float = [0.5, 4.0], default = 1.0, when = \"on == true\" }\n\
               size = { float = [0.0, 1.0], default = 0.5 }\n";
    let text = format!("{}[space]\n{own}", HOSTILE.split("[space]").next().unwrap());
    let mut stage = Stage::new(&text);
    stage.add(0, 40, 6);
    let drawn = html(&stage.pages());
    let lines: Vec<&str> = drawn.split("<path class=\"pc ").skip(1).collect();
    let with_inactive =
        lines.iter().filter(|line| line.contains(",,") || line.contains("data-v=\",")).count();
    assert!(with_inactive > 0, "some configurations have an inactive parameter");
    for line in lines {
        let path = line.split(" d=\"").nth(1).unwrap().split('"').next().unwrap();
        // Three parameters and the cost, in one stroke.
        assert_eq!((path.matches('M').count(), path.matches('L').count()), (1, 3), "{path}");
        assert!(path.contains("L900 "), "{path}");
    }
    assert!(drawn.contains(">inactive</text>"));
}

#[test]
fn the_paragraph_and_the_tables_have_the_same_figures() {
    let pages = hostile().pages();
    let text = methods(&pages, "1.2.3");
    let trials = pages.trials.rows.of;
    assert!(
        text.contains("captune 1.2.3") && text.contains(&format!("{trials} trials of 60 configurations")),
        "{text}"
    );
    let verdict = pages.overview.picture.figures.known().unwrap().verdict.as_ref().unwrap();
    let held = words::bounds::both(&verdict.constraints, "starting point");
    assert!(!held.is_empty() && held.iter().all(|line| text.contains(line)), "{held:?} {text}");
    let tables = tables(&pages);
    let named = |name: &str| tables.iter().find(|table| table.name == name).unwrap();
    assert_eq!(named("trials").csv.lines().count(), trials + 1);
    assert_eq!(named("pairs").csv.lines().count(), pages.duel.pairs.len() + 1);
    let bounded = pages.bounded.as_ref().unwrap();
    assert_eq!(named("constraints").csv.lines().count(), bounded.configurations.shown.len() + 1);
    for table in &tables {
        assert!(!table.csv.contains("{\""), "{}: {}", table.name, table.csv);
    }
}
