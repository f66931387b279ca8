//! Calls as `{name, args, output}`, for originals that are functions of call lists.

use rightcall::value::{Object, Text, Value};

use crate::Stop;
use crate::choices::Choices;
use crate::equality::python_equal_objects;
use crate::reading::{get, given, list, object, text};

/// One call.
pub(crate) struct Call<'v> {
    pub(crate) name: &'v Text<'v>,
    pub(crate) arguments: Option<&'v Value<'v>>,
    pub(crate) output: Option<&'v Value<'v>>,
}

/// The calls of a side; a string is a name.
pub(crate) fn calls<'v>(side: &'v Value<'v>) -> Result<Vec<Call<'v>>, Stop> {
    let call = |value: &'v Value<'v>| {
        if let Some(name) = value.as_text() {
            return Ok(Call {
                name,
                arguments: None,
                output: None,
            });
        }
        Ok(Call {
            name: text(value.as_object().and_then(|call| call.get_str("name")))?,
            arguments: given(value, "args"),
            output: given(value, "output"),
        })
    };
    list(side)?.iter().map(call).collect()
}

/// A call with both a name and an object of arguments.
pub(crate) struct NamedCall<'v> {
    pub(crate) name: &'v Text<'v>,
    pub(crate) args: &'v Object<'v>,
}

impl<'v> NamedCall<'v> {
    /// Reads a call, with its arguments under this key.
    pub(crate) fn of(value: &'v Value<'_>, key: &str) -> Result<Self, Stop> {
        Ok(Self {
            name: text(get(value, "name"))?,
            args: object(get(value, key))?,
        })
    }

    pub(crate) fn equals(&self, other: &Self) -> bool {
        self.name == other.name && python_equal_objects(self.args, other.args)
    }
}

/// A list of nearly matching calls.
pub(crate) fn some_calls(choices: &mut Choices<'_>, most: usize) -> String {
    let calls = choices.list(most, |choices| {
        if choices.rarely(40) {
            return choices.value();
        }
        let mut fields = vec![format!("\"name\":{}", choices.name())];
        if !choices.rarely(4) {
            fields.push(format!("\"args\":{}", choices.odd_or(10, Choices::object)));
        }
        if choices.rarely(4) {
            fields.push(format!("\"output\":{}", choices.value()));
        }
        format!("{{{}}}", fields.join(","))
    });
    format!("[{calls}]")
}
