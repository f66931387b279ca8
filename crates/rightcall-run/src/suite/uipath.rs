//! Loads a `UiPath` project as a suite: an eval set, and the evaluator files in the folder next to
//! it.
//!
//! Each item of the set is a case, and each evaluator scores it by the item's criteria for this
//! evaluator. Evaluators that do not score tool calls are reported as skipped.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rightcall_core::Edition;
use rightcall_core::value::{
    JsonText, JsonWriter, Object, Syntax, SyntaxError, Text, Value, decode_with,
};
use rightcall_formats::read_text;

use super::definition::{EvalSet, Suite, SuiteOptions, text_hash};
use super::fault::{Checked, SuiteError};
use crate::{CaseRule, Configured, EvaluatorArgument, MAX_CASES, Unmatched};
use rightcall_core::folded;

/// The types of evaluators that score tool calls, as spelled in the files.
const TYPES: [&str; 4] = [
    "uipath-tool-call-args",
    "uipath-tool-call-count",
    "uipath-tool-call-order",
    "uipath-tool-call-output",
];

/// The criteria keys of these evaluators.
const CRITERIA: [&str; 4] = [
    "toolcalls",
    "toolcallscount",
    "toolcallsorder",
    "tooloutputs",
];

/// True for the text of an eval set, which is JSON.
pub(super) fn is_eval_set(text: &str) -> bool {
    let Ok(value) = decoded(text) else {
        return false;
    };
    let Some(set) = value.as_object() else {
        return false;
    };
    let items = set.get_str("evaluations").and_then(Value::as_list);
    items.is_some() && REFERENCES.iter().any(|keys| any(set, keys).is_some())
}

/// The suite of an eval set. The default edition is `package`, because the project runs with the package.
pub(super) fn suite_of(text: &str, path: &Path, options: &SuiteOptions) -> Checked<Suite> {
    if let Some(profile) = &options.profile {
        return Err(
            SuiteError::of_file(format!("an eval set has no profile `{profile}`"))
                .help("leave --profile out"),
        );
    }
    let value = decoded(text);
    let value = value.map_err(|error| SuiteError::of_file(format!("not JSON: {error}")))?;
    let set = value
        .as_object()
        .ok_or_else(|| SuiteError::of_file("expected an object"))?;
    let wanted = references(set)?;
    let known = evaluator_files(path, options.limits.max_document)?;
    let (mut evaluators, mut skipped) = (Vec::new(), Vec::new());
    for EvaluatorReference { id, weight } in wanted {
        let Some(file) = known.get(&folded_id(&id)) else {
            // Skipping an evaluator of tool calls would silently change the score.
            if judges_calls(set, &id) {
                return Err(SuiteError::of_file(format!("no file in the folder `evaluators` has the id `{id}`"))
                    .help("the evaluators of an eval set are in `evaluators/*.json`, next to the folder of the eval set")
                    .under("evaluatorRefs"));
            }
            skipped.push(format!("{id} (no file)"));
            continue;
        };
        match &file.settings {
            Some(settings) => {
                let evaluator = configured(&id, weight, file, settings, options.edition)?;
                evaluators.push(evaluator);
            }
            None => skipped.push(format!("{id} ({})", file.kind)),
        }
    }
    if evaluators.is_empty() {
        return Err(
            SuiteError::of_file("none of the evaluators judges tool calls").help(format!(
                "skipped: {}; those of the types {} are run",
                skipped.join(", "),
                TYPES.join(", ")
            )),
        );
    }
    Ok(Suite {
        cases: vec![path.to_owned()],
        case_rule: CaseRule::new(&evaluators, Unmatched::Fail),
        evaluators,
        max_cases: MAX_CASES,
        hash: text_hash(text),
        eval_set: Some(EvalSet { skipped }),
        ..Suite::default()
    })
}

/// The evaluator files of an eval set; empty if the text is not an eval set or can't be read.
pub(super) fn evaluators_of(text: &str, path: &Path, limit: usize) -> Vec<PathBuf> {
    if !is_eval_set(text) {
        return Vec::new();
    }
    let set = decoded(text).ok();
    let wanted = set.as_ref().and_then(|it| references(it.as_object()?).ok());
    let known = evaluator_files(path, limit).unwrap_or_default();
    let wanted = wanted.unwrap_or_default().into_iter();
    let files = wanted.filter_map(|it| Some(known.get(&folded_id(&it.id))?.path.clone()));
    files.collect()
}

/// An evaluator that the set names.
struct EvaluatorReference {
    id: String,
    weight: f64,
}

/// The keys that list evaluators, in both spellings.
const REFERENCES: [[&str; 2]; 2] = [
    ["evaluatorRefs", "evaluator_refs"],
    ["evaluatorConfigs", "evaluator_configs"],
];

/// The evaluators of a set, in order: from `evaluatorRefs`, and from `evaluatorConfigs` with weights.
fn references(set: &Object<'_>) -> Checked<Vec<EvaluatorReference>> {
    let mut wanted: Vec<EvaluatorReference> = Vec::new();
    for keys in REFERENCES {
        let list = any(set, &keys).and_then(Value::as_list).unwrap_or_default();
        for (number, value) in list.iter().enumerate() {
            let (id, weight) = reference(value, keys == REFERENCES[1])
                .map_err(|fault| fault.under(&number.to_string()).under(keys[0]))?;
            let is_known = |it: &&mut EvaluatorReference| folded_id(&it.id) == folded_id(&id);
            match wanted.iter_mut().find(is_known) {
                Some(known) => known.weight = weight.unwrap_or(known.weight),
                None => wanted.push(EvaluatorReference {
                    id,
                    weight: weight.unwrap_or(1.0),
                }),
            }
        }
    }
    Ok(wanted)
}

/// The id of an evaluator, and its weight if given.
fn reference(value: &Value<'_>, may_be_object: bool) -> Checked<(String, Option<f64>)> {
    if let Some(id) = value.as_text() {
        return Ok((id.to_display().into_owned(), None));
    }
    if !may_be_object {
        let message = format!("expected the id of an evaluator, found {}", value.kind());
        return Err(SuiteError::of_file(message));
    }
    let config = value.as_object();
    let id = config.and_then(|config| any(config, &["ref", "id"])?.as_text());
    let Some((config, id)) = config.zip(id) else {
        let message = "expected an id, or an object with `ref`";
        return Err(SuiteError::of_file(message));
    };
    let weight = match config.get_str("weight") {
        None | Some(Value::Null) => None,
        Some(value) => {
            let is_weight = |weight: &f64| weight.is_finite() && *weight >= 0.0;
            let weight = value.as_f64().filter(is_weight).ok_or_else(|| {
                let found = value.kind();
                let message = format!("expected a number of 0 or more, found {found}");
                SuiteError::of_file(message).under("weight")
            })?;
            Some(weight)
        }
    };
    Ok((id.to_display().into_owned(), weight))
}

/// True if an item has criteria for this evaluator that only evaluators of tool calls have.
fn judges_calls(set: &Object<'_>, id: &str) -> bool {
    let items = set.get_str("evaluations").and_then(Value::as_list);
    let criteria_of = |item: &Value<'_>| {
        let all = any(
            item.as_object()?,
            &["evaluationCriterias", "evaluation_criterias"],
        )?;
        let mut criteria_by_id = all.as_object()?.iter();
        let is_of_evaluator = |key: &Text<'_>| folded_id(&key.to_display()) == folded_id(id);
        Some(criteria_by_id.any(|(key, criteria)| is_of_evaluator(key) && is_of_calls(criteria)))
    };
    let mut items = items.unwrap_or_default().iter();
    items.any(|item| criteria_of(item) == Some(true))
}

fn is_of_calls(criteria: &Value<'_>) -> bool {
    let mut keys = criteria.as_object().into_iter().flat_map(Object::iter);
    keys.any(|(key, _)| CRITERIA.contains(&folded(&key.to_display()).as_str()))
}

/// The file of an evaluator.
struct EvaluatorFile {
    path: PathBuf,
    /// Its type, or another key that identifies it.
    kind: String,
    /// The id of the preset and the members of the configuration, if it scores tool calls.
    settings: Option<(&'static str, Vec<(String, JsonText)>)>,
}

/// The evaluators in the `evaluators` folders near an eval set, by id.
fn evaluator_files(set: &Path, limit: usize) -> Checked<BTreeMap<String, EvaluatorFile>> {
    let folder = set.parent().unwrap_or(Path::new(""));
    let parent = if folder.as_os_str().is_empty() {
        PathBuf::from("..")
    } else {
        folder.join("..")
    };
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in [parent.join("evaluators"), folder.join("evaluators")] {
        let entries = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        files.extend(entries.filter(|path| {
            path.extension().is_some_and(|ending| ending == "json") && path.is_file()
        }));
    }
    // Sort, since the order of directory entries is undefined.
    files.sort();
    let mut known = BTreeMap::new();
    for path in files {
        let broken = |why: String| {
            SuiteError::of_file(format!("{}: {why}", path.display()))
                .help("the evaluators of an eval set are JSON files")
        };
        let text = read_text(&path, limit).map_err(|error| broken(error.to_string()))?;
        let value = decoded(&text);
        let value = value.map_err(|error| broken(format!("not JSON: {error}")))?;
        let Some(file) = value.as_object() else {
            return Err(broken(format!(
                "expected an object, found {}",
                value.kind()
            )));
        };
        let Some(id) = file.get_str("id").and_then(Value::as_text) else {
            continue;
        };
        let read = evaluator_file(path.clone(), file)?;
        if let Some(first) = known.insert(folded_id(&id.to_display()), read) {
            let first: EvaluatorFile = first;
            let message = format!(
                "{}: the id `{id}` is that of {} too",
                path.display(),
                first.path.display()
            );
            return Err(
                SuiteError::of_file(message).help("ids of evaluators are unique in a project")
            );
        }
    }
    Ok(known)
}

fn evaluator_file(path: PathBuf, file: &Object<'_>) -> Checked<EvaluatorFile> {
    let text = |keys: &[&str]| {
        any(file, keys)
            .and_then(Value::as_text)
            .map(|text| text.to_display().into_owned())
    };
    let kind = text(&["evaluatorTypeId", "evaluator_type_id"])
        .or_else(|| text(&["evaluatorSchema", "evaluator_schema"]));
    let kind = kind.unwrap_or_else(|| "an older kind".to_owned());
    let Some(preset) = TYPES.iter().find(|name| **name == kind) else {
        return Ok(EvaluatorFile {
            path,
            kind,
            settings: None,
        });
    };
    let config = match any(file, &["evaluatorConfig", "evaluator_config", "config"]) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Object(config)) => config
            .iter()
            .map(|(key, value)| (key.to_display().into_owned(), JsonText::from_value(value)))
            .collect(),
        Some(other) => {
            let message = format!(
                "{}: expected an object, found {}",
                path.display(),
                other.kind()
            );
            return Err(SuiteError::of_file(message).under("evaluatorConfig"));
        }
    };
    Ok(EvaluatorFile {
        path,
        kind,
        settings: Some((preset, config)),
    })
}

/// The evaluator of a file. Configuration keys without a setting of the preset only matter to the
/// original and are ignored.
fn configured(
    id: &str,
    weight: f64,
    file: &EvaluatorFile,
    (preset, config): &(&'static str, Vec<(String, JsonText)>),
    edition: Option<Edition>,
) -> Checked<Configured> {
    let wrong = |error: &rightcall_core::ConfigError| {
        SuiteError::of_file(format!("{}: {error}", file.path.display())).help(format!(
            "`rightcall evaluators {preset}` shows what it takes"
        ))
    };
    let entry = rightcall_core::find(preset).map_err(|error| wrong(&error))?;
    let mut writer = JsonWriter::new();
    writer.begin_object();
    for (key, value) in config {
        // `name` is only a display name in the file; here an evaluator is named by its id.
        let is_setting =
            |name: &str| folded(name) == folded(key) && !matches!(name, "name" | "description");
        if let Some(setting) = entry
            .settings
            .iter()
            .find(|setting| is_setting(setting.name))
        {
            writer.key(setting.name).raw(value.as_str());
        }
    }
    writer.end_object();
    let argument = EvaluatorArgument {
        id: (*preset).to_owned(),
        name: Some(id.to_owned()),
        settings: writer.finish().to_string(),
    };
    let mut configured = Configured::new(argument, Some(edition.unwrap_or(Edition::Package)))
        .map_err(|error| wrong(&error))?;
    configured.weight = weight;
    Ok(configured.judging_by(id))
}

fn decoded(text: &str) -> Result<Value<'_>, SyntaxError> {
    decode_with(text.trim_start_matches('\u{feff}'), Syntax::PYTHON)
}

/// The value of the first of these keys that exists.
fn any<'v, 'a>(object: &'v Object<'a>, keys: &[&str]) -> Option<&'v Value<'a>> {
    keys.iter().find_map(|key| object.get_str(key))
}

/// Ids are compared case-insensitively, like GUIDs.
fn folded_id(id: &str) -> String {
    id.to_lowercase()
}
