//! Tests of commands with inline parameters.

use std::path::Path;

use super::*;

fn words(line: &str) -> Vec<String> {
    line.split('~').map(str::to_owned).collect()
}

fn complete() -> Wishes {
    Wishes { cutoff: Some("30s".to_owned()), wall: Some(3600.0), ..Wishes::default() }
}

/// Returns the drafted scenario for a command whose words are separated by `~`.
fn drafted(line: &str) -> String {
    draft(&words(line), &complete(), Path::new("/nowhere")).unwrap_or_else(|e| panic!("{e}")).to_toml()
}

/// Returns the command and the space of the drafted scenario.
fn parts(line: &str) -> (String, String) {
    let text = drafted(line);
    let command = text.lines().find_map(|line| line.strip_prefix("command")).unwrap();
    let command = command.trim_start_matches([' ', '=']).to_owned();
    (command, text.split_once("[space]\n").unwrap().1.to_owned())
}

/// Returns the mistakes in a command. Each has the text that it points at and its message.
fn mistakes(line: &str) -> Vec<(String, String)> {
    let text = words(line).join(" ");
    let mistakes = draft(&words(line), &complete(), Path::new("/nowhere")).map(|_| "valid").unwrap_err();
    let place = |d: &Diagnostic| text.get(d.span.start..d.span.end).unwrap_or("").to_owned();
    mistakes.list().iter().map(|d| (place(d), d.message.clone())).collect()
}

#[test]
fn ranges_and_choices_become_a_space_and_the_command_names_them() {
    let (command, space) = parts("minisat~-rinc={1.1..4.0 = 2}~-ccmin-mode={0|1|2 = 2}~-n={1..1000 log=10}");
    assert_eq!(
        command,
        r#"["minisat", "-rinc={param:rinc}", "-ccmin-mode={param:ccmin-mode}", "-n={param:n}"]"#
    );
    assert_eq!(
        space,
        "rinc = { float = [1.1, 4.0], default = 2.0 }\n\
         ccmin-mode = { choices = [\"0\", \"1\", \"2\"], default = \"2\" }\n\
         n = { integer = [1, 1000], log = true, default = 10 }\n"
    );
}

#[test]
fn words_may_be_of_any_script() {
    let (command, space) = parts("p~é{x: 1..9}ö~{y: ä|ü}~語");
    assert_eq!(command, r#"["p", "é{param:x}ö", "{param:y}", "語"]"#);
    assert_eq!(space, "x = { integer = [1, 9] }\ny = { choices = [\"ä\", \"ü\"] }\n");
}

#[test]
fn numbers_are_written_in_toml_syntax() {
    let (_, space) = parts("p~{x: +007..010 = 08}~{y: .5..05. = 1}");
    assert_eq!(space, "x = { integer = [7, 10], default = 8 }\ny = { float = [0.5, 5.0], default = 1.0 }\n");
    for (cutoff, written) in [("0030", "30"), ("+1.50", "1.5"), (".5", "0.5"), ("30s", "\"30s\"")] {
        let wishes = Wishes { cutoff: Some(cutoff.to_owned()), ..complete() };
        let draft = draft(&words("p~{x: 1..9}"), &wishes, Path::new("/nowhere")).unwrap();
        assert_eq!(draft.get("objective.cutoff"), Some(written));
    }
}

#[test]
fn a_parameter_that_spaces_reject_is_a_mistake_in_the_command() {
    let mistakes = mistakes("p~{x: 1..99999999999999999999}");
    let places: Vec<&str> = mistakes.iter().map(|(place, _)| place.as_str()).collect();
    assert_eq!(places, ["{x: 1..99999999999999999999}"], "{mistakes:?}");
}

#[test]
fn a_command_of_one_unmatched_brace_is_rejected() {
    let wishes = Wishes { space: Some("space.toml".to_owned()), ..complete() };
    let mistakes = draft_to_run(&words("{"), &wishes, Path::new("/nowhere")).unwrap_err();
    assert!(
        mistakes.list().iter().any(|mistake| mistake.message == "`{` has no matching brace"),
        "{mistakes}"
    );
}

#[test]
fn names_come_from_the_context_or_are_given() {
    let (command, space) =
        parts("p~--depth~{1..9}~x{name: -4..4 = 0}y~{-luby|-no-luby}~-o~a=1,b={2|3}~{t: u=1|u=2}~--{s: a|b}");
    assert!(
        command.contains(
            r#""--depth", "{param:depth}", "x{param:name}y", "{param:luby}", "-o", "a=1,b={param:b}""#
        ),
        "{command}"
    );
    let names: Vec<&str> = space.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["depth", "name", "luby", "b", "t", "s"], "{space}");
}

#[test]
fn parameters_that_a_shell_split_at_spaces_are_joined() {
    assert_eq!(parts("p~-r={1..4~log~=~2}~{seed}"), parts("p~-r={1..4 log = 2}~{seed}"));
}

#[test]
fn an_argument_may_be_present_or_absent() {
    let text = drafted("p~{-x|}~{|--yes}~{-z| = }~{seed}");
    let command = r#"["p", "{params:x}", "{params:yes}", "{params:z}", "{seed}"]"#;
    assert!(text.contains(command), "every argument stays in its place: {text}");
    assert!(text.contains("parameter.x   = { on = \"-x\", off = \"\" }"), "{text}");
    assert!(
        text.contains("\nx = { boolean = false }\nyes = { boolean = false }\nz = { boolean = false }\n"),
        "{text}"
    );
}

#[test]
fn placeholders_and_literal_braces_are_unchanged() {
    let (command, _) = parts("p~{{{seed}}}~{params}~{x: 0.5..1e3}~{folder}/a");
    assert_eq!(command, r#"["p", "{{{seed}}}", "{params}", "{param:x}", "{folder}/a"]"#);
}

#[test]
fn every_mistake_is_reported_with_its_place() {
    let found = mistakes(
        "p~-a={9..1}~-b={1..x = 3}~-c={1..9 = 10}~-d={0..1 log}~{1..2}~-a={1..2}~-e={a|a}~-f={a|b = c}~{-g|-h|}~-i={1..2",
    );
    let expected = [
        ("9..1", "9 is not below 1"),
        ("x", "`x` is not a number"),
        ("10", "the default 10 is outside 1 to 9"),
        ("0", "a logarithmic range cannot start at 0"),
        ("{a|a}", "the choice `a` is given twice"),
        ("{a|b = c}", "the default `c` is not among the choices"),
        ("{-g|-h|}", "an empty choice would still be passed as an argument"),
        ("{", "`{` has no matching brace"),
    ];
    let expected = expected.map(|(place, message)| (place.to_owned(), message.to_owned()));
    assert_eq!(found, expected);
    assert_eq!(
        mistakes("p~-a={1..2}~-a={3..4}"),
        [("{3..4}".to_owned(), "`a` is already the name of `{1..2}`".to_owned())]
    );
    let twice = draft(&words("p~-{level: 1..9 = 3}~-T{level: 1..2 = 1}"), &complete(), Path::new("/nowhere"));
    let hints: Vec<String> = twice.unwrap_err().list().iter().filter_map(|d| d.hint.clone()).collect();
    assert_eq!(hints, ["give it another name: `{other: 1..2 = 1}`"]);
    // The shell has interpreted the rest of the command, and perhaps the instance.
    let wishes = Wishes { instances: vec!["in".to_owned()], ..complete() };
    let cut = draft(&words("p~-m={0"), &wishes, Path::new("/nowhere")).unwrap_err();
    let hints: Vec<&str> = cut.list().iter().filter_map(|d| d.hint.as_deref()).collect();
    assert!(matches!(hints[..], [hint] if hint.starts_with("quote the word, or the shell")), "{cut}");
    assert_eq!(mistakes("p~{1..2}")[0].1, "the parameter has no name");
}

#[test]
fn all_missing_options_are_reported_at_once() {
    let missing = draft(&words("p~{instance}"), &Wishes::default(), Path::new("/nowhere")).unwrap_err();
    let messages: Vec<&str> = missing.list().iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "the command has no parameter to tune",
            "`--cutoff` is missing",
            "`--budget` is missing",
            "the command has `{instance}`, but there are no `--instances`",
        ]
    );
}

#[test]
fn a_bound_may_hold_for_the_mean_or_for_every_trial() {
    let bound = |name: &str| (name.to_owned(), "<= 1.02x default".to_owned());
    let wishes = Wishes { constraints: vec![bound("size"), bound("every error")], ..complete() };
    let text = draft(&words("p~{x: 1..9}~{seed}"), &wishes, Path::new("/nowhere")).unwrap().to_toml();
    assert!(text.contains("size  = \"<= 1.02x default\""), "{text}");
    assert!(text.contains("error = { bound = \"<= 1.02x default\", over = \"max\" }"), "{text}");
}

#[test]
fn the_parameters_of_a_space_come_before_the_input_or_go_to_a_file() {
    let wishes = Wishes { space: Some("s.toml".to_owned()), ..complete() };
    let of = |line: &str| draft(&words(line), &wishes, Path::new("/nowhere")).unwrap().to_toml();
    let text = of("python~solve.py~--fast~{seed}");
    assert!(text.contains(r#"["python", "solve.py", "--fast", "{seed}", "{params}"]"#), "{text}");
    let text = of("solve~{config_file}~{seed}");
    assert!(text.contains(r#"["solve", "{config_file}", "{seed}"]"#), "{text}");
    assert!(text.contains("config_file = \"{name} = {value}\""), "{text}");
}
