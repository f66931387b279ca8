//! The kinds of rules.

/// The requirement of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleKind {
    /// *Precedence*: some T is before the activation.
    NeedsBefore,
    /// *Response*: some T is after it.
    NeedsAfter,
    /// *Chain precedence*: the step before contains a T.
    NeedsDirectlyBefore,
    /// *Chain response*: the step after contains a T.
    NeedsDirectlyAfter,
    /// *Alternate precedence*: some T is before it, with no other activation between.
    NeedsBeforeEach,
    /// *Alternate response*: some T is after it, with no other activation between.
    NeedsAfterEach,
    /// *Responded existence*: some other call is a T.
    Needs,
    /// *Not co-existence*: no other call is a T.
    Excludes,
    /// *Not succession*: no T is after it.
    ThenNever,
    /// *Not chain succession*: the step after contains no T.
    ThenNeverDirectly,
    /// *Absence*.
    Never,
    AtMost(u64),
    AtLeast(u64),
    Exactly(u64),
    /// *Init*: the first step contains a P.
    First,
    /// *End*: the last step contains a P.
    Last,
}

/// Kinds with a pattern as value, by key.
pub(super) const PATTERN_KINDS: [(&str, RuleKind); 12] = [
    ("needs_before", RuleKind::NeedsBefore),
    ("needs_after", RuleKind::NeedsAfter),
    ("needs_directly_before", RuleKind::NeedsDirectlyBefore),
    ("needs_directly_after", RuleKind::NeedsDirectlyAfter),
    ("needs_before_each", RuleKind::NeedsBeforeEach),
    ("needs_after_each", RuleKind::NeedsAfterEach),
    ("needs", RuleKind::Needs),
    ("excludes", RuleKind::Excludes),
    ("then_never", RuleKind::ThenNever),
    ("then_never_directly", RuleKind::ThenNeverDirectly),
    ("first", RuleKind::First),
    ("last", RuleKind::Last),
];

/// Makes a kind from a number.
pub(super) type MakeKind = fn(u64) -> RuleKind;

/// Kinds with a number as value, by key.
pub(super) const NUMBER_KINDS: [(&str, MakeKind); 3] = [
    ("at_most", RuleKind::AtMost),
    ("at_least", RuleKind::AtLeast),
    ("exactly", RuleKind::Exactly),
];

/// The key of [`RuleKind::Never`].
pub(super) const NEVER: &str = "never";

impl RuleKind {
    /// True if the rule requires a T for each activation.
    pub(super) fn is_need(self) -> bool {
        matches!(
            self,
            Self::NeedsBefore
                | Self::NeedsAfter
                | Self::NeedsDirectlyBefore
                | Self::NeedsDirectlyAfter
                | Self::NeedsBeforeEach
                | Self::NeedsAfterEach
                | Self::Needs
        )
    }

    /// True if the rule forbids a T for each activation.
    pub(super) fn is_ban(self) -> bool {
        matches!(
            self,
            Self::Excludes | Self::ThenNever | Self::ThenNeverDirectly
        )
    }

    /// True for a rule without `call`.
    pub(super) fn is_position(self) -> bool {
        matches!(self, Self::First | Self::Last)
    }

    /// True if an activation helps to satisfy the rule.
    pub(super) fn wants_activations(self) -> bool {
        matches!(self, Self::AtLeast(_))
    }

    /// True if a T helps to satisfy the rule.
    pub(super) fn wants_targets(self) -> bool {
        self.is_need() || self.is_position()
    }

    /// True if `same` applies to the rule.
    pub(super) fn takes_same(self) -> bool {
        self.is_need() || self.is_ban() || matches!(self, Self::AtMost(_))
    }

    /// True if any call can break the rule by starting a new step.
    pub(super) fn looks_at_next_step(self) -> bool {
        matches!(self, Self::NeedsDirectlyAfter | Self::NeedsAfterEach)
    }

    /// The kind with the same meaning for the reversed run.
    pub(super) fn reversed(self) -> Option<Self> {
        match self {
            Self::NeedsAfter => Some(Self::NeedsBefore),
            Self::NeedsDirectlyAfter => Some(Self::NeedsDirectlyBefore),
            Self::NeedsAfterEach => Some(Self::NeedsBeforeEach),
            _ => None,
        }
    }
}
