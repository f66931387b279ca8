//! `rightcall view`: the history in the browser.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use clap::Args;
use rightcall_server::{ViewError, Viewer};

use crate::arguments::{HistoryArguments, parse_number};
use crate::exit::Exit;
use crate::messages::{Trouble, note, warning};

#[derive(Debug, Args)]
pub(crate) struct ViewArguments {
    /// The address to listen on, or localhost; with another address, other machines can read the history
    #[arg(long, value_name = "ADDRESS", value_parser = parse_host, default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// The port to listen on; 0 takes a free one
    #[arg(long, value_name = "PORT", value_parser = parse_port, default_value_t = 7300)]
    pub(crate) port: u16,
    /// Accept new expectations on the page of a case; only files below the folder of a suite are changed
    #[arg(long)]
    pub(crate) edit: bool,
    #[command(flatten)]
    pub(crate) history: HistoryArguments,
}

pub(crate) fn view(arguments: &ViewArguments) -> Result<Exit, Trouble> {
    let address = SocketAddr::new(arguments.host, arguments.port);
    if arguments.edit && !arguments.host.to_canonical().is_loopback() {
        return Err(Trouble::with_help(
            "--edit lets everyone who can reach the viewer change files",
            "leave --host out, so that only this machine can",
        ));
    }
    let mut viewer =
        Viewer::bind(&arguments.history.file(), address)?.naming_history(arguments.history.words());
    if arguments.edit {
        viewer = viewer.editable();
    }
    let address = viewer.address();
    if !viewer.is_private() {
        let help = "leave --host out to listen on this machine only";
        warning(
            "anyone who can reach this machine can read the history",
            Some(help),
        );
    }
    note(&format!("http://{address}/   (Ctrl-C ends it)"));
    viewer.serve()?;
    Ok(Exit::Success)
}

fn parse_port(text: &str) -> Result<u16, String> {
    parse_number(text, &(0..=u16::MAX))
}

fn parse_host(text: &str) -> Result<IpAddr, String> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    let address = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
        .unwrap_or(text);
    address
        .parse()
        .map_err(|_| "write an address, such as 127.0.0.1 or ::1, or localhost".to_owned())
}

impl From<ViewError> for Trouble {
    fn from(error: ViewError) -> Self {
        match error {
            ViewError::Store(error) => error.into(),
            error @ ViewError::Listen { .. } => {
                Self::with_help(error, "--port 0 takes any port that is free")
            }
            error @ ViewError::Io(_) => Self::new(error),
        }
    }
}
