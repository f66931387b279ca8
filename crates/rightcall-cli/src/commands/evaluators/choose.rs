//! `rightcall evaluators --choose`: questions, and one recommendation.

use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal, Write, stdin};

use rightcall_core::value::JsonWriter;
use rightcall_core::{EVALUATORS, Entry, of_system};
use rightcall_report::cut_end;

use super::questions::{
    Answer, NextStep, PACKAGE, QUESTIONS, Question, USUAL, USUAL_SUMMARY, example_of, meaning_of,
};
use crate::arguments::ListFormat;
use crate::messages::{Trouble, give, show};

/// A recommended evaluator or package.
#[derive(Debug, PartialEq)]
pub(super) enum Recommendation {
    /// An evaluator with its settings, as `-e` takes it.
    Argument(String),
    /// The evaluators of a package.
    Package(String),
}

/// Answers by the names of their questions.
type Answers = Vec<(String, String)>;

/// Asks the questions that are not answered yet, and shows the recommendation.
pub(super) fn choose(answers: &str, format: ListFormat) -> Result<(), Trouble> {
    let answers = parse(answers)
        .map_err(|error| Trouble::with_help(format!("--choose: {error}"), every_question()))?;
    let recommendation = if stdin().is_terminal() {
        let mut errors = anstream::stderr();
        recommended(&answers, &mut |question| {
            ask(question, &mut stdin().lock(), &mut errors)
        })?
    } else {
        recommended(&answers, &mut |question| {
            let message = format!(
                "--choose: no answer to `{}`: {} ({})",
                question.name,
                question.text,
                question.choices()
            );
            let help = format!(
                "standard input is not a terminal, so write the answers: {}",
                example()
            );
            Err(Trouble::with_help(message, help))
        })?
    };
    match format {
        ListFormat::Table => show(&screen(&recommendation))?,
        ListFormat::Json => give(&to_json(&recommendation))?,
    }
    Ok(())
}

fn example() -> String {
    let answers = QUESTIONS
        .iter()
        .map(|it| format!("{}={}", it.name, it.answers[0].name));
    format!("--choose={}", answers.collect::<Vec<_>>().join(","))
}

fn every_question() -> String {
    let questions = QUESTIONS.iter();
    let questions = questions.map(|it| format!("{} ({})", it.name, it.choices()));
    format!(
        "the questions are {}",
        questions.collect::<Vec<_>>().join("; ")
    )
}

/// Reads `NAME=ANSWER,…`.
fn parse(text: &str) -> Result<Answers, String> {
    let mut answers = Answers::new();
    for part in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        let (name, answer) = part
            .split_once('=')
            .ok_or_else(|| format!("expected NAME=ANSWER, found `{part}`"))?;
        let question = QUESTIONS.iter().find(|it| it.name == name);
        let question = question.ok_or_else(|| format!("there is no question `{name}`"))?;
        read_answer(question, answer)?;
        answers.push((name.to_owned(), answer.to_owned()));
    }
    Ok(answers)
}

/// The answer with this name; `None` for the name of a package.
fn read_answer(question: &Question, answer: &str) -> Result<Option<&'static Answer>, String> {
    let known = question.answers.iter().find(|it| it.name == answer);
    if known.is_some() || question.name == PACKAGE && !of_system(answer).is_empty() {
        return Ok(known);
    }
    let (name, choices) = (question.name, question.choices());
    Err(format!("`{name}` takes {choices}; found `{answer}`"))
}

/// The recommendation for these answers. Asks for missing ones if they matter.
fn recommended(
    answers: &Answers,
    ask: &mut dyn FnMut(&Question) -> Result<String, Trouble>,
) -> Result<Recommendation, Trouble> {
    let mut argument = USUAL.to_owned();
    for question in &QUESTIONS {
        let given = answers.iter().rfind(|(name, _)| name == question.name);
        let answer = match given {
            Some((_, answer)) => answer.clone(),
            None => ask(question)?,
        };
        match read_answer(question, &answer).map_err(Trouble::new)? {
            None => return Ok(Recommendation::Package(answer)),
            Some(answer) => match answer.leads {
                NextStep::On => {}
                NextStep::Setting(setting) => _ = write!(argument, ",{setting}"),
                NextStep::Evaluator(id) => return Ok(Recommendation::Argument(id.to_owned())),
            },
        }
    }
    Ok(Recommendation::Argument(argument))
}

/// Asks until the answer is valid; an empty line chooses the first.
fn ask(
    question: &Question,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<String, Trouble> {
    writeln!(out, "{}", question.text)?;
    for answer in question.answers {
        writeln!(out, "  {:8}{}", answer.name, answer.meaning)?;
    }
    if question.name == PACKAGE {
        writeln!(out, "  {:8}{}", "NAME", packages().join(", "))?;
    }
    loop {
        write!(out, "[{}] ", question.answers[0].name)?;
        out.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Err(Trouble::new(
                "--choose: the input ended before the last answer",
            ));
        }
        let answer = match line.trim() {
            "" => question.answers[0].name,
            answer => answer,
        };
        match read_answer(question, answer) {
            Ok(_) => return Ok(answer.to_owned()),
            Err(error) => writeln!(out, "{}", cut_end(&error, 200))?,
        }
    }
}

/// The packages: the part of each id before `/`, without duplicates.
fn packages() -> Vec<&'static str> {
    let mut systems: Vec<_> = EVALUATORS.iter().filter_map(|it| it.system()).collect();
    systems.dedup();
    systems
}

fn screen(recommendation: &Recommendation) -> String {
    match recommendation {
        Recommendation::Argument(argument) => {
            let mut parts = argument.split(',');
            let id = parts.next().unwrap_or_default();
            let known = EVALUATORS.iter().find(|it| it.id == id);
            let summary = match id {
                USUAL => USUAL_SUMMARY,
                _ => known.map_or("", |it| it.summary),
            };
            let mut out = format!("{argument}\n  {summary}\n");
            for setting in parts {
                _ = writeln!(out, "  {setting}: {}", meaning_of(setting));
            }
            let next = format!("  rightcall score CASES -e {}\n", example_of(argument));
            format!("{out}\n{next}  rightcall evaluators {id}\n")
        }
        Recommendation::Package(name) => {
            let entries = of_system(name);
            let line = |entry: &&Entry| format!("{}\n  {}\n", entry.id, entry.summary);
            let mut out: String = entries.iter().map(line).collect();
            if let Some(first) = entries.first() {
                _ = writeln!(out, "\n  rightcall evaluators {}", first.id);
            }
            out
        }
    }
}

fn to_json(recommendation: &Recommendation) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_object().key("recommended");
    match recommendation {
        Recommendation::Argument(argument) => writer.strs([argument.as_str()]),
        Recommendation::Package(name) => writer.strs(of_system(name).iter().map(|it| it.id)),
    };
    writer.end_object();
    format!("{}\n", writer.finish())
}

#[cfg(test)]
mod tests {
    use rightcall_run::{Configured, EvaluatorArgument};

    use super::*;

    fn of(answers: &str) -> Result<Recommendation, Trouble> {
        let answers = parse(answers).map_err(Trouble::new)?;
        recommended(&answers, &mut |it| Err(Trouble::new(it.name)))
    }

    #[track_caller]
    fn check(answers: &str, wanted: &str) {
        let wanted = Recommendation::Argument(wanted.to_owned());
        assert_eq!(of(answers).unwrap(), wanted);
    }

    #[test]
    fn answers_select_one_recommendation() {
        check(
            "package=no,expected=yes,ways=one,order=no,args=all",
            "trajectory",
        );
        check(
            "package=no,expected=yes,ways=one,order=yes,args=some",
            "trajectory,align=lcs,match.args=subset",
        );
        check("package=no,expected=no", "constraints");
        check("package=no,expected=yes,ways=several", "fitness");
        let package = Recommendation::Package("ragas".to_owned());
        assert_eq!(of("package=ragas").unwrap(), package);
    }

    #[test]
    fn every_recommendation_is_a_valid_evaluator() {
        let mut all = vec![Vec::new()];
        for question in &QUESTIONS {
            all = all
                .iter()
                .flat_map(|before: &Vec<String>| {
                    question.answers.iter().map(|answer| {
                        let mut answers = before.clone();
                        answers.push(format!("{}={}", question.name, answer.name));
                        answers
                    })
                })
                .collect();
        }
        assert!(all.len() >= 24, "{}", all.len());
        for answers in all {
            let Ok(Recommendation::Argument(argument)) = of(&answers.join(",")) else {
                panic!("{answers:?}");
            };
            let read = EvaluatorArgument::parse(&argument).unwrap();
            assert!(Configured::new(read, None).is_ok(), "{argument}");
        }
    }

    #[test]
    fn wrong_and_missing_answers_are_errors() {
        for wrong in ["order", "colour=red", "order=maybe", "package=nobody"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(of("package=no").is_err());
    }

    #[test]
    fn invalid_answer_at_a_terminal_is_asked_again() {
        let mut out = Vec::new();
        let answer = ask(&QUESTIONS[3], &mut "maybe\nyes\n".as_bytes(), &mut out);
        assert_eq!(answer.unwrap(), "yes");
        assert!(String::from_utf8(out).unwrap().contains("found `maybe`"));
        let usual = ask(&QUESTIONS[3], &mut "\n".as_bytes(), &mut Vec::new());
        assert_eq!(usual.unwrap(), "no");
        assert!(ask(&QUESTIONS[3], &mut "".as_bytes(), &mut Vec::new()).is_err());
    }

    #[test]
    fn readme_and_page_ask_the_same_questions() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let read = |path: &str| std::fs::read_to_string(format!("{root}/{path}")).unwrap();
        let (readme, page) = (read("README.md"), read("docs/choosing.md"));
        let mut rows = String::new();
        for (number, question) in (1..).zip(&QUESTIONS) {
            assert!(
                readme.contains(&format!("{number}. *{}*", question.text)),
                "{}",
                question.text
            );
            for answer in question.answers {
                let leads = match answer.leads {
                    NextStep::On => "–".to_owned(),
                    NextStep::Setting(setting) => format!("`{USUAL}` with `{setting}`"),
                    NextStep::Evaluator(id) => format!("`{id}`"),
                };
                let (name, text) = (question.name, question.text);
                let answer = format!("`{name}={}`: {}", answer.name, answer.meaning);
                _ = writeln!(rows, "| {text} | {answer} | {leads} |");
            }
        }
        assert!(
            page.contains(&rows),
            "docs/choosing.md lacks these rows:\n{rows}"
        );
    }
}
