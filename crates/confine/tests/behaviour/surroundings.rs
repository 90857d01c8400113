//! The folder, environment, streams and signals of a target, and what it leaves behind.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use confine::{Exit, Folder, Stdin, Tier};

use crate::stage::{MISBEHAVE, Stage, every_tier, misbehave, no_limits, run, tight_tiers, wall, working};

fn shown(command: &confine::Command) -> Vec<String> {
    let finished = run(command, &no_limits());
    String::from_utf8(finished.stdout.head).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_private_folder_is_removed_afterwards() {
    for tier in every_tier() {
        let said = shown(&misbehave("show").tier(tier));
        let folder = said[0].strip_prefix("folder ").unwrap();
        assert!(!std::path::Path::new(folder).exists(), "{folder}");
        assert!(said.contains(&format!("env TMPDIR={folder}")), "{said:?}");
    }
}

#[test]
fn locked_folders_are_removed_and_links_are_not_followed() {
    for tier in every_tier() {
        let finished = run(&misbehave("litter").tier(tier), &no_limits());
        assert_eq!((finished.exit, finished.left_behind), (Exit::Code(0), None), "{tier}");
    }
}

#[test]
fn a_given_folder_is_kept() {
    let stage = Stage::new();
    let folder = stage.path("given");
    std::fs::create_dir(&folder).unwrap();
    let command = misbehave("litter").folder(Folder::Given(folder.clone()));
    assert_eq!(run(&command, &no_limits()).exit, Exit::Code(0));
    assert!(folder.join("a").exists());
    std::fs::set_permissions(folder.join("a/b"), std::os::unix::fs::PermissionsExt::from_mode(0o700))
        .unwrap();
}

#[test]
fn files_are_read_before_their_folder_is_removed() {
    let script = "mkdir d; printf 42 > d/n; ln -s d/n near; ln -s /etc/passwd far; ln -s .. up; mkfifo pipe; \
                  head -c 1048577 /dev/zero > long; head -c 1048576 /dev/zero > full";
    let requested = ["d/n", "near", "none", "far", "up/x", "../x", "/etc/passwd", "pipe", "d", "long"];
    for tier in every_tier() {
        let command = confine::Command::new("sh").args(["-c", script]).guardian(MISBEHAVE).tier(tier);
        let command = requested.iter().fold(command, |command, path| command.read_file(path));
        let command = requested.iter().fold(command, |command, path| command.measure_file(path));
        let finished = run(&command.read_file("full"), &no_limits());
        let mut files = finished.files.into_iter();
        let mut next = || files.next().unwrap();
        assert_eq!([next(), next()], [Ok(b"42".to_vec()), Ok(b"42".to_vec())], "{tier}");
        let unread = [(); 8].map(|()| next().unwrap_err());
        use confine::Unread::{Missing, NotAFile, Outside, TooLong};
        assert_eq!(
            unread,
            [Missing, Outside, Outside, Outside, Outside, NotAFile, NotAFile, TooLong],
            "{tier}"
        );
        assert_eq!(next().map(|content| content.len()), Ok(1 << 20));
        let mut sizes = vec![Ok(2), Ok(2)];
        sizes.extend(unread[..7].iter().map(|&why| Err(why)));
        sizes.push(Ok((1 << 20) + 1));
        assert_eq!(finished.sizes, sizes, "{tier}");
    }
}

#[test]
fn the_environment_is_as_requested() {
    let said = shown(&misbehave("show").pass_env("CARGO_*").env("ANSWER", "4 2"));
    assert!(said.contains(&"env ANSWER=4 2".to_owned()), "{said:?}");
    assert!(said.contains(&"env OMP_NUM_THREADS=1".to_owned()), "{said:?}");
    assert!(said.iter().any(|line| line.starts_with("env CARGO_")), "{said:?}");
    assert!(!said.iter().any(|line| line.starts_with("env RUST")), "{said:?}");
}

#[test]
fn a_target_has_three_descriptors_and_its_own_session() {
    for tier in every_tier() {
        // This caller, a separate process, leaves a descriptor open that children could inherit.
        let said = Stage::new().alone(&["call", tier.name(), "show"]);
        let said = said.split_once("head: [").unwrap().1.split_once(']').unwrap().0;
        let bytes: Vec<u8> = said.split(", ").map(|byte| byte.parse().unwrap()).collect();
        let said = String::from_utf8(bytes).unwrap();
        for line in ["descriptors 3\n", "session true\n"] {
            assert!(said.contains(line), "{tier}: {said}");
        }
    }
}

#[test]
fn no_signal_is_ignored_or_blocked() {
    let command = confine::Command::new("grep").args(["-E", "Sig(Ign|Blk)", "/proc/self/status"]);
    let said = shown(&command.guardian(MISBEHAVE));
    assert_eq!(said, ["SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000"]);
}

#[test]
fn stdin_is_closed_unless_given() {
    let finished = run(&misbehave("echo"), &wall(20_000));
    assert_eq!(finished.stdout.head, b"[0 bytes]\n");
    let stage = Stage::new();
    std::fs::write(stage.path("input"), "hello\n").unwrap();
    let finished = run(&misbehave("echo").stdin(Stdin::File(stage.path("input"))), &wall(20_000));
    assert_eq!(finished.stdout.head, b"hello\n[6 bytes]\n");
}

#[test]
fn whole_streams_go_to_files_if_requested() {
    let stage = Stage::new();
    let input: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
    std::fs::write(stage.path("input"), &input).unwrap();
    let command = misbehave("echo")
        .stdin(Stdin::File(stage.path("input")))
        .stdout_file(stage.path("out"))
        .stderr_file(stage.path("err"))
        .keep_output(10, 20);
    let finished = run(&command, &no_limits());
    let whole = std::fs::read(stage.path("out")).unwrap();
    assert_eq!(whole[..input.len()], input);
    assert_eq!(whole.len() as u64, finished.stdout.written);
    assert_eq!((finished.stdout.head.len(), finished.stdout.tail.len()), (10, 20));
    assert!(finished.stdout.file_complete);
    assert_eq!(std::fs::read(stage.path("err")).unwrap(), b"");
}

#[test]
fn output_that_is_not_text_is_kept_byte_for_byte() {
    let finished = run(&misbehave("raw"), &no_limits());
    assert_eq!(finished.stdout.head, [0xff, 0xfe, b'x', 0, b'\n']);
}

#[test]
fn arguments_reach_the_target_unchanged() {
    let nasty = ["$(reboot)", "a b", "", "*", "`id`", "\"'\\", "\n", "é"];
    let command = confine::Command::new("printf").arg("%s|").args(nasty).guardian(MISBEHAVE);
    let finished = run(&command, &no_limits());
    assert_eq!(String::from_utf8(finished.stdout.head).unwrap(), nasty.map(|a| format!("{a}|")).concat());
}

#[test]
fn many_runs_leave_nothing() {
    // The long version, with ten thousand runs, is in `bench`.
    for tier in tight_tiers() {
        let stage = Stage::new();
        let said = stage.alone(&["call-many", tier.name(), "20", "orphan"]);
        assert_eq!(said, "descriptors 0\nchildren 0\ngroups 0\n", "{tier}");
        assert_eq!(stage.left_in_tmp(), 0, "{tier}");
    }
}

#[test]
fn the_path_of_the_temporary_folder_may_contain_a_link() {
    for tier in every_tier() {
        let stage = Stage::new();
        std::os::unix::fs::symlink(".", stage.path("link")).unwrap();
        let said = stage.alone_in("link/tmp", &["call", tier.name(), "litter"]);
        assert!(said.contains("exit: Code(0)") && said.contains("left_behind: None"), "{tier}: {said}");
        assert_eq!(stage.left_in_tmp(), 0, "{tier}");
    }
}

/// Runs without root privileges, because root may write to any folder.
#[test]
fn a_folder_that_its_target_made_inaccessible_is_removed() {
    for tier in Tier::ALL {
        for mode in ["500", "300", "0"] {
            let script =
                format!("mkdir -p a/b; touch a/b/file; chmod {mode} a/b; chmod {mode} a; chmod {mode} .");
            let stage = Stage::new();
            let said = stage.alone_unprivileged(&["call", tier.name(), "/bin/sh", "-c", &script]);
            if said.contains("tier does not work here") {
                println!("skipped: {said}");
                assert!(!matches!(tier, Tier::Subreaper | Tier::Group), "{said}");
                continue;
            }
            assert!(said.contains("exit: Code(0)") && said.contains("left_behind: None"), "{tier}: {said}");
            assert_eq!(stage.left_in_tmp(), 0, "{tier}: mode {mode}");
        }
    }
}

#[test]
fn control_groups_that_a_target_creates_are_removed() {
    for tier in working(&[Tier::Cgroup]) {
        let said = Stage::new().alone(&["call-many", tier.name(), "2", "nest-group"]);
        assert!(said.ends_with("groups 0\n"), "{said}");
    }
}

#[test]
fn a_mount_in_a_private_folder_is_not_removed() {
    if !rustix::process::getuid().is_root() {
        println!("skipped: only root can mount");
        return;
    }
    for tier in tight_tiers() {
        let stage = Stage::new();
        std::fs::create_dir(stage.path("precious")).unwrap();
        std::fs::write(stage.path("precious/file"), "kept").unwrap();
        let mode = || std::fs::metadata(stage.path("precious")).unwrap().permissions().mode() & 0o7777;
        std::fs::set_permissions(stage.path("precious"), Permissions::from_mode(0o755)).unwrap();
        let command = confine::Command::new("sh")
            .args(["-c", "mkdir here && touch a z && mount --bind \"$PLACE\" here"]);
        let command = command.guardian(MISBEHAVE).env("PLACE", stage.path("precious")).tier(tier);
        let finished = run(&command, &no_limits());
        assert_eq!(finished.exit, Exit::Code(0), "{tier}");
        assert!(stage.path("precious/file").exists(), "{tier}");
        assert_eq!(mode(), 0o755, "{tier}: the mode was changed");
        if let Some(left) = finished.left_behind {
            assert_eq!(std::fs::read_dir(&left).unwrap().count(), 1, "{tier}: the rest was not removed");
            let unmounted = std::process::Command::new("umount").arg(left.join("here")).status().unwrap();
            assert!(unmounted.success());
            std::fs::remove_dir_all(left).unwrap();
        }
    }
}

#[test]
fn a_failed_start_leaves_no_folder() {
    let stage = Stage::new();
    let text = stage.path("text");
    std::fs::write(&text, "hello").unwrap();
    std::fs::set_permissions(&text, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for tier in every_tier() {
        let said = stage.alone(&["call", tier.name(), text.to_str().unwrap()]);
        assert!(said.contains("cannot be executed"), "{tier}: {said}");
        assert_eq!(stage.left_in_tmp(), 0, "{tier}");
    }
}
