//! The runs that an expectation accepts, distinguished by the names of their calls: their number, and some of them.

use std::collections::{BTreeMap, HashMap};

use super::residuals::Residuals;
use super::terms::{Step, Term};
use super::tree::ProcessTree;

/// A set of terms: the possible rests after the same calls.
type Set = u32;

/// Maximum number of sets, and of calls in a run.
const MAX_SETS: usize = 20_000;
const MAX_LENGTH: usize = 300;

/// The runs of an expectation, as names.
#[derive(Debug)]
pub struct RunLanguage {
    names: Vec<String>,
    /// For each set and name, the set after a call of that name.
    steps: Vec<BTreeMap<u32, Set>>,
    /// For each set, true if a run may end there.
    is_end: Vec<bool>,
    longest: usize,
    counts: HashMap<(Set, usize), u64>,
}

impl ProcessTree {
    /// The accepted runs with at most `longest` calls, as names; `None` if `longest` or the number of sets is above its limit.
    pub fn language(&self, longest: usize) -> Option<RunLanguage> {
        if longest > MAX_LENGTH {
            return None;
        }
        let mut names: Vec<String> = (0..self.leaf_count())
            .filter_map(|leaf| Some(self.leaf_name(leaf)?.to_string()))
            .collect();
        let name_of_leaf = names.clone();
        names.sort_unstable();
        names.dedup();
        let name_of = |leaf: u32| {
            let found = names.binary_search(&name_of_leaf[leaf as usize]);
            found.map_or(0, |at| at as u32)
        };
        let mut residuals = Residuals::new(self);
        let first = vec![residuals.root()];
        let mut sets = vec![first.clone()];
        let mut numbers = HashMap::from([(first, 0)]);
        let (mut steps, mut is_end) = (Vec::new(), Vec::new());
        // Subset construction: a set holds all terms that the same names lead to.
        while steps.len() < sets.len() {
            let terms = sets[steps.len()].clone();
            is_end.push(terms.iter().any(|it| residuals.is_nullable(*it)));
            let mut next = BTreeMap::<u32, Vec<Term>>::new();
            for term in terms {
                for number in residuals.leaf_steps(term) {
                    if let Step::Leaf(leaf, target) = residuals.step(number) {
                        next.entry(name_of(leaf)).or_default().push(target);
                    }
                }
            }
            let mut of_set = BTreeMap::new();
            for (name, mut terms) in next {
                terms.sort_unstable();
                terms.dedup();
                let number = *numbers.entry(terms.clone()).or_insert_with(|| {
                    sets.push(terms);
                    (sets.len() - 1) as Set
                });
                of_set.insert(name, number);
            }
            steps.push(of_set);
            if sets.len() > MAX_SETS {
                return None;
            }
        }
        Some(RunLanguage {
            names,
            steps,
            is_end,
            longest,
            counts: HashMap::new(),
        })
    }
}

impl RunLanguage {
    /// The number of runs, at most [`u64::MAX`].
    pub fn count(&mut self) -> u64 {
        self.count_from(0, self.longest)
    }

    fn count_from(&mut self, set: Set, left: usize) -> u64 {
        if let Some(known) = self.counts.get(&(set, left)) {
            return *known;
        }
        let mut count = u64::from(self.is_end[set as usize]);
        if left > 0 {
            let next: Vec<Set> = self.steps[set as usize].values().copied().collect();
            for set in next {
                count = count.saturating_add(self.count_from(set, left - 1));
            }
        }
        self.counts.insert((set, left), count);
        count
    }

    /// Runs that are not known yet, sorted by name.
    pub fn others(&mut self, is_known: &dyn Fn(&[&str]) -> bool, most: usize) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        let names = self.names.clone();
        self.walk(0, &names, &mut Vec::new(), is_known, most, &mut found);
        found
    }

    fn walk<'n>(
        &mut self,
        set: Set,
        names: &'n [String],
        run: &mut Vec<&'n str>,
        is_known: &dyn Fn(&[&str]) -> bool,
        most: usize,
        found: &mut Vec<Vec<String>>,
    ) {
        if self.is_end[set as usize] && !is_known(run) {
            found.push(run.iter().map(|it| (*it).to_owned()).collect());
        }
        if run.len() == self.longest {
            return;
        }
        let next: Vec<(u32, Set)> = self.steps[set as usize]
            .iter()
            .map(|(name, set)| (*name, *set))
            .collect();
        for (name, set) in next {
            if found.len() >= most {
                return;
            }
            if self.count_from(set, self.longest - run.len() - 1) > 0 {
                run.push(&names[name as usize]);
                self.walk(set, names, run, is_known, most, found);
                run.pop();
            }
        }
    }
}
