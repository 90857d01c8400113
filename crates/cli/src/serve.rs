//! `captune serve`: shows campaigns live in a browser on this machine.

use std::path::PathBuf;

use ::report::serve::{Server, Token};
use anyhow::Context as _;
use campaign::folds::fold_folder;
use clap::Args;
use view::{Kept, KeptFolds};

use crate::exit_code::ExitCode;
use crate::message;

#[derive(Args, Debug)]
#[command(after_help = "\
The server answers only on this machine (127.0.0.1), only to the address that
it prints, and only reads the campaigns. From another machine:
`ssh -L 8017:127.0.0.1:8017 HOST`, with --port 8017. Ctrl-C stops it.")]
pub(crate) struct Arguments {
    /// Folders of campaigns, or their scenarios; folds are shown side by side
    #[arg(value_name = "DIR", required = true)]
    paths: Vec<PathBuf>,
    /// Port to listen on [default: any free port]
    #[arg(long, value_name = "NUMBER", default_value_t = 0, hide_default_value = true)]
    port: u16,
}

/// Answers requests until interrupted.
pub(crate) fn serve(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut campaigns = Vec::new();
    for path in &arguments.paths {
        // A mistake in the arguments should be reported here, not in the browser.
        match KeptFolds::find(path)? {
            Some(folds) => {
                campaigns.extend((1..=folds.folds.len()).map(|number| fold_folder(&folds.folder, number)));
            }
            None => campaigns.push(Kept::open(path)?.folder),
        }
    }
    let token = Token::random().context("cannot draw a random token")?;
    let server = Server::bind(arguments.port, token, campaigns)
        .with_context(|| format!("cannot listen on port {}", arguments.port))?;
    message::print(format!("{}\n", server.url()).as_bytes())?;
    message::note(
        "Open this address in a browser on this machine. Ctrl-C stops the server; campaigns go on.",
    );
    server.run().context("the server has stopped")?;
    Ok(ExitCode::Done)
}
