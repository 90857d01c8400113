use crate::{captune, stdout};

#[test]
fn help_texts() {
    insta::assert_snapshot!("help", stdout(&captune("--help")));
    for verb in [
        "run", "check", "status", "best", "try", "validate", "rerun", "failures", "compare", "export", "demo",
    ] {
        insta::assert_snapshot!(format!("help_{verb}"), stdout(&captune(&format!("{verb} --help"))));
    }
    insta::assert_snapshot!("help_exec", stdout(&captune("exec --help")));
    insta::assert_snapshot!("help_doctor", stdout(&captune("doctor --help")));
    insta::assert_snapshot!("help_space", stdout(&captune("space --help")));
    for verb in ["show", "check", "convert", "sample", "discover"] {
        insta::assert_snapshot!(
            format!("help_space_{verb}"),
            stdout(&captune(&format!("space {verb} --help")))
        );
    }
}
