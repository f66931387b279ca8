//! Five questions that choose an evaluator. The README and `docs/choosing.md` show this table; a test compares them.

/// A question.
#[derive(Debug)]
pub(super) struct Question {
    /// Its name in `--choose=NAME=ANSWER`.
    pub(super) name: &'static str,
    pub(super) text: &'static str,
    /// The answers. At a terminal, an empty line chooses the first.
    pub(super) answers: &'static [Answer],
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) name: &'static str,
    pub(super) meaning: &'static str,
    pub(super) leads: NextStep<'static>,
}

/// The next step after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextStep<'a> {
    /// To the next question.
    On,
    /// To the next question, with a setting of `trajectory`.
    Setting(&'a str),
    /// To this evaluator, without further questions.
    Evaluator(&'a str),
}

/// The recommendation if no answer leads to another evaluator.
pub(super) const USUAL: &str = "trajectory";

/// Its summary without settings.
pub(super) const USUAL_SUMMARY: &str =
    "The best pairing of expected and actual calls, names and arguments equal, scored by F1.";

/// The question that accepts the name of a package as an answer.
pub(super) const PACKAGE: &str = "package";

/// The questions, in order.
pub(super) const QUESTIONS: [Question; 5] = [
    Question {
        name: PACKAGE,
        text: "Do you need the numbers of another package?",
        answers: &[Answer {
            name: "no",
            meaning: "any metric that fits",
            leads: NextStep::On,
        }],
    },
    Question {
        name: "expected",
        text: "Do your cases say which calls are right?",
        answers: &[
            Answer {
                name: "yes",
                meaning: "each case lists them, or good runs show them",
                leads: NextStep::On,
            },
            Answer {
                name: "no",
                meaning: "there are only rules, such as \"never delete\" or \"verify before refund\"",
                leads: NextStep::Evaluator("constraints"),
            },
        ],
    },
    Question {
        name: "ways",
        text: "Is there more than one right way?",
        answers: &[
            Answer {
                name: "one",
                meaning: "one list of calls",
                leads: NextStep::On,
            },
            Answer {
                name: "several",
                meaning: "options, alternatives, repeats, steps in any order",
                leads: NextStep::Evaluator("fitness"),
            },
        ],
    },
    Question {
        name: "order",
        text: "Does the order of the calls count?",
        answers: &[
            Answer {
                name: "no",
                meaning: "the same calls in any order",
                leads: NextStep::On,
            },
            Answer {
                name: "yes",
                meaning: "a call in another place counts as missed and extra",
                leads: NextStep::Setting("align=lcs"),
            },
        ],
    },
    Question {
        name: "args",
        text: "Which arguments count?",
        answers: &[
            Answer {
                name: "all",
                meaning: "the same arguments and no others",
                leads: NextStep::On,
            },
            Answer {
                name: "some",
                meaning: "the arguments that the case states; others are ignored",
                leads: NextStep::Setting("match.args=subset"),
            },
            Answer {
                name: "none",
                meaning: "the names of the tools alone",
                leads: NextStep::Setting("match.args=ignore"),
            },
        ],
    },
];

/// An argument of `-e` that shows how rules are written: without a rule, `constraints` checks nothing.
const RULES: &str = "'constraints,order=verify before refund'";

/// The argument of `-e` for an evaluator, with an example of the settings that it needs.
pub(super) fn example_of(argument: &str) -> &str {
    if argument == "constraints" {
        RULES
    } else {
        argument
    }
}

/// The meaning of a setting of `trajectory`, from the answer that leads to it.
pub(super) fn meaning_of(setting: &str) -> &'static str {
    let answers = QUESTIONS.iter().flat_map(|it| it.answers);
    let mut leading = answers.filter(|it| it.leads == NextStep::Setting(setting));
    leading.next().map_or("", |it| it.meaning)
}

impl Question {
    /// The answers as a list of words: `yes or no`.
    pub(super) fn choices(&self) -> String {
        let names: Vec<_> = self.answers.iter().map(|it| it.name).collect();
        let names = names.join(", ");
        if self.name == PACKAGE {
            format!("{names}, or a package such as deepeval")
        } else {
            names
        }
    }
}
