//! Whether one tool was called: a metric of several packages.

use crate::presets::prelude::*;
use crate::recipe::{expected_calls, nothing_expected, trajectory};

pub(super) const TOOL_NAME: Setting = text(
    "tool_name",
    "null",
    "The tool; null: that of the first call that the case expects. The original requires it.",
);

/// The required tool; `None` for the one in the case.
#[derive(Debug)]
pub(super) struct OneTool(Option<Item<'static>>);

impl OneTool {
    /// The tool in the settings. Users may omit it, although the originals' constructors require it.
    pub(super) fn from_settings(settings: &Settings<'_>) -> Result<Self, ConfigError> {
        let tool = settings.text(TOOL_NAME.name)?;
        if tool.is_none() && !settings.strict {
            let given = settings.value(TOOL_NAME.name).unwrap_or(&Value::Null);
            let wanted = "the name of a tool".to_owned();
            return Err(settings.bad(TOOL_NAME.name, wanted, given));
        }
        let item = |tool: &Text<'_>| Item::from_name(tool.clone().into_owned());
        Ok(Self(tool.map(item)))
    }

    pub(super) fn recipe() -> Recipe {
        let verdict = ["the tool was called", "the tool was not called"];
        Recipe {
            empty: EmptyPolicy::COMPUTE,
            ..Recipe::new(
                Rules::from_names(NameRule::Exact),
                Align::Unconsumed(Driver::Expected),
                Scoring::Verdict(verdict, Costs::MISSED),
            )
        }
    }

    /// The tool compared with the calls of a case.
    pub(super) fn read_case<'c>(&self, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        trajectory(prepared.case())?;
        let actual = prepared.actual_items();
        if self.0.is_some() {
            return Ok(self.against(actual));
        }
        expected_calls(prepared.case())?;
        let expected = prepared.expected_items();
        let first = expected.as_slice().first().cloned();
        let first = first.ok_or_else(|| nothing_expected("tool"))?;
        Ok(Sides::new(Items::Own(vec![first]), actual))
    }

    /// The tool in the settings compared with calls.
    pub(super) fn against<'c>(&self, actual: Items<'c>) -> Sides<'c> {
        let tool = self.0.iter().cloned().collect();
        Sides {
            list: ExpectedList::Settings,
            ..Sides::new(Items::Own(tool), actual)
        }
    }
}
