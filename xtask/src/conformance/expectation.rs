//! Goldens of expectations in blocks: parses each as a line of a case file, and compares its resolution.

use rightcall_core::expectation::Resolution;
use rightcall_formats::{ReadOptions, read_case};

use super::decode;

/// Compares each key of the result by value.
pub(super) fn check(line: &str, result: &str) -> Result<(), String> {
    let case = read_case(line, &ReadOptions::default()).map_err(|error| error.to_string())?;
    let resolution = case.resolution();
    let resolved = match &resolution {
        Some(Ok(resolution)) => resolution_json(resolution),
        Some(Err(error)) => return Err(error.to_string()),
        None => resolution_json(&of_list(&case)?),
    };
    let wanted = decode(result)?;
    let found = decode(&resolved)?;
    super::compare("", &wanted, &found, rightcall_core::Edition::Package)
}

/// The resolution of a plain list of calls: the list itself.
fn of_list(case: &rightcall_core::call::Case<'_>) -> Result<Resolution, String> {
    use rightcall_core::call::Call;
    use rightcall_core::expectation::ProcessTree;
    let calls = case
        .expected
        .calls
        .as_deref()
        .ok_or("no calls are expected")?;
    let tree = ProcessTree::from_calls(calls);
    let run = case.actual.iter().flat_map(|run| &run.calls);
    let run: Vec<_> = run.map(Call::for_expectation).collect();
    tree.resolve(&run).map_err(|error| error.to_string())
}

fn resolution_json(resolution: &Resolution) -> String {
    resolution.definition_json().into_string()
}
