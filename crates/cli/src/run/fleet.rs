//! A campaign whose trials run on workers that join, usually on other machines.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use campaign::Sink;
use campaign::conduct::{ConductError, Opened, Outcome, Workplace};
use campaign::event::Stop;
use clap::Args;
use confine::quantity::parse_duration;
use fleet::coordinator::{Coordinator, Stock, Terms};
use fleet::invitation::{self, Invitation};
use fleet::nats::{Address, Login, Trust, read_logins};
use fleet::server::{self, Server, Wanted};

use super::stopping::Stopping;
use crate::message::{self, Hinted};
use crate::trouble::explained;

/// Time without a heartbeat after which a worker's trials are lost.
const LEASE: Duration = Duration::from_secs(15);
/// Time between two heartbeats of a worker, if there are few workers.
const BEAT: f64 = 1.0;
/// Variable with the URL of a server, whose password should not be visible to other users.
const URL: &str = "CAPTUNE_NATS";

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct FleetArguments {
    /// Run the trials on the workers that join, not on this machine (`captune worker DIR` starts one)
    #[arg(long)]
    pub(crate) fleet: bool,
    /// Address on which workers reach this machine [default: all addresses if connections can be encrypted,
    /// else 127.0.0.1]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<IpAddr>,
    /// The program nats-server, or the URL of a running one [default: $CAPTUNE_NATS, or the program beside
    /// captune or in PATH]
    #[arg(long, value_name = "PATH|URL")]
    pub(crate) nats: Option<String>,
    /// Certificates of the authorities that a server with a tls:// URL may have [default: those of the system]
    #[arg(long, value_name = "FILE")]
    pub(crate) nats_ca: Option<PathBuf>,
    /// File with the login for a server with a URL, as JSON: `user` and `password`, `token`, or `nkey`
    #[arg(long, value_name = "FILE")]
    pub(crate) nats_login: Option<PathBuf>,
    /// Time without a heartbeat after which the trials of a worker are lost [default: 15s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) lease: Option<Duration>,
}

/// Address to listen on if the user gives none. Without encryption, other machines must not connect.
const LISTEN: Ipv4Addr = if cfg!(feature = "tls") { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };

/// How coordinator and workers reach each other.
struct Site {
    own: Address,
    invitation: Invitation,
    /// The server, if this process started it.
    _server: Option<Server>,
}

impl FleetArguments {
    /// Returns an error if there are options for a fleet, but no fleet.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let Self { fleet, listen, nats, nats_ca, nats_login, lease } = self;
        let of_server = nats.is_some() || nats_ca.is_some() || nats_login.is_some();
        if *fleet || !(of_server || listen.is_some() || lease.is_some()) {
            return Ok(());
        }
        Err(Hinted {
            message: "--listen, --lease and --nats... are options for a fleet".to_owned(),
            hint: "add --fleet, or leave them out".to_owned(),
        }
        .into())
    }

    /// Returns an error if the trials are to run on workers that join.
    pub(super) fn refuse_folds(&self) -> anyhow::Result<()> {
        if self.fleet {
            return Err(Hinted {
                message: "a run with folds is several campaigns, which cannot share workers".to_owned(),
                hint: "use `instances.test = \"25%\"` with --fleet, or leave --fleet out".to_owned(),
            }
            .into());
        }
        Ok(())
    }

    /// Runs a campaign on the workers that join.
    pub(super) fn run(&self, opened: Opened, stopping: &Stopping, sink: Sink<'_>) -> anyhow::Result<Outcome> {
        let folder = opened.folder.clone();
        let text = opened.scenario_text().map_err(explained)?;
        let scenario = invitation::digest(&text, &opened.scenario)?;
        let mut site = self.site(&folder, &opened.scenario.folder)?;
        site.invitation.publish(&folder, &text)?;
        let lease = self.lease.unwrap_or(LEASE).as_secs_f64();
        let (campaign, own) = (site.invitation.campaign.clone(), site.own.clone());
        let mut coordinator = None;
        let make = |place: Workplace| {
            let Workplace { target, instances, before, workers, leases, bell } = place;
            let terms = Terms {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                scenario,
                instances,
                lease,
                beat: BEAT.min(lease / 5.0),
                first_lease: first_lease(),
            };
            let stock = Stock { before, workers, leases };
            let addresses = Box::new(move || vec![own.clone()]);
            let started =
                Coordinator::start(campaign, terms, stock, target, addresses, bell.clone(), trouble());
            let (started, fleet) = started.map_err(ConductError::Worker)?;
            coordinator = Some(started);
            stopping.register(bell);
            Ok(fleet)
        };
        let outcome = opened.run_on(make, sink).map_err(explained)?;
        if matches!(outcome.stop, Stop::Budget(_) | Stop::Exhausted) && !stopping.is_interrupted() {
            if let Some(coordinator) = &coordinator {
                coordinator.dismiss_workers();
            }
            site.invitation.is_over = true;
            site.invitation.publish(&folder, &text)?;
        }
        Ok(outcome)
    }

    /// Starts a server, or uses the one that the user names.
    fn site(&self, folder: &Path, scenario: &Path) -> anyhow::Result<Site> {
        let known = Invitation::read(&Invitation::path(folder))?;
        let campaign = known.as_ref().map_or_else(invitation::new_name, |known| Ok(known.campaign.clone()));
        let campaign = campaign.context("cannot get random numbers from the kernel")?;
        let given = self.nats.clone().or_else(|| std::env::var(URL).ok());
        let url = given.as_deref().filter(|given| given.contains("://"));
        let (own, addresses, server) = match url {
            Some(url) => {
                let (own, workers) = self.existing(url)?;
                (own, vec![workers], None)
            }
            None => {
                self.refuse_options_of_urls()?;
                let program = server::find(given.as_deref().map(Path::new))?;
                let known = known.as_ref().and_then(|known| {
                    let Address { place, login, .. } = known.addresses.first()?;
                    let port = place.rsplit(':').next()?.parse().ok()?;
                    let Some(Login::Password(_, password)) = login else { return None };
                    Some((port, password.clone()))
                });
                let files = std::path::absolute(invitation::folder(folder))?;
                let wanted = Wanted {
                    program: &program,
                    folder: &files,
                    host: self.listen.unwrap_or(LISTEN.into()),
                    known,
                    campaign: &campaign,
                };
                let server = Server::start(&wanted, |why| message::say(&format!("error: {why}")))?;
                (server.for_coordinator.clone(), server.for_workers.clone(), Some(server))
            }
        };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let folder = std::path::absolute(scenario)?;
        let invitation = Invitation { version, campaign, folder, addresses, is_over: false };
        Ok(Site { own, invitation, _server: server })
    }

    /// Returns how coordinator and workers reach a server that is already running.
    fn existing(&self, url: &str) -> anyhow::Result<(Address, Address)> {
        let hint = "for example tls://nats.example.org:4222";
        let mut own = Address::of_url(url).map_err(|error| hinted(error.to_string(), hint))?;
        if let Some(path) = &self.nats_ca {
            if own.trust.is_none() {
                let message = "--nats-ca is for encrypted connections, but the URL begins with nats://";
                return Err(hinted(message.to_owned(), "write tls:// instead, or leave --nats-ca out"));
            }
            let text = std::fs::read_to_string(path);
            own.trust =
                Some(Trust::Authorities(text.with_context(|| format!("cannot read {}", path.display()))?));
        }
        if own.trust.is_none() && !own.is_local() {
            let host = own.host();
            message::say(&format!(
                "warning: the connection to {host} is not encrypted; a URL with tls:// is"
            ));
        }
        let mut worker = own.clone();
        if let Some(path) = &self.nats_login {
            if own.login.is_some() {
                let message = "the URL has a login, and so has --nats-login";
                return Err(hinted(message.to_owned(), "leave one of them out"));
            }
            let logins = read_logins(path)?;
            (own.login, worker.login) = (Some(logins.coordinator), Some(logins.worker));
        }
        Ok((own, worker))
    }

    fn refuse_options_of_urls(&self) -> anyhow::Result<()> {
        if self.nats_ca.is_none() && self.nats_login.is_none() {
            return Ok(());
        }
        let message = "--nats-ca and --nats-login are for a server that is already running";
        Err(hinted(message.to_owned(), "add --nats URL, or leave them out"))
    }
}

fn hinted(message: String, hint: &str) -> anyhow::Error {
    Hinted { message, hint: hint.to_owned() }.into()
}

/// Returns a function that prints when the connection to the server breaks, and when it is back.
fn trouble() -> impl FnMut(Result<(), String>) + Send + 'static {
    let mut broken: Option<String> = None;
    let mut was_connected = false;
    move |connection| match connection {
        Ok(()) => {
            if broken.take().is_some() && was_connected {
                message::say("connected to the NATS server again");
            }
            was_connected = true;
        }
        // The server needs a moment to start.
        Err(_) if !was_connected && broken.is_none() => broken = Some(String::new()),
        Err(why) => {
            if broken.as_ref() != Some(&why) {
                message::say(&format!("warning: no connection to the NATS server: {why}"));
                broken = Some(why);
            }
        }
    }
}

/// Returns a number from which the leases of this session are counted. Sessions start at different times, so
/// their leases have different numbers.
fn first_lease() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    (now.as_millis() as u64) << 20
}
