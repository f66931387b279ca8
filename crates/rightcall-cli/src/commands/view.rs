//! `rightcall view`: the history in the browser.

use std::net::SocketAddr;

use rightcall_server::{ViewError, Viewer};

use crate::arguments::ViewArguments;
use crate::exit::Exit;
use crate::messages::{Trouble, note, warning};

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
