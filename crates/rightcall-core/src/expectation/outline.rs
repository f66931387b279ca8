//! A readable outline of a tree that marks the path of the nearest run.

use crate::value::JsonText;

use super::choices::{ChosenWay, TreeChoice};
use super::node::{Leaf, TreeOperator};
use super::resolution::Resolution;
use super::tree::ProcessTree;

/// A line of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineLine {
    /// Its depth, from 0.
    pub depth: usize,
    /// The block with its choice, or the call with its demand.
    pub label: String,
    /// The remark on a block.
    pub note: Option<String>,
    /// Its state.
    pub state: OutlineState,
}

/// The state of a part of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineState {
    /// A block that the run goes through.
    Block,
    /// A call or block that is not on the run's path.
    NotTaken,
    /// A call that was made as demanded, every time.
    Met,
    /// A call that was made, but not as demanded.
    NotMet,
    /// A call that was not made.
    Missed,
}

impl ProcessTree {
    /// The lines of the outline, in written order.
    pub fn outline(&self, resolution: &Resolution) -> Vec<OutlineLine> {
        let mut outline = Outline {
            tree: self,
            resolution,
            lines: Vec::new(),
        };
        let root = self.node(self.root()).operator.children().to_vec();
        root.iter().for_each(|child| outline.add(*child, 0));
        outline.lines
    }
}

struct Outline<'o> {
    tree: &'o ProcessTree,
    resolution: &'o Resolution,
    lines: Vec<OutlineLine>,
}

impl Outline<'_> {
    fn add(&mut self, node: u32, depth: usize) {
        let node = self.tree.node(node);
        let label = match &node.operator {
            TreeOperator::Call(leaf) => {
                let (label, state) = (
                    call_label(&self.tree.leaves[*leaf as usize]),
                    self.state(*leaf),
                );
                self.lines.push(OutlineLine {
                    depth,
                    label,
                    note: None,
                    state,
                });
                return;
            }
            TreeOperator::Sequence(children) if children.len() == 1 && node.note.is_none() => {
                self.add(children[0], depth);
                return;
            }
            TreeOperator::Sequence(children) if children.is_empty() => "nothing".to_owned(),
            TreeOperator::Sequence(_) => "one after another".to_owned(),
            TreeOperator::Parallel(_) => "in any order".to_owned(),
            TreeOperator::Choice(_) => "one of".to_owned(),
            TreeOperator::Optional(_) => "optional".to_owned(),
            TreeOperator::Loop { .. } => "repeated".to_owned(),
        };
        let chosen = self.chosen(&node.pointer);
        let is_in_run = self
            .resolution
            .run
            .iter()
            .any(|leaf| (node.leaves.0..node.leaves.1).contains(leaf));
        let state = if is_in_run || !chosen.is_empty() {
            OutlineState::Block
        } else {
            OutlineState::NotTaken
        };
        let label = if chosen.is_empty() {
            label
        } else {
            format!("{label}: {chosen}")
        };
        self.lines.push(OutlineLine {
            depth,
            label,
            note: node.note.as_deref().map(ToOwned::to_owned),
            state,
        });
        // The list inside an option or a repeat is not a separate level.
        let mut children = node.operator.children().to_vec();
        if let TreeOperator::Optional(child) | TreeOperator::Loop { child, .. } = &node.operator
            && let TreeOperator::Sequence(inner) = &self.tree.node(*child).operator
        {
            children.clone_from(inner);
        }
        children
            .iter()
            .for_each(|child| self.add(*child, depth + 1));
    }

    /// The choices made at a block, each listed once.
    fn chosen(&self, pointer: &str) -> String {
        let mut ways: Vec<String> = Vec::new();
        for TreeChoice { chosen, .. } in self
            .resolution
            .choices
            .iter()
            .filter(|it| it.pointer == pointer)
        {
            let way = match chosen {
                ChosenWay::Alternative(number) => format!("alternative {}", number + 1),
                ChosenWay::Option(true) => "taken".to_owned(),
                ChosenWay::Option(false) => "not taken".to_owned(),
                ChosenWay::Rounds(1) => "1 round".to_owned(),
                ChosenWay::Rounds(rounds) => format!("{rounds} rounds"),
            };
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        ways.join(", ")
    }

    fn state(&self, leaf: u32) -> OutlineState {
        let places = self
            .resolution
            .run
            .iter()
            .enumerate()
            .filter(|(_, it)| **it == leaf);
        let grade = |place: usize| {
            let pair = self
                .resolution
                .pairs
                .iter()
                .find(|pair| pair.expected == place);
            match pair {
                Some(pair) if pair.is_full => OutlineState::Met,
                Some(_) => OutlineState::NotMet,
                None => OutlineState::Missed,
            }
        };
        let states: Vec<_> = places.map(|(place, _)| grade(place)).collect();
        let order = [
            OutlineState::NotMet,
            OutlineState::Missed,
            OutlineState::Met,
        ];
        let worst = order.into_iter().find(|state| states.contains(state));
        worst.unwrap_or(OutlineState::NotTaken)
    }
}

/// `find_order {"id":7} → {"total":{"$var":"total"}}`.
fn call_label(leaf: &Leaf) -> String {
    let json = |value: crate::value::Value<'_>| JsonText::from_python_value(&value).into_string();
    let arguments = leaf
        .arguments
        .as_ref()
        .map_or_else(String::new, |it| format!(" {}", json(it.written())));
    let output = leaf
        .output
        .as_ref()
        .map_or_else(String::new, |it| format!(" → {}", json(it.written.clone())));
    format!("{}{arguments}{output}", leaf.name.to_display())
}
