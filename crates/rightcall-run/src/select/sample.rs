//! Decides which cases of a run are stored in full.
//!
//! A small run is stored in full. Of a large run, failures and a sample are stored, each at most
//! half the limit. Cases are chosen by the hash of their name under a fixed key, lowest first. So
//! the choice needs no second pass, does not depend on threads, and is the same in every run over
//! the same data.

use std::collections::BinaryHeap;
use std::hash::Hasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use siphasher::sip::SipHasher13;

/// Default number of cases stored for each run.
pub const MAX_CASES: usize = 10_000;

/// Decides which cases are stored. Scoring threads query it, and the thread that collects results
/// lowers its limits.
#[derive(Debug)]
pub struct Recording {
    limit: usize,
    /// Cases with a rank below this are in the sample.
    sample: AtomicU64,
    /// Failures with a rank below this are stored.
    failures: AtomicU64,
}

/// The rank of a case, lowest first: 63 bits of a hash of its name.
pub type Rank = u64;

const EVERYTHING: Rank = Rank::MAX;

impl Recording {
    /// Stores at most `limit` cases.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            sample: AtomicU64::new(EVERYTHING),
            failures: AtomicU64::new(EVERYTHING),
        }
    }

    /// True if a case may still be selected.
    pub fn admits(&self, rank: Rank, failed: bool) -> bool {
        rank < self.sample.load(Ordering::Relaxed)
            || (failed && rank < self.failures.load(Ordering::Relaxed))
    }

    /// The rank limits of the sample and of failures.
    pub fn bounds(&self) -> (Rank, Rank) {
        (
            self.sample.load(Ordering::Relaxed),
            self.failures.load(Ordering::Relaxed),
        )
    }
}

/// Counts the cases of a run in input order, and lowers the limits of the recording as needed.
#[derive(Debug)]
pub struct Narrowing {
    recording: Arc<Recording>,
    cases: usize,
    /// The lowest ranks so far, each list at most half the limit.
    sample: BinaryHeap<Rank>,
    failures: BinaryHeap<Rank>,
}

impl Narrowing {
    /// Starts to narrow this recording.
    pub fn new(recording: Arc<Recording>) -> Self {
        Self {
            recording,
            cases: 0,
            sample: BinaryHeap::new(),
            failures: BinaryHeap::new(),
        }
    }

    /// Counts a case; `None` for one that the recording rejected. Returns true if the limits became
    /// lower, so stored cases may have to be removed.
    pub fn note(&mut self, record: Option<(Rank, bool)>) -> bool {
        self.cases += 1;
        let half = self.recording.limit / 2;
        if let Some((rank, failed)) = record {
            keep_lowest(&mut self.sample, rank, half);
            if failed {
                keep_lowest(&mut self.failures, rank, half);
            }
        }
        // A run within the limit is stored in full.
        if self.cases <= self.recording.limit {
            return false;
        }
        let narrowed = [
            (&self.sample, &self.recording.sample),
            (&self.failures, &self.recording.failures),
        ]
        .map(|(heap, bound)| {
            let new = if heap.len() < half {
                EVERYTHING
            } else {
                heap.peek().map_or(0, |highest| highest + 1)
            };
            bound.swap(new, Ordering::Relaxed) != new
        });
        narrowed.contains(&true)
    }
}

fn keep_lowest(heap: &mut BinaryHeap<Rank>, rank: Rank, number: usize) {
    heap.push(rank);
    if heap.len() > number {
        heap.pop();
    }
}

/// The rank of a case. The key is constant, so every run has the same sample.
pub fn rank_of(label: &str, trial: Option<&str>) -> Rank {
    let mut hasher = SipHasher13::new_with_keys(0x7269_6768_7463_616c, 0x6c20_7361_6d70_6c65);
    hasher.write(label.as_bytes());
    hasher.write_u8(0xFF);
    hasher.write(trial.unwrap_or_default().as_bytes());
    hasher.finish() >> 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(limit: usize, cases: &[(Rank, bool)]) -> Vec<Rank> {
        let recording = Arc::new(Recording::new(limit));
        let mut narrowing = Narrowing::new(Arc::clone(&recording));
        let mut kept: Vec<(Rank, bool)> = Vec::new();
        for &(rank, failed) in cases {
            let admitted = recording.admits(rank, failed).then_some((rank, failed));
            narrowing.note(admitted);
            kept.extend(admitted);
        }
        kept.retain(|(rank, failed)| recording.admits(*rank, *failed));
        kept.into_iter().map(|(rank, _)| rank).collect()
    }

    #[test]
    fn small_run_is_kept_and_large_one_is_sampled() {
        let cases: Vec<_> = (0..100)
            .map(|number| (number * 37 % 100, number % 10 == 0))
            .collect();
        assert_eq!(kept(100, &cases).len(), 100);
        let of_large = kept(40, &cases);
        assert!((0..20).all(|rank| of_large.contains(&rank)), "the sample");
        assert!(
            cases
                .iter()
                .all(|(rank, failed)| !failed || of_large.contains(rank)),
            "the failures"
        );
        assert!(of_large.len() <= 40);
        assert!(kept(0, &cases).is_empty());
    }

    #[test]
    fn many_failures_do_not_exceed_the_limit() {
        let cases: Vec<_> = (0..1000)
            .map(|number| (number * 37 % 1000, number % 2 == 0))
            .collect();
        assert!(kept(40, &cases).len() <= 40);
    }
}
