//! The run to break: its calls, and the members of their arguments.

use std::cell::OnceCell;

use rightcall_core::call::{Arguments, Call, Case};
use rightcall_core::value::Text;

use super::Material;
use super::act::{act_of_call, act_of_run};
use super::arguments::{Member, json_of, members_of};
use super::material::{PoolCall, leaves};

/// The run to break.
#[derive(Debug)]
pub(crate) struct SubjectRun<'c> {
    pub(crate) calls: Vec<SubjectCall<'c>>,
    pub(crate) material: &'c Material,
    /// The number of its case.
    pub(crate) case: usize,
    /// The indices of its calls.
    pub(crate) places: Vec<usize>,
    /// Its arguments: the index of the call, and of the member.
    pub(crate) arguments: Vec<(usize, usize)>,
    /// Calls of other runs with effects that no call of this run has. Collected on first use.
    others: OnceCell<Vec<&'c PoolCall>>,
    /// By call, the texts and numbers of its result, each with its key. Parsed on first use.
    results: OnceCell<Vec<Vec<(String, String)>>>,
}

/// A call of the run to break.
#[derive(Debug)]
pub(crate) struct SubjectCall<'c> {
    /// Its position in the run, from 1.
    pub(crate) number: usize,
    pub(crate) call: &'c Call<'c>,
    name: String,
    /// The members of its arguments; `None` if it recorded no object.
    pub(crate) members: Option<Vec<Member>>,
    /// The hash of its effect.
    pub(crate) act: u128,
    /// The hash of its arguments.
    act_of_arguments: u128,
    /// True if the arguments were recorded as text.
    is_text: bool,
    material: &'c Material,
}

/// A new call of a broken run.
#[derive(Debug)]
pub(crate) struct NewCall<'c> {
    pub(crate) call: Call<'c>,
    pub(crate) act: u128,
    /// The index of the call that it replaces, if any.
    pub(crate) replaces: Option<usize>,
}

impl<'c> SubjectRun<'c> {
    /// The run of the case with this number; `None` if it has none.
    pub(crate) fn new(case: &'c Case<'c>, number: usize, material: &'c Material) -> Option<Self> {
        let calls = case.actual.as_ref()?.calls.iter().enumerate();
        let calls: Vec<_> = calls
            .map(|(at, call)| SubjectCall::new(call, at + 1, material))
            .collect();
        let members = calls
            .iter()
            .map(|it| it.members.as_ref().map_or(0, Vec::len));
        let arguments = members.enumerate();
        let arguments =
            arguments.flat_map(|(at, members)| (0..members).map(move |member| (at, member)));
        Some(Self {
            places: (0..calls.len()).collect(),
            arguments: arguments.collect(),
            calls,
            material,
            case: number,
            others: OnceCell::new(),
            results: OnceCell::new(),
        })
    }

    /// An argument, by the index of the call and of the member.
    pub(crate) fn argument(&self, (at, member): (usize, usize)) -> Option<&Member> {
        self.calls[at].members.as_ref()?.get(member)
    }

    /// The hash of the run's effect.
    pub(crate) fn act(&self) -> u128 {
        act_of_run(self.calls.iter().map(|it| (it.act, it.call)))
    }

    /// Calls of other runs whose effect differs from all calls of this one.
    pub(crate) fn other_calls(&self) -> &[&'c PoolCall] {
        self.others.get_or_init(|| {
            let is_other = |it: &&PoolCall| self.calls.iter().all(|own| own.act != it.act);
            self.material.calls().iter().filter(is_other).collect()
        })
    }

    /// The keys of results that may supply an argument: its own name, and the keys of its value in results of earlier calls.
    pub(crate) fn keys_of(&self, place: (usize, usize)) -> Vec<String> {
        let Some(argument) = self.argument(place) else {
            return Vec::new();
        };
        let mut keys = vec![argument.name()];
        for (key, json) in self.results()[..place.0].iter().flatten() {
            if *json == argument.json && !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        keys
    }

    fn results(&self) -> &[Vec<(String, String)>] {
        self.results.get_or_init(|| {
            let outputs = self
                .calls
                .iter()
                .map(|it| it.call.metadata().recorded_output());
            outputs
                .map(|it| it.map(leaves).unwrap_or_default())
                .collect()
        })
    }
}

impl<'c> SubjectCall<'c> {
    fn new(call: &'c Call<'c>, number: usize, material: &'c Material) -> Self {
        let members = members_of(call);
        let name = call.name.to_display().into_owned();
        let act_of_arguments = material.act_of_arguments(&name, members.as_deref(), call);
        Self {
            number,
            act: act_of_call(&name, act_of_arguments),
            act_of_arguments,
            call,
            name,
            members,
            is_text: call.arguments.text().is_some(),
            material,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A repetition of the call.
    pub(crate) fn again(&self) -> NewCall<'c> {
        NewCall {
            call: self.call.clone(),
            act: self.act,
            replaces: None,
        }
    }

    /// The call under another tool's name.
    pub(crate) fn renamed(&self, name: &str) -> NewCall<'c> {
        let call = Call {
            name: Text::from(name.to_owned()),
            ..self.call.clone()
        };
        let has_defaults = |tool| self.material.has_defaults(tool);
        let arguments = if has_defaults(&self.name) || has_defaults(name) {
            let members = self.members.as_deref();
            self.material.act_of_arguments(name, members, &call)
        } else {
            self.act_of_arguments
        };
        NewCall {
            act: act_of_call(name, arguments),
            call,
            replaces: Some(self.number - 1),
        }
    }

    /// The call with other arguments: as text if the original arguments were text.
    pub(crate) fn with_members(&self, members: &[Member]) -> NewCall<'c> {
        let json = json_of(members);
        let arguments = if self.is_text {
            Arguments::owned_text(Text::from(json))
        } else {
            Arguments::owned_json(json)
        };
        self.with_arguments(arguments, Some(members))
    }

    /// The call without an argument.
    pub(crate) fn without(&self, member: usize) -> NewCall<'c> {
        let mut members = self.members.clone().unwrap_or_default();
        members.remove(member);
        self.with_members(&members)
    }

    /// The call with arguments that are not valid JSON; `None` if it recorded no object.
    pub(crate) fn with_broken_arguments(&self) -> Option<NewCall<'c>> {
        let mut json = json_of(self.members.as_deref()?);
        json.pop();
        Some(self.with_arguments(Arguments::owned_text(Text::from(json)), None))
    }

    fn with_arguments(
        &self,
        arguments: Arguments<'static>,
        members: Option<&[Member]>,
    ) -> NewCall<'c> {
        let call = Call {
            name: self.call.name.clone(),
            arguments,
            metadata: self.call.metadata.clone(),
        };
        let arguments = self.material.act_of_arguments(&self.name, members, &call);
        NewCall {
            act: act_of_call(&self.name, arguments),
            call,
            replaces: Some(self.number - 1),
        }
    }
}

impl PoolCall {
    /// The call, for use in another run.
    pub(crate) fn to_call<'c>(&self) -> NewCall<'c> {
        NewCall {
            call: Call {
                name: Text::from(self.name.clone()),
                arguments: Arguments::owned_json(self.arguments.clone()),
                metadata: None,
            },
            act: self.act,
            replaces: None,
        }
    }
}

impl NewCall<'_> {
    pub(crate) fn name(&self) -> String {
        self.call.name.to_display().into_owned()
    }
}
