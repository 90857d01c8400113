//! The HTML document: style, navigation, pages and script, all in one file that loads nothing.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use view::pages::Pages;

use crate::markup::Markup;
use crate::page::{self, Page};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Where a document is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place<'a> {
    /// A file on disk.
    File,
    /// A page of the server: the number of the campaign, and the names of all campaigns.
    Live(usize, &'a [String]),
}

/// Returns the whole report as one HTML file. Returns a page that says so if the scenario cannot be read.
pub fn html(pages: &Pages) -> String {
    document(&pages.overview.picture.name, &page::all(pages), Place::File)
}

/// Returns the content security policy: only the style and the script of this program run, and nothing is
/// loaded. `connect` is the source that a live page may fetch from.
pub fn content_policy(connect: &'static str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    let (style, script) = (hash(STYLE), hash(SCRIPT));
    format!(
        "default-src 'none'; style-src {style}; script-src {script}; img-src data:; connect-src {connect}; base-uri 'none'; \
         form-action 'none'"
    )
}

/// Returns a document with these pages.
pub(crate) fn document(name: &str, drawn: &[Page], place: Place<'_>) -> String {
    let mut out = Markup::new();
    out.raw("<!doctype html>\n");
    out.open("html", &[("lang", "en")]);
    head(&mut out, name, place);
    let live = match place {
        Place::File => String::new(),
        Place::Live(number, _) => number.to_string(),
    };
    out.open("body", &[("data-live", &live)]);
    navigation(&mut out, name, drawn, place);
    out.open("main", &[("id", "main")]);
    out.push(&body(drawn));
    out.close("main");
    out.raw("<footer>Filled dots are exact values, open arrows are bounds. Made by captune; nothing on this page is loaded from a network.</footer>");
    out.open("script", &[]);
    let mut text = out.as_str().to_owned();
    text.push_str(SCRIPT);
    text.push_str("</script></body></html>\n");
    text
}

/// Returns the pages alone, which replace the ones on a live page.
pub(crate) fn body(drawn: &[Page]) -> Markup {
    let mut out = Markup::new();
    if drawn.is_empty() {
        out.add(
            "p",
            &[("class", "nothing")],
            "The scenario of this campaign can no longer be read, so there are no figures.",
        );
    }
    for page in drawn {
        out.open("section", &[("id", page.id)]);
        out.add("h2", &[], page.title);
        out.push(&page.body);
        out.close("section");
    }
    out
}

fn head(out: &mut Markup, name: &str, place: Place<'_>) {
    out.raw("<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    out.raw(
        "<meta name=\"color-scheme\" content=\"light dark\"><meta name=\"referrer\" content=\"no-referrer\">",
    );
    // The server sends its policy as a header.
    if place == Place::File {
        let policy = content_policy("'none'");
        out.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]);
    }
    out.raw("<link rel=\"icon\" href=\"data:,\">");
    out.add("title", &[], &format!("{name}: captune"));
    out.raw("<style>");
    out.raw(STYLE);
    out.raw("</style></head>");
}

/// Returns a page without navigation.
pub(crate) fn frame(title: &str, content: &Markup) -> String {
    let mut out = Markup::new();
    out.raw("<!doctype html>\n");
    out.open("html", &[("lang", "en")]);
    head(&mut out, title, Place::Live(0, &[]));
    out.open("body", &[("data-live", "")]);
    out.raw("<header>");
    out.add("h1", &[], title);
    out.raw("</header><main id=\"main\">");
    out.push(content);
    out.raw("</main></body></html>\n");
    out.as_str().to_owned()
}

fn navigation(out: &mut Markup, name: &str, drawn: &[Page], place: Place<'_>) {
    out.raw("<header>");
    out.add("h1", &[], name);
    if let Place::Live(number, names) = place {
        out.raw("<p id=\"live\" aria-live=\"polite\">live</p>");
        if names.len() > 1 {
            out.raw("<p class=\"campaigns\">");
            for (place, name) in names.iter().enumerate() {
                let (path, current) = (format!("/c/{place}"), if place == number { "page" } else { "false" });
                out.add("a", &[("href", &path), ("aria-current", current)], name);
                out.text(" ");
            }
            out.raw("<a href=\"/\">side by side</a></p>");
        }
    }
    out.raw("<nav aria-label=\"pages\">");
    for page in drawn {
        let target = format!("#{}", page.id);
        out.add("a", &[("href", &target)], page.title);
    }
    out.raw("</nav></header>");
}
