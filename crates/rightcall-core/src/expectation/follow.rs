//! Finds the pairs of tools that may be called consecutively.
//!
//! The sets are those of Glushkov's automaton (*first*, *last*, *follow*), over the names of tools instead of leaves: an expectation has
//! few tools, however many calls it has.

use std::collections::BTreeSet;

use crate::value::Text;

use super::node::TreeOperator;
use super::tree::ProcessTree;

type Names<'t> = BTreeSet<&'t Text<'static>>;

/// The tools of the runs that a node accepts.
#[derive(Clone, Default)]
struct Ends<'t> {
    /// The tools of first calls.
    first: Names<'t>,
    /// The tools of last calls.
    last: Names<'t>,
    /// The tools of all calls.
    all: Names<'t>,
}

type Pairs<'t> = BTreeSet<(&'t Text<'static>, &'t Text<'static>)>;

impl ProcessTree {
    /// The pairs of tools that are called consecutively in some accepted run, sorted.
    ///
    /// Variables are ignored: a pair counts even if no values fit both calls.
    pub fn consecutive_tools(&self) -> Vec<(&Text<'static>, &Text<'static>)> {
        let mut pairs = Pairs::new();
        // Children come before their parents.
        let mut ends: Vec<Ends<'_>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let found = match &node.operator {
                TreeOperator::Call(leaf) => {
                    let only = Names::from([&self.leaves[*leaf as usize].name]);
                    Ends {
                        first: only.clone(),
                        last: only.clone(),
                        all: only,
                    }
                }
                TreeOperator::Sequence(children) => self.in_sequence(children, &ends, &mut pairs),
                TreeOperator::Parallel(children) => {
                    interleave(children, &ends, &mut pairs);
                    union(children, &ends)
                }
                TreeOperator::Choice(children) => union(children, &ends),
                TreeOperator::Optional(child) => ends[*child as usize].clone(),
                TreeOperator::Loop { max: Some(0), .. } => Ends::default(),
                TreeOperator::Loop { child, max, .. } => {
                    let round = ends[*child as usize].clone();
                    if *max != Some(1) {
                        join(&round.last, &round.first, &mut pairs);
                    }
                    round
                }
            };
            ends.push(found);
        }
        pairs.into_iter().collect()
    }

    fn in_sequence<'t>(
        &self,
        children: &[u32],
        ends: &[Ends<'t>],
        pairs: &mut Pairs<'t>,
    ) -> Ends<'t> {
        let mut whole = Ends::default();
        let mut is_begun = false;
        for number in children {
            let child = &ends[*number as usize];
            let is_nullable = self.node(*number).is_nullable;
            join(&whole.last, &child.first, pairs);
            if !is_begun {
                whole.first.extend(&child.first);
            }
            if !is_nullable {
                whole.last.clear();
            }
            whole.last.extend(&child.last);
            whole.all.extend(&child.all);
            is_begun |= !is_nullable;
        }
        whole
    }
}

/// Adds the pairs of a tool in `before` and a tool in `after`.
fn join<'t>(before: &Names<'t>, after: &Names<'t>, pairs: &mut Pairs<'t>) {
    for one in before {
        pairs.extend(after.iter().map(|other| (*one, *other)));
    }
}

/// Adds the pairs of parallel children: any call of one child directly before any call of another.
fn interleave<'t>(children: &[u32], ends: &[Ends<'t>], pairs: &mut Pairs<'t>) {
    let mut others = Names::new();
    for child in children {
        let child = &ends[*child as usize].all;
        join(&others, child, pairs);
        join(child, &others, pairs);
        others.extend(child);
    }
}

fn union<'t>(children: &[u32], ends: &[Ends<'t>]) -> Ends<'t> {
    let mut whole = Ends::default();
    for child in children {
        let child = &ends[*child as usize];
        whole.first.extend(&child.first);
        whole.last.extend(&child.last);
        whole.all.extend(&child.all);
    }
    whole
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pairs(tree: &ProcessTree) -> String {
        let pairs = tree.consecutive_tools().into_iter();
        let pairs = pairs.map(|(one, other)| format!("{one}{other}"));
        pairs.collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(expected: &str, wanted: &str) {
        assert_eq!(pairs(&ProcessTree::read(expected).unwrap()), wanted);
    }

    #[test]
    fn blocks_determine_consecutive_tools() {
        check(r#"["a","b","c"]"#, "ab bc");
        check(r#"["a",{"optional":"b"},"c"]"#, "ab ac bc");
        check(r#"[{"any_order":["a",["b","c"]]}]"#, "ab ac ba bc ca");
        check(r#"[{"one_of":["a",["b","c"],[]]},"d"]"#, "ad bc cd");
        check(r#"[{"repeat":["a","b"]}]"#, "ab ba");
        check(r#"[{"repeat":["a","b"],"max":1}]"#, "ab");
        check("[]", "");
    }

    fn elements() -> impl Strategy<Value = String> {
        let call = prop::sample::select(vec!["\"a\"", "\"b\"", "\"c\""]).prop_map(str::to_owned);
        call.prop_recursive(3, 8, 3, |inner| {
            let some = prop::collection::vec(inner, 1..4).prop_map(|it| it.join(","));
            let block = prop::sample::select(vec!["any_order", "one_of", "optional", "sequence"]);
            prop_oneof![
                (block, some.clone()).prop_map(|(block, some)| format!("{{\"{block}\":[{some}]}}")),
                (some, 0..2_u8, 0..2_u8).prop_map(|(some, min, more)| {
                    let max = (min + more).max(1);
                    format!("{{\"repeat\":[{some}],\"min\":{min},\"max\":{max}}}")
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Compares with the pairs in all accepted runs, written out.
        #[test]
        fn pairs_match_those_of_all_accepted_runs(elements in prop::collection::vec(elements(), 0..4)) {
            let tree = ProcessTree::read(&format!("[{}]", elements.join(","))).unwrap();
            let language = tree.language(16).filter(|_| tree.leaf_count() < 8);
            if let Some(mut runs) = language && runs.count() < 3000 {
                let runs = runs.others(&|_| false, usize::MAX);
                let mut seen = BTreeSet::new();
                for run in runs {
                    seen.extend(run.windows(2).map(<[String]>::concat));
                }
                let seen: Vec<_> = seen.into_iter().collect();
                prop_assert_eq!(pairs(&tree), seen.join(" "));
            }
        }
    }
}
