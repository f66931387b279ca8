//! `agentevals/trajectory-match` and `openevals/trajectory-match`; the score 1 means `true` in the originals.

use rightcall::value::{Object, Syntax, Text, Value, decode_with};

use crate::choices::{Choices, Parts, quoted};
use crate::equality::python_equal;
use crate::loops::one_if;
use crate::reading::{get, given, is_true_in_python, list};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[
    ("agentevals/trajectory-match", score, cases),
    ("openevals/trajectory-match", score_of_openevals, cases),
];

struct Message<'v> {
    role: &'static str,
    calls: Vec<Call<'v>>,
}

struct Call<'v> {
    name: &'v Text<'v>,
    args: Object<'v>,
}

struct Matcher<'v> {
    mode: String,
    overrides: Option<&'v Object<'v>>,
    is_openevals: bool,
}

const MODES: [&str; 4] = ["exact", "ignore", "subset", "superset"];

pub(crate) fn score(config: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    score_of(false, config, expected, actual)
}

pub(crate) fn score_of_openevals(
    config: &Value<'_>,
    expected: &Value<'_>,
    actual: &Value<'_>,
) -> Scored {
    score_of(true, config, expected, actual)
}

fn score_of(
    is_openevals: bool,
    config: &Value<'_>,
    expected: &Value<'_>,
    actual: &Value<'_>,
) -> Scored {
    let mode = mode(config, "trajectory_match_mode", "strict")?;
    let matcher = Matcher {
        mode: self::mode(config, "tool_args_match_mode", "exact")?,
        overrides: match given(config, "tool_args_match_overrides") {
            None => None,
            Some(overrides) => Some(overrides.as_object().ok_or(Stop::Unknown)?),
        },
        is_openevals,
    };
    if !["strict", "unordered", "subset", "superset"].contains(&mode.as_str())
        || !MODES.contains(&matcher.mode.as_str())
    {
        return Err(Stop::Raised);
    }
    let (actual, reference) = (messages(actual)?, messages(expected)?);
    let holds = if mode == "strict" {
        is_strict_match(&matcher, &actual, &reference)?
    } else {
        let [actual, reference] = [&actual, &reference].map(|messages| {
            let calls = messages.iter().flat_map(|message| &message.calls);
            calls.collect::<Vec<_>>()
        });
        match mode.as_str() {
            "superset" => covers(&matcher, &actual, &reference, false)?,
            "subset" => covers(&matcher, &reference, &actual, is_openevals)?,
            _ => {
                covers(&matcher, &actual, &reference, false)?
                    && covers(&matcher, &reference, &actual, is_openevals)?
            }
        }
    };
    Ok(one_if(holds))
}

fn mode(config: &Value<'_>, key: &str, default: &str) -> Result<String, Stop> {
    match get(config, key) {
        None => Ok(default.to_owned()),
        Some(Value::String(mode)) => Ok(mode.to_string()),
        Some(_) => Err(Stop::Unknown),
    }
}

fn is_strict_match(
    matcher: &Matcher<'_>,
    actual: &[Message<'_>],
    reference: &[Message<'_>],
) -> Result<bool, Stop> {
    if actual.len() != reference.len() {
        return Ok(false);
    }
    for (actual, reference) in actual.iter().zip(reference) {
        if actual.role != reference.role || actual.calls.len() != reference.calls.len() {
            return Ok(false);
        }
        let [pool, made] = [reference, actual].map(|of| of.calls.iter().collect::<Vec<_>>());
        if !covers(matcher, &pool, &made, true)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Finds a match in `pool` for each wanted call. `swapped`: the wanted call is the first argument of the matcher.
fn covers(
    matcher: &Matcher<'_>,
    pool: &[&Call<'_>],
    wanted: &[&Call<'_>],
    swapped: bool,
) -> Result<bool, Stop> {
    let mut taken = vec![false; pool.len()];
    for wanted in wanted {
        let mut found = false;
        for (place, call) in pool.iter().enumerate() {
            let (first, second) = if swapped {
                (wanted, call)
            } else {
                (call, wanted)
            };
            if !taken[place] && call.name == wanted.name && matcher.matches(first, second)? {
                taken[place] = true;
                found = true;
                break;
            }
        }
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Matcher<'_> {
    fn matches(&self, left: &Call<'_>, right: &Call<'_>) -> Result<bool, Stop> {
        let own = self
            .overrides
            .and_then(|overrides| overrides.get(left.name))
            .filter(|own| is_true_in_python(own));
        match own {
            None => Ok(by_mode(&self.mode, &left.args, &right.args)),
            Some(Value::String(mode)) => Ok(by_mode(&mode.to_string(), &left.args, &right.args)),
            Some(Value::List(paths)) => {
                for path in paths {
                    let path = path.as_text().and_then(Text::as_str).ok_or(Stop::Unknown)?;
                    let (left, right) = (at(&left.args, path), at(&right.args, path));
                    let same = match (left, right) {
                        (None, _) | (_, None) if self.is_openevals => false,
                        (left, right) => python_equal(
                            &left.unwrap_or(Value::Null),
                            &right.unwrap_or(Value::Null),
                        ),
                    };
                    if !same {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Some(_) => Err(Stop::Raised),
        }
    }
}

fn by_mode(mode: &str, left: &Object<'_>, right: &Object<'_>) -> bool {
    let within = |inner: &Object<'_>, outer: &Object<'_>| {
        inner.iter().all(|(key, value)| {
            outer
                .get(key)
                .is_some_and(|other| python_equal(value, other))
        })
    };
    match mode {
        "exact" => left.len() == right.len() && within(left, right),
        "subset" => within(left, right),
        "superset" => within(right, left),
        _ => true,
    }
}

fn at<'v>(args: &'v Object<'v>, path: &str) -> Option<Value<'v>> {
    let mut value = Value::Object(args.clone());
    for key in path.split('.') {
        value = get(&value, key).cloned()?;
    }
    Some(value)
}

fn messages<'v>(side: &'v Value<'_>) -> Result<Vec<Message<'v>>, Stop> {
    let inner = match side {
        Value::Null => return Ok(Vec::new()),
        Value::List(items) => return items.iter().map(message).collect(),
        Value::Object(object) => object,
        _ => return Err(Stop::Raised),
    };
    if inner.get_str("role").is_some() {
        return Ok(vec![message(side)?]);
    }
    match inner.get_str("messages") {
        Some(Value::List(items)) => items.iter().map(message).collect(),
        Some(_) => Err(Stop::Unknown),
        None => Err(Stop::Raised),
    }
}

fn message<'v>(message: &'v Value<'_>) -> Result<Message<'v>, Stop> {
    let role = get(message, "role")
        .or_else(|| get(message, "type"))
        .and_then(Value::as_text)
        .and_then(Text::as_str);
    let role = match role {
        Some("human" | "user") => "user",
        Some("ai" | "assistant") => "assistant",
        Some("system") => "system",
        Some("developer") => "developer",
        Some("tool") => "tool",
        // Requires a name and more; not implemented here.
        Some("function") => return Err(Stop::Unknown),
        _ => return Err(Stop::Raised),
    };
    match get(message, "content") {
        None | Some(Value::Null | Value::String(_)) => {}
        Some(_) => return Err(Stop::Unknown),
    }
    let mut calls = Vec::new();
    if let Some(items) = given(message, "tool_calls") {
        for item in list(items)? {
            let id = get(item, "id");
            let is_id = match id {
                None => role == "assistant" || get(item, "function").is_none(),
                Some(id) => role != "assistant" || id.is_null() || id.as_text().is_some(),
            };
            if !is_id {
                return Err(Stop::Raised);
            }
            calls.push(call(item)?);
        }
    }
    if role != "assistant" {
        calls.clear();
    }
    Ok(Message { role, calls })
}

fn call<'v>(item: &'v Value<'_>) -> Result<Call<'v>, Stop> {
    let (name, args) = match get(item, "function") {
        Some(function) => (get(function, "name"), get(function, "arguments")),
        None => (get(item, "name"), get(item, "args")),
    };
    let args = match args {
        Some(Value::Object(object)) => object.clone(),
        Some(Value::String(text)) if get(item, "function").is_some() => {
            let syntax = Syntax {
                control_characters: true,
                ..Syntax::PYTHON
            };
            match decode_with(text.as_str().ok_or(Stop::Unknown)?, syntax).map(Value::into_owned) {
                Ok(Value::Object(object)) => object,
                _ => return Err(Stop::Raised),
            }
        }
        _ => return Err(Stop::Raised),
    };
    Ok(Call {
        name: name.and_then(Value::as_text).ok_or(Stop::Raised)?,
        args,
    })
}

/// Cases with nearly matching calls.
pub(crate) fn cases(choices: &mut Choices<'_>) -> Parts {
    const MODES: &str = r#""unordered"|"subset"|"superset"|"strict""#;
    const ARGS: &str = r#""ignore"|"subset"|"superset"|"exact""#;
    let mut config = vec![format!("\"trajectory_match_mode\":{}", choices.of(MODES))];
    if choices.rarely(2) {
        config.push(format!("\"tool_args_match_mode\":{}", choices.of(ARGS)));
    }
    if choices.rarely(3) {
        const OVERRIDES: &str =
            r#""ignore"|"subset"|"superset"|"exact"|"other"|["a"]|["a.b","b"]|[]|null|0|{}|"""#;
        let overrides = choices.list(2, |choices| {
            format!("{}:{}", choices.name(), choices.of(OVERRIDES))
        });
        config.push(format!("\"tool_args_match_overrides\":{{{overrides}}}"));
    }
    let side = |choices: &mut Choices<'_>| {
        let messages = choices.list(3, |choices| {
            let role = choices.of("assistant|assistant|assistant|user|tool|ai");
            let role = if choices.rarely(50) { "nobody" } else { role };
            if choices.rarely(8) || !matches!(role, "assistant" | "ai") {
                return format!("{{\"role\":\"{role}\",\"content\":\"x\"}}");
            }
            let calls = choices.list(4, |choices| {
                let args = choices.odd_or(60, Choices::object);
                let name = choices.name();
                if choices.rarely(2) {
                    format!(
                        "{{\"function\":{{\"name\":{name},\"arguments\":{}}}}}",
                        quoted(&args)
                    )
                } else {
                    format!("{{\"name\":{name},\"args\":{args}}}")
                }
            });
            format!("{{\"role\":\"{role}\",\"content\":\"\",\"tool_calls\":[{calls}]}}")
        });
        if choices.rarely(8) {
            format!("{{\"messages\":[{messages}]}}")
        } else {
            format!("[{messages}]")
        }
    };
    (
        format!("{{{}}}", config.join(",")),
        side(choices),
        side(choices),
    )
}
