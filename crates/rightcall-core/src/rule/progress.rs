//! A small automaton for each kind of rule. Its input is decided: which patterns a call fits, and
//! which calls agree with it.
//!
//! It processes the calls of one value of `same`, in order, and answers three questions: does the
//! rule hold now, can it still be satisfied, can it still be broken. The judgement of a whole run
//! and the verdicts on its prefixes are computed from these answers.

use super::kind::RuleKind;

/// A call's roles among the calls that agree with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Role {
    /// An activation that is judged here.
    pub(super) judged: bool,
    /// An activation that counts as coming between others here. A judged activation that doesn't count agrees with no call, not even with
    /// others like it.
    pub(super) between: bool,
    /// A target (T).
    pub(super) target: bool,
}

/// The end of the run so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunView {
    /// The last step; `None` for an empty run.
    pub(super) last: Option<u32>,
    /// True if the last step may still get more calls.
    pub(super) is_open: bool,
    /// True if later calls may agree with those here.
    pub(super) may_agree: bool,
}

impl RunView {
    /// True if a step may still get calls.
    fn may_get_calls(self, step: u32) -> bool {
        self.last
            .is_none_or(|last| step > last || step == last && self.is_open)
    }
}

/// The state of a run under a rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    seen: SeenCalls,
    /// True if no continuation satisfies the rule, because of a call or because a step ended.
    is_broken: bool,
}

/// For each kind of rule, the facts about the calls so far that it needs.
#[derive(Clone, Copy, Debug)]
enum SeenCalls {
    Before {
        first_target: Option<u32>,
    },
    After {
        activation: Option<u32>,
        target: Option<u32>,
    },
    DirectlyBefore {
        targets: LastTwo,
    },
    /// The pending needs of the last two steps with an activation.
    DirectlyAfter {
        last: Option<Pending>,
        before: Option<Pending>,
    },
    AfterEach {
        /// The last step with an activation that has no T.
        last: Option<u32>,
        /// True if earlier steps have such activations too.
        has_earlier: bool,
        /// The step of the next activation. A T in this step still counts for the earlier ones.
        closing: Option<u32>,
    },
    BeforeEach {
        between: LastTwo,
        targets: LastTwo,
    },
    /// Counts of activations, of targets, and of calls that are both.
    Together {
        needs_target: bool,
        activations: u64,
        targets: u64,
        both: u64,
    },
    Then {
        first_activation: Option<u32>,
    },
    DirectlyThen {
        activations: LastTwo,
    },
    AtMost {
        most: u64,
        count: u64,
        judged: bool,
    },
    AtLeast {
        least: u64,
        count: u64,
    },
    First {
        has_target: bool,
    },
    Last {
        target: Option<u32>,
    },
}

/// The last two steps of some kind of call.
#[derive(Clone, Copy, Debug, Default)]
struct LastTwo {
    last: Option<u32>,
    before: Option<u32>,
}

impl LastTwo {
    fn add(&mut self, step: u32) {
        if self.last != Some(step) {
            (self.before, self.last) = (self.last, Some(step));
        }
    }

    /// The last one before `step`.
    fn earlier_than(self, step: u32) -> Option<u32> {
        self.last.filter(|it| *it < step).or(self.before)
    }
}

/// The activations of a step that need a T.
#[derive(Clone, Copy, Debug)]
struct Pending {
    step: u32,
    is_met: bool,
}

impl Progress {
    /// The state for an empty run. `Exactly` is counted elsewhere.
    pub(super) fn new(kind: RuleKind) -> Self {
        let together = |needs_target| SeenCalls::Together {
            needs_target,
            activations: 0,
            targets: 0,
            both: 0,
        };
        let at_most = |most| SeenCalls::AtMost {
            most,
            count: 0,
            judged: false,
        };
        let seen = match kind {
            RuleKind::NeedsBefore => SeenCalls::Before { first_target: None },
            RuleKind::NeedsAfter => SeenCalls::After {
                activation: None,
                target: None,
            },
            RuleKind::NeedsDirectlyBefore => SeenCalls::DirectlyBefore {
                targets: LastTwo::default(),
            },
            RuleKind::NeedsDirectlyAfter => SeenCalls::DirectlyAfter {
                last: None,
                before: None,
            },
            RuleKind::NeedsAfterEach => SeenCalls::AfterEach {
                last: None,
                has_earlier: false,
                closing: None,
            },
            RuleKind::NeedsBeforeEach => SeenCalls::BeforeEach {
                between: LastTwo::default(),
                targets: LastTwo::default(),
            },
            RuleKind::Needs => together(true),
            RuleKind::Excludes => together(false),
            RuleKind::ThenNever => SeenCalls::Then {
                first_activation: None,
            },
            RuleKind::ThenNeverDirectly => SeenCalls::DirectlyThen {
                activations: LastTwo::default(),
            },
            RuleKind::Never => at_most(0),
            RuleKind::AtMost(most) => at_most(most),
            RuleKind::AtLeast(least) => SeenCalls::AtLeast { least, count: 0 },
            RuleKind::Exactly(_) => SeenCalls::AtLeast { least: 0, count: 0 },
            RuleKind::First => SeenCalls::First { has_target: false },
            RuleKind::Last => SeenCalls::Last { target: None },
        };
        Self {
            seen,
            is_broken: false,
        }
    }

    /// Processes the next call; true if the call itself breaks the rule, whatever follows.
    pub(super) fn add(&mut self, step: u32, role: Role) -> bool {
        let breaks = match &self.seen {
            SeenCalls::After { .. }
            | SeenCalls::DirectlyAfter { .. }
            | SeenCalls::AfterEach { .. } => {
                self.is_broken |= self.seen.look_ahead(step, role);
                return false;
            }
            SeenCalls::Before { .. }
            | SeenCalls::DirectlyBefore { .. }
            | SeenCalls::BeforeEach { .. } => self.seen.look_back(step, role),
            _ => self.seen.look_around(step, role),
        };
        self.is_broken |= breaks;
        breaks
    }

    /// True if the rule would hold if the run ended now.
    pub(super) fn holds(&self, view: RunView) -> bool {
        let holds = match &self.seen {
            SeenCalls::After { activation, target } => {
                activation.is_none_or(|it| target.is_some_and(|target| it < target))
            }
            SeenCalls::DirectlyAfter { last, before } => {
                last.is_none_or(|it| it.is_met) && before.is_none_or(|it| it.is_met)
            }
            SeenCalls::AfterEach {
                last,
                has_earlier,
                closing,
            } => last.is_none() && !has_earlier && closing.is_none(),
            SeenCalls::AtLeast { least, count } => count >= least,
            SeenCalls::Last { target } => view.last.is_none() || *target == view.last,
            SeenCalls::First { has_target } => *has_target || view.last.is_none(),
            SeenCalls::Together {
                needs_target: true,
                activations,
                ..
            } => *activations == 0 || self.has_target_for_all(),
            _ => return self.can_be_kept(view),
        };
        holds && !self.is_broken
    }

    /// True if some continuation satisfies the rule.
    pub(super) fn can_be_kept(&self, view: RunView) -> bool {
        if self.is_broken {
            return false;
        }
        match &self.seen {
            SeenCalls::AtMost {
                most,
                count,
                judged,
            } => !(*judged && count > most),
            SeenCalls::After { .. }
            | SeenCalls::Together {
                needs_target: true, ..
            } => view.may_agree || self.holds(view),
            SeenCalls::Together {
                activations,
                targets,
                both,
                ..
            } => {
                let is_one = (*activations, *targets, *both) == (1, 1, 1);
                *activations == 0 || *targets == 0 || is_one
            }
            SeenCalls::DirectlyAfter { last, before } => {
                let may_be_met = |it: Pending| it.is_met || view.may_get_calls(it.step + 1);
                let may_be_kept = last.is_none_or(may_be_met) && before.is_none_or(may_be_met);
                may_be_kept && (view.may_agree || self.holds(view))
            }
            SeenCalls::AfterEach { closing, .. } => {
                let may_be_kept = closing.is_none_or(|step| view.may_get_calls(step));
                may_be_kept && (view.may_agree || self.holds(view))
            }
            SeenCalls::First { has_target } => {
                *has_target || view.last.is_none() || view.last == Some(0) && view.is_open
            }
            _ => true,
        }
    }

    /// True if some continuation breaks the rule, for rules without `same`. With `same`, a call that agrees with no other can always break
    /// it.
    pub(super) fn can_be_broken(&self, view: RunView) -> bool {
        match &self.seen {
            // An activation may still join the step of the first T.
            SeenCalls::Before { first_target } => {
                first_target.is_none_or(|first| view.is_open && view.last == Some(first))
            }
            SeenCalls::Together {
                needs_target: true, ..
            } => !self.has_target_for_all(),
            SeenCalls::AtLeast { .. } => !self.holds(view),
            SeenCalls::First { has_target } => !has_target,
            _ => true,
        }
    }

    /// True if every call, including later ones, has another call that is a T.
    fn has_target_for_all(&self) -> bool {
        match self.seen {
            SeenCalls::Together { targets, both, .. } => targets > 1 || targets == 1 && both == 0,
            _ => false,
        }
    }
}

impl SeenCalls {
    /// Processes the next call, if an activation needs a T before it; true if it breaks the rule.
    fn look_back(&mut self, step: u32, role: Role) -> bool {
        let Role {
            judged,
            between,
            target,
        } = role;
        match self {
            Self::Before { first_target } => {
                let breaks = judged && first_target.is_none_or(|first| first >= step);
                if target && first_target.is_none() {
                    *first_target = Some(step);
                }
                breaks
            }
            Self::DirectlyBefore { targets } => {
                let is_met = targets.earlier_than(step).is_some_and(|it| it + 1 == step);
                if target {
                    targets.add(step);
                }
                judged && !is_met
            }
            Self::BeforeEach {
                between: activations,
                targets,
            } => {
                // Calls of the same step are parallel, so only earlier steps count.
                let (other, met) = (activations.earlier_than(step), targets.earlier_than(step));
                if between {
                    activations.add(step);
                }
                if target {
                    targets.add(step);
                }
                judged && met.is_none_or(|met| other.is_some_and(|it| it > met))
            }
            _ => false,
        }
    }

    /// Processes the next call, if an activation needs a T after it; true if the rule is broken because a step ended.
    fn look_ahead(&mut self, step: u32, role: Role) -> bool {
        let Role {
            judged,
            between,
            target,
        } = role;
        match self {
            Self::After {
                activation,
                target: last_target,
            } => {
                if judged {
                    *activation = Some(step);
                }
                if target {
                    *last_target = Some(step);
                }
                false
            }
            Self::DirectlyAfter { last, before } => {
                let mut is_broken = false;
                if judged && last.is_none_or(|it| it.step < step) {
                    // The step after `before` is over.
                    is_broken = before.is_some_and(|it| !it.is_met);
                    let is_met = false;
                    (*before, *last) = (*last, Some(Pending { step, is_met }));
                }
                if target {
                    for it in [last, before].into_iter().flatten() {
                        it.is_met |= it.step + 1 == step;
                    }
                }
                is_broken
            }
            Self::AfterEach {
                last,
                has_earlier,
                closing,
            } => {
                // The step of the next activation is over, and no T came.
                let is_broken = closing.is_some_and(|it| it < step);
                *closing = closing.filter(|it| *it == step);
                *has_earlier |= last.is_some_and(|it| it < step);
                *last = last.filter(|it| *it == step);
                // This is the next activation: a T in its own step still counts for the earlier ones.
                if between && *has_earlier {
                    *closing = Some(step);
                    *has_earlier = false;
                }
                if judged {
                    *last = Some(step);
                }
                if target {
                    *has_earlier = false;
                    *closing = None;
                }
                is_broken
            }
            _ => false,
        }
    }

    /// Processes the next call, if calls exclude each other or are counted; true if it breaks the rule.
    fn look_around(&mut self, step: u32, role: Role) -> bool {
        let Role {
            judged,
            between,
            target,
        } = role;
        match self {
            Self::Together {
                needs_target,
                activations,
                targets,
                both,
            } => {
                // Checked before counting: a call that is both an activation and a T doesn't pair with itself.
                let breaks =
                    !*needs_target && (judged && *targets > 0 || target && *activations > 0);
                *activations += u64::from(judged);
                *targets += u64::from(target);
                *both += u64::from(judged && target);
                breaks
            }
            Self::Then { first_activation } => {
                let breaks = target && first_activation.is_some_and(|first| first < step);
                if judged && first_activation.is_none() {
                    *first_activation = Some(step);
                }
                breaks
            }
            Self::DirectlyThen { activations } => {
                let before = activations.earlier_than(step);
                if judged {
                    activations.add(step);
                }
                target && before.is_some_and(|it| it + 1 == step)
            }
            Self::AtMost {
                most,
                count,
                judged: any_judged,
            } => {
                *any_judged |= judged && between;
                *count += u64::from(between);
                // A call that agrees with no other counts only itself.
                judged && if between { *count > *most } else { *most == 0 }
            }
            Self::AtLeast { count, .. } => {
                *count += u64::from(judged);
                false
            }
            Self::First { has_target } => {
                *has_target |= target && step == 0;
                false
            }
            Self::Last { target: last } => {
                if target {
                    *last = Some(step);
                }
                false
            }
            _ => false,
        }
    }
}
