//! Defers the definition of a command's arguments until the command is used.

use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

use crate::help::after_help;

/// The arguments of a command, defined only when the command is used: defining the arguments of all commands takes longer than scoring a
/// case.
///
/// Not for commands with subcommands: shells could not complete `rightcall help history …`.
#[derive(Debug)]
pub(crate) struct DeferredArguments<T>(pub(crate) T);

impl<T: Args> DeferredArguments<T> {
    /// Defines the arguments and keeps the command's description. Without this, a flattened struct's doc comment would replace it.
    fn define(command: Command) -> Command {
        let [about, long_about] = [command.get_about(), command.get_long_about()]
            .map(|text| Resettable::from(text.cloned()));
        let after = after_help(command.get_name());
        T::augment_args(command)
            .about(about)
            .long_about(long_about)
            .after_help(after)
    }
}

impl<T: Args> Args for DeferredArguments<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(Self::define)
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}

impl<T: FromArgMatches> FromArgMatches for DeferredArguments<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}
