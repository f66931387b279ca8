//! Costs of optimal alignments by the crate `process_mining`. The input is a file of expectations in blocks and runs, as `trees` of
//! `xtask/bench/workloads.py` writes it. Each batch is converted to process trees and then to Petri nets before the clock starts.

use std::error::Error;
use std::time::Duration;

use cpu_time::ProcessTime;
use process_mining::PetriNet;
use process_mining::conformance::alignments::{AlignmentOptions, align_trace};
use process_mining::core::process_models::process_tree::{Node, OperatorType, ProcessTree};
use serde_json::{Value, json};

/// The batch size.
const AT_A_TIME: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: alignments FILE")?;
    let text = std::fs::read_to_string(file)?;
    let lines: Vec<&str> = text.lines().collect();
    let options = AlignmentOptions {
        max_states: None,
        ..AlignmentOptions::default()
    };
    let mut costs = Vec::new();
    let mut time = Duration::ZERO;
    for lines in lines.chunks(AT_A_TIME) {
        let cases = lines.iter().map(|line| case(line));
        let cases = cases.collect::<Result<Vec<_>, _>>()?;
        let start = ProcessTime::now();
        for (net, run) in &cases {
            let run: Vec<&str> = run.iter().map(String::as_str).collect();
            costs.push(align_trace(net, &run, &options)?.cost);
        }
        time += start.elapsed();
    }
    println!(
        "{}",
        json!({"cases": lines.len(), "cpu_seconds": time.as_secs_f64(), "costs": costs})
    );
    Ok(())
}

fn case(line: &str) -> Result<(PetriNet, Vec<String>), Box<dyn Error>> {
    let case: Value = serde_json::from_str(line)?;
    let net = ProcessTree::new(sequence(&case["expected"])?).to_petri_net();
    let run = case["actual"].as_array().ok_or("no list of calls")?;
    let names = run
        .iter()
        .map(|call| Ok(call.as_str().ok_or("a call is no name")?.to_owned()));
    Ok((net, names.collect::<Result<_, &str>>()?))
}

fn silent() -> Node {
    Node::new_leaf(None)
}

fn operator(kind: OperatorType, children: Vec<Node>) -> Node {
    let mut node = Node::new_operator(kind);
    children.into_iter().for_each(|child| node.add_child(child));
    node
}

/// The elements of a block. A single element means a list of one.
fn elements(block: &Value) -> Vec<&Value> {
    block
        .as_array()
        .map_or_else(|| vec![block], |list| list.iter().collect())
}

/// A list is a sequence at every level.
fn sequence(block: &Value) -> Result<Node, Box<dyn Error>> {
    let children = elements(block)
        .into_iter()
        .map(element)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(match children.len() {
        0 => silent(),
        _ => operator(OperatorType::Sequence, children),
    })
}

fn element(element: &Value) -> Result<Node, Box<dyn Error>> {
    if let Some(name) = element.as_str() {
        return Ok(Node::new_leaf(Some(name.to_owned())));
    }
    if element.is_array() {
        return sequence(element);
    }
    let branches = |block: &Value| -> Result<Vec<Node>, Box<dyn Error>> {
        elements(block).into_iter().map(self::element).collect()
    };
    let object = element.as_object().ok_or("neither a name nor a block")?;
    if let Some(block) = object.get("sequence") {
        return sequence(block);
    }
    if let Some(block) = object.get("any_order") {
        let branches = branches(block)?;
        return Ok(match branches.len() {
            0 => silent(),
            _ => operator(OperatorType::Concurrency, branches),
        });
    }
    if let Some(block) = object.get("one_of") {
        return Ok(operator(OperatorType::ExclusiveChoice, branches(block)?));
    }
    if let Some(block) = object.get("optional") {
        return Ok(optional(sequence(block)?));
    }
    let block = object.get("repeat").ok_or("an unknown block")?;
    let least = object.get("min").and_then(Value::as_u64).unwrap_or(1);
    let mut rounds = (0..least)
        .map(|_| sequence(block))
        .collect::<Result<Vec<_>, _>>()?;
    match object.get("max").and_then(Value::as_u64) {
        Some(most) => {
            // A further round is possible only after the previous one.
            let mut further = silent();
            for _ in least..most {
                further = optional(operator(
                    OperatorType::Sequence,
                    vec![sequence(block)?, further],
                ));
            }
            rounds.push(further);
        }
        None => rounds.push(optional(operator(
            OperatorType::Loop,
            vec![sequence(block)?, silent()],
        ))),
    }
    Ok(operator(OperatorType::Sequence, rounds))
}

fn optional(node: Node) -> Node {
    operator(OperatorType::ExclusiveChoice, vec![silent(), node])
}
