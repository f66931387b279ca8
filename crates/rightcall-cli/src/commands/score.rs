//! `rightcall score`: case files, evaluators named on the command line, no gates.

use rightcall_report::{count, score_screen};
use rightcall_run::{Configured, EvaluatorArgument, Redaction};

use crate::arguments::ScoreArguments;
use crate::exit::Exit;
use crate::messages::Trouble;
use crate::scoring::{Task, score as score_task};

pub(crate) fn score(arguments: ScoreArguments) -> Result<Exit, Trouble> {
    let common = arguments.common;
    let configured = |text: &String| -> Result<Configured, Trouble> {
        let asked = EvaluatorArgument::parse(text)?;
        Ok(Configured::new(asked, common.edition)?)
    };
    let evaluators = arguments.evaluators.iter().map(configured).collect::<Result<_, _>>()?;
    let subject = match &arguments.files[..] {
        [file] if file.as_os_str() == "-" => "standard input".to_owned(),
        [file] => file.display().to_string(),
        files => count(files.len() as u64, "file"),
    };
    let task = Task {
        suite: None,
        subject,
        inputs: arguments.files,
        traces: arguments.traces,
        evaluators,
        gates: Vec::new(),
        baseline: None,
        redaction: Redaction::default(),
        accept: None,
        expected: Vec::new(),
        case_rule: None,
        trial_group: None,
        selection: common.selection(),
        records: Vec::new(),
        earlier: Vec::new(),
        recording: None,
        draw: score_screen,
    };
    score_task(task, &common)
}
