//! Proposals from texts in the formats of real programs. The options are invented.

use math::Rng;
use space::discover::{DiscoverError, Source, discover};
use space::format::{Format, read};

const MINISAT: &str = "\
USAGE: spinner [options] <file>

CORE OPTIONS:

  -warm, -no-warm                         (default: on)
  -cold, -no-cold                         (default: off)

  -fade         = <double> (   0 ..    1) (default: 0.95)
  -stretch      = <double> (   1 ..  inf) (default: 2)

        How much longer each round is

  -share        = <double> [   0 ..    1] (default: 0)
  -first        = <int32>  [   1 .. imax] (default: 100)
  -rooms        = <int32>  [imin .. imax] (default: 0)
  -verb         = <int32>  [   0 ..    2] (default: 1)
  -dimacs       = <string>

  --help        Print help message.
";

const CADICAL: &str = "\
usage: spinner [ <option> ... ]

  -q             be quiet
  --strict       strict parsing

  --sweep=bool               sweep the floor [true]
  --sweepint=1..2e9          sweeping interval [2e3]
  --sweeprooms=-1..2e6       rooms to sweep [0]
  --mode=0..2                mode (1=slow, 2=fast) [1]
  --checksweep=bool          check the floor [false]
";

const HIGHS: &str = "\
# Broom: \"soft\", \"hard\" or \"none\"
# [type: string, advanced: false, default: \"soft\"]
broom = soft

# Solver: \"simplex\" or \"hipo\"
# [type: string, advanced: false, default: \"simplex\"]
sweep_solver = simplex

# Name of the room
# [type: string, advanced: false, default: \"\"]
room_name = \"\"

# Time limit (seconds)
# [type: double, advanced: false, range: [0, inf], default: inf]
time_limit = inf

# Force
# [type: double, advanced: true, range: [1e-10, inf], default: 1e-07]
force = 1e-07

# Whether to rest
# [type: bool, advanced: false, range: {false, true}, default: true]
rest = false

# Rounds
# [type: integer, advanced: false, range: {0, 4}, default: 1]
rounds = 1
";

const SCIP: &str = "\
# SCIP version 0.0

# kind of broom ('s'oft, 'h'ard)
# [type: char, advanced: TRUE, range: {sh}, default: s]
sweeping/broom = h

# should corners be swept?
# [type: bool, advanced: FALSE, range: {TRUE,FALSE}, default: FALSE]
sweeping/corners = FALSE

# rounds
# [type: int, advanced: FALSE, range: [-1,2147483647], default: 10]
sweeping/rounds = 10

# reach
# [type: real, advanced: TRUE, range: [0,1.79769313486232e+308], default: 1e+20]
sweeping/reach = 1e+20

# maximal time
# [type: real, advanced: FALSE, range: [0,1e+20], default: 1e+20]
limits/time = 1e+20
";

const GCC: &str = "\
The following options control optimizations:
  -O<number>                  \t\t
  -fsweep-floors              \t\t[enabled]
  -fsweep-roofs               \t\t[disabled]
  -fsweep-walls               \t\t
  -fassociative-math          \t\t[disabled]
  -fbroom=[soft|hard]         \t\tsoft
  -fbroom-model=[a|b]         \t\t[default]
  -gsweep-view                \t\t[disabled]
  -fdust                      \t\t[enabled]
  -fdust=<number>             \t\t
The following options control parameters:
  --param=sweep-rounds=<1,65536> \t\t100
  --param=sweep-depth=        \t\t30
  --param=sweep-style=[slow|fast] \tfast
  --param=asan-sweep=<0,1>    \t\t1
  --param=sweep-choice=       \t\t-1
";

const JAVA: &str = "\
[Global flags]
     bool UseSerialGC                     = false                            {product} {default}
     bool UseG1GC                         = true                             {product} {ergonomic}
    uintx SweepRatio                      = 70                            {manageable} {default}
   size_t SweepSize                       = 65536                            {product} {default}
     bool SweepCorners                    := true                        {C2 product} {command line}
     bool PrintSweep                      = false                            {product} {default}
    ccstr SweepFile                       =                                  {product} {default}
     intx SweepPriority                   = -1                               {product} {default}
   size_t SweepChunk                      = 0                                {product} {default}
   double SweepForce                      = 0.500000                         {product} {default}
[Global flags ranges]
    uintx SweepRatio                      [ 0              ...          100 ]   {manageable} {default}
";

const POSTGRES: &str = "\
name,setting,unit,category,short_desc,context,vartype,min_val,max_val,enumvals
sweep_mem,4096,kB,Resource Usage / Memory,\"Memory, \"\"per room\"\"\",user,integer,64,2147483647,
sweep_cost,0.5,,Query Tuning / Planner,How dear it is,user,real,0,1e+308,
sweep,on,,Autovacuum,Whether to,sighup,bool,,,
broom,soft,,Query Tuning / Other,Which,user,enum,,,\"{soft,hard,\"\"very hard\"\"}\"
synchronous_commit,on,,Write-Ahead Log / Settings,When it is safe,user,enum,,,\"{on,off}\"
fsync,on,,Write-Ahead Log / Settings,Really,sighup,bool,,,
floor_size,8192,,Preset Options,Fixed,internal,integer,8192,8192,
max_stack_depth,100,kB,Resource Usage / Memory,How deep,superuser,integer,100,2147483647,
log_sweep,off,,Reporting and Logging / What to Log,Talk,user,bool,,,
";

const ALL: [(Source, &str); 7] = [
    (Source::Minisat, MINISAT),
    (Source::Cadical, CADICAL),
    (Source::Highs, HIGHS),
    (Source::Scip, SCIP),
    (Source::Gcc, GCC),
    (Source::Java, JAVA),
    (Source::Postgres, POSTGRES),
];

fn proposed(text: &str) -> String {
    discover(text, None).expect("the text is from a known program").to_toml()
}

#[test]
fn every_text_is_recognised_and_its_proposal_is_a_valid_space() {
    for (source, text) in ALL {
        assert_eq!(Source::guess(text), Some(source));
        let proposal = discover(text, None).unwrap();
        let space = read(&proposal.to_toml(), "proposal.toml", Format::Toml).unwrap();
        assert_eq!(space, proposal.space, "{source}");
        let mut rng = Rng::new(1, "proposal", 0);
        for _ in 0..200 {
            assert!(space.check(space.sample(&mut rng).unwrap().codes()).is_ok());
        }
        let reviewed =
            space.parameters().iter().filter(|p| p.note().is_some_and(|n| n.starts_with("review: ")));
        assert_eq!(reviewed.count(), proposal.to_review, "{source}");
    }
}

#[test]
fn minisat() {
    insta::assert_snapshot!(proposed(MINISAT));
}

#[test]
fn cadical() {
    insta::assert_snapshot!(proposed(CADICAL));
}

#[test]
fn highs() {
    insta::assert_snapshot!(proposed(HIGHS));
}

#[test]
fn scip() {
    insta::assert_snapshot!(proposed(SCIP));
}

#[test]
fn gcc() {
    insta::assert_snapshot!(proposed(GCC));
}

#[test]
fn java() {
    insta::assert_snapshot!(proposed(JAVA));
}

#[test]
fn postgres() {
    insta::assert_snapshot!(proposed(POSTGRES));
}

#[test]
fn other_texts_are_rejected() {
    for text in ["", "Usage: sweep [--all]\n  --all   everything\n", "{\"a\": 1}", "a = { integer = [1, 2] }"]
    {
        assert_eq!(discover(text, None).unwrap_err(), DiscoverError::Unrecognised, "{text}");
        for source in Source::ALL {
            assert_eq!(discover(text, Some(source)).unwrap_err(), DiscoverError::Nothing(source), "{text}");
        }
    }
    let output = "  -verb         = <int32>  [   0 ..    2] (default: 1)\n";
    assert_eq!(discover(output, None).unwrap_err(), DiscoverError::NothingToTune(Source::Minisat, 1));
}

#[test]
fn a_program_may_list_an_option_twice() {
    for (source, text) in ALL {
        // A repeated table would have a second header.
        let twice = if source == Source::Postgres { text.to_owned() } else { text.repeat(2) };
        assert_eq!(proposed(&twice), proposed(text), "{source}");
    }
}

/// A text that is truncated or overwritten at any position leads to a proposal or an error, never to a panic.
#[test]
fn damaged_texts_are_handled() {
    let mut rng = Rng::new(1, "broken", 0);
    let pieces =
        ["..", "[", "]", "=", "\"", ",", "1e999", "-1", "{", "}", "é", "\t", "\n", "<", "inf", "nan", " "];
    for (source, text) in ALL {
        for _ in 0..300 {
            let mut broken: Vec<char> = text.chars().collect();
            for _ in 0..1 + rng.below(6) {
                let at = rng.below(broken.len());
                match rng.below(3) {
                    0 => drop(broken.drain(at..(at + 1 + rng.below(8)).min(broken.len()))),
                    _ => drop(broken.splice(at..=at, pieces[rng.below(pieces.len())].chars())),
                }
            }
            let broken: String = broken.into_iter().collect();
            match discover(&broken, Some(source)) {
                Ok(proposal) => {
                    let text = proposal.to_toml();
                    let space =
                        read(&text, "proposal.toml", Format::Toml).unwrap_or_else(|e| panic!("{e}{text}"));
                    assert_eq!(space, proposal.space);
                }
                Err(DiscoverError::Invalid(why)) => panic!("{why}\n{broken}"),
                Err(_) => {}
            }
        }
    }
}
