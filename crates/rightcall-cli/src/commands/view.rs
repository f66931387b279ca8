//! `rightcall view`: the history in the browser.

use std::net::{IpAddr, SocketAddr};

use clap::Args;
use rightcall_server::{ViewError, Viewer};

use crate::arguments::HistoryArguments;
use crate::exit::Exit;
use crate::messages::{Trouble, note, warning};

#[derive(Debug, Args)]
pub(crate) struct ViewArguments {
    /// The address to answer at; another than this machine's own lets others read the history
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// The port to answer at; 0 takes any that is free
    #[arg(long, value_name = "PORT", default_value_t = 7300)]
    pub(crate) port: u16,
    #[command(flatten)]
    pub(crate) history: HistoryArguments,
}

pub(crate) fn view(arguments: &ViewArguments) -> Result<Exit, Trouble> {
    let address = SocketAddr::new(arguments.host, arguments.port);
    let viewer = Viewer::bind(&arguments.history.path, address)?;
    let address = viewer.address();
    if !address.ip().is_loopback() {
        let help = "leave --host out to answer on this machine alone";
        warning("whoever can reach this machine can read the history", Some(help));
    }
    note(&format!("http://{address}/   (Ctrl-C ends it)"));
    viewer.serve()?;
    Ok(Exit::Fine)
}

impl From<ViewError> for Trouble {
    fn from(error: ViewError) -> Self {
        match error {
            ViewError::Store(error) => error.into(),
            error @ ViewError::Listen { .. } => Self::with_help(error, "--port 0 takes any port that is free"),
            error @ ViewError::Io(_) => Self::new(error),
        }
    }
}
