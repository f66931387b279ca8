//! Calls from messages: who reads a message says what it holds, and the rules that all message formats share apply here.

use std::collections::HashMap;

use rightcall::value::Text;

use super::open_calls::OpenCalls;
use super::{Keep, LeftOut, OtherActors, Run, Trace, TraceCall, wrappers};
use crate::format::Scope;

/// A run that is being read.
#[derive(Debug)]
pub(crate) struct Conversation {
    trace: Trace,
    scope: Scope,
    open: OpenCalls<'static>,
    /// The calls that the numbers of `open` stand for; none for a wrapper.
    targets: Vec<Option<usize>>,
    /// The group of each call.
    groups: Vec<u64>,
    messages: u64,
    group: u64,
    /// The next call begins a group.
    is_fresh: bool,
}

/// A result, and the call that it says it answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallResult {
    pub(crate) id: Option<Text<'static>>,
    pub(crate) name: Option<Text<'static>>,
    /// As JSON text.
    pub(crate) output: Option<String>,
    /// As JSON text.
    pub(crate) error: Option<String>,
}

impl Conversation {
    pub(crate) fn new(scope: Scope) -> Self {
        Self {
            trace: Trace::default(),
            scope,
            open: OpenCalls::default(),
            targets: Vec::new(),
            groups: Vec::new(),
            messages: 0,
            group: 0,
            is_fresh: true,
        }
    }

    /// What is known of the run beside its calls.
    pub(crate) fn trace(&mut self) -> &mut Trace {
        &mut self.trace
    }

    /// A message begins; its calls are one turn, and one group.
    pub(crate) fn message(&mut self) {
        self.messages += 1;
        self.is_fresh = true;
    }

    /// What follows was not asked for together with what came before.
    pub(crate) fn interrupt(&mut self) {
        self.is_fresh = true;
    }

    /// A call follows that stands beside messages, not in one; with its neighbours it is a message of its own.
    pub(crate) fn item(&mut self) {
        if self.is_fresh {
            self.messages += 1;
        }
    }

    /// A call. Gives its place in the run, `None` for one that is left out or expanded.
    pub(crate) fn call(&mut self, call: TraceCall) -> Option<usize> {
        let dropped = match (&call.actor, call.run) {
            (Some(_), _) if self.scope.choices.other_actors != OtherActors::Keep => Some(LeftOut::OtherActor),
            (_, Run::ByProvider) if self.scope.choices.provider == Keep::Drop => Some(LeftOut::ProviderExecuted),
            _ => None,
        };
        if std::mem::take(&mut self.is_fresh) {
            self.group += 1;
            self.open.begin_group();
        }
        self.open.open(call.id.as_ref(), &call.name);
        if let Some(reason) = dropped {
            self.trace.report.drop(reason);
            self.targets.push(None);
            return None;
        }
        let inner =
            if self.scope.choices.wrappers == Keep::Drop { wrappers::expanded(&call, self.scope.max_depth) } else { None };
        let Some(calls) = inner else {
            self.targets.push(Some(self.trace.calls.len()));
            return Some(self.add(call));
        };
        self.targets.push(None);
        self.trace.report.note(format!("the result of `{}` stands for several calls and is given to none", call.name));
        calls.into_iter().for_each(|call| _ = self.add(call));
        None
    }

    fn add(&mut self, mut call: TraceCall) -> usize {
        call.turn = call.turn.or(Some(self.messages.saturating_sub(1)));
        self.groups.push(self.group);
        self.trace.calls.push(call);
        self.trace.calls.len() - 1
    }

    /// A result; one that answers no open call is counted as an orphan. Gives the place of the call that it was given to.
    pub(crate) fn result(&mut self, result: CallResult) -> Option<usize> {
        let Some(number) = self.open.answer(result.id.as_ref(), result.name.as_ref()) else {
            self.trace.report.orphans += 1;
            return None;
        };
        let index = self.targets[number]?;
        let call = &mut self.trace.calls[index];
        call.output = result.output;
        call.error = result.error;
        Some(index)
    }

    /// The run, with its parallel groups named.
    pub(crate) fn finish(mut self) -> Trace {
        let mut sizes: HashMap<u64, usize> = HashMap::new();
        for group in &self.groups {
            *sizes.entry(*group).or_default() += 1;
        }
        for (call, group) in self.trace.calls.iter_mut().zip(&self.groups) {
            if call.group.is_none() && sizes[group] > 1 {
                call.group = Some(Text::from(format!("group-{group}")));
            }
        }
        self.trace
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Choices, TraceArguments};
    use super::*;

    fn call(id: &'static str, name: &'static str) -> TraceCall {
        TraceCall { id: Some(Text::new(id)), name: Text::new(name), ..TraceCall::default() }
    }

    fn result(id: &'static str, output: &str) -> CallResult {
        CallResult { id: Some(Text::new(id)), output: Some(output.to_owned()), ..CallResult::default() }
    }

    fn conversation(choices: Choices) -> Conversation {
        Conversation::new(Scope { choices, ..Scope::default() })
    }

    #[test]
    fn calls_of_one_message_are_a_turn_and_a_group() {
        let mut run = conversation(Choices::default());
        run.message();
        run.call(call("a", "find"));
        run.call(call("b", "look"));
        run.message();
        run.result(result("b", "2"));
        run.message();
        run.call(call("a", "find"));
        run.result(result("a", "1"));
        run.result(result("x", "3"));
        let trace = run.finish();
        assert_eq!(trace.calls.iter().map(|call| call.turn).collect::<Vec<_>>(), [Some(0), Some(0), Some(2)]);
        assert_eq!(trace.calls.iter().map(|call| call.group.is_some()).collect::<Vec<_>>(), [true, true, false]);
        assert_eq!(trace.calls.iter().map(|call| call.output.as_deref()).collect::<Vec<_>>(), [Some("1"), Some("2"), None]);
        assert_eq!(trace.report.orphans, 1);
    }

    #[test]
    fn what_is_left_out_is_counted_and_its_result_is_no_orphan() {
        let choices = Choices { provider: Keep::Drop, ..Choices::default() };
        let mut run = conversation(choices);
        run.message();
        run.call(TraceCall { run: Run::ByProvider, ..call("a", "web_search") });
        run.call(TraceCall { actor: Some(Text::new("user")), ..call("b", "reboot") });
        run.result(result("a", "1"));
        run.result(result("b", "2"));
        let trace = run.finish();
        assert!(trace.calls.is_empty());
        assert_eq!(trace.report.orphans, 0);
        assert_eq!(trace.report.dropped().collect::<Vec<_>>(), [(LeftOut::ProviderExecuted, 1), (LeftOut::OtherActor, 1)]);
    }

    #[test]
    fn a_wrapper_becomes_its_calls_unless_it_is_to_be_kept() {
        let wrapper = || TraceCall {
            arguments: TraceArguments::Json(r#"{"tool_uses":[{"recipient_name":"functions.a"},{"recipient_name":"b"}]}"#.into()),
            ..call("w", "parallel")
        };
        let mut run = conversation(Choices::default());
        run.message();
        run.call(wrapper());
        run.result(result("w", "[1,2]"));
        let trace = run.finish();
        assert_eq!(trace.calls.iter().map(|call| call.name.to_string()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((trace.report.orphans, trace.calls[0].output.as_deref()), (0, None));

        let mut run = conversation(Choices { wrappers: Keep::Keep, ..Choices::default() });
        run.call(wrapper());
        assert_eq!(run.finish().calls.len(), 1);
    }
}
