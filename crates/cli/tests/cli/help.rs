use crate::{captune, stdout};

#[test]
fn help_texts() {
    insta::assert_snapshot!("help", stdout(&captune("--help")));
    insta::assert_snapshot!("help_exec", stdout(&captune("exec --help")));
    insta::assert_snapshot!("help_doctor", stdout(&captune("doctor --help")));
}
