//! Strength reports of runs, computed one at a time on a separate thread, so pages stay fast.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rightcall_quality::strength::StrengthReport;

/// Maximum number of reports kept.
const KEPT: usize = 16;

/// The time that a page waits for its report before it shows the progress.
const WAIT: Duration = Duration::from_millis(500);

/// The stack size of the thread, since expectations and arguments may be deeply nested.
const STACK: usize = 8 << 20;

/// A report, or the reason why there is none.
pub(crate) type StrengthResult = Result<StrengthReport, String>;

/// The most recently requested strength reports.
#[derive(Clone, Debug, Default)]
pub(crate) struct StrengthReports(Arc<SharedReports>);

#[derive(Debug, Default)]
struct SharedReports {
    work: Mutex<RequestedReports>,
    finished: Condvar,
}

#[derive(Debug, Default)]
struct RequestedReports {
    /// The finished reports, the last one first.
    reports: VecDeque<(String, Arc<StrengthResult>)>,
    /// The key and the progress of the current report.
    current: Option<(String, Arc<AtomicU64>)>,
}

/// The state of a report.
#[derive(Debug)]
pub(crate) enum StrengthState {
    Finished(Arc<StrengthResult>),
    /// In progress, with the number of finished runs.
    Working(u64),
    /// Another report is in progress.
    Waiting,
}

impl StrengthReports {
    /// The report with this key. If no report is in progress, `make` starts on another thread, and
    /// counts the finished runs.
    ///
    /// # Errors
    /// No thread can be started.
    pub(crate) fn get_or_start(
        &self,
        key: &str,
        make: impl FnOnce(&AtomicU64) -> StrengthResult + Send + 'static,
    ) -> io::Result<StrengthState> {
        let mut work = self.lock();
        if work.report(key).is_none() && work.current.is_none() {
            let done = Arc::new(AtomicU64::new(0));
            let task = Task {
                reports: self.clone(),
                key: key.to_owned(),
                result: None,
            };
            let counted = Arc::clone(&done);
            thread::Builder::new()
                .stack_size(STACK)
                .spawn(move || task.finish(make(&counted)))?;
            work.current = Some((key.to_owned(), done));
        }
        let is_unfinished = |work: &mut RequestedReports| work.is_current(key);
        let waited = self
            .0
            .finished
            .wait_timeout_while(work, WAIT, is_unfinished);
        let (work, _) = waited.unwrap_or_else(PoisonError::into_inner);
        Ok(match (work.report(key), &work.current) {
            (Some(report), _) => StrengthState::Finished(report),
            (None, Some((current, done))) if current == key => {
                StrengthState::Working(done.load(Ordering::Relaxed))
            }
            (None, _) => StrengthState::Waiting,
        })
    }

    fn lock(&self) -> MutexGuard<'_, RequestedReports> {
        self.0.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestedReports {
    fn report(&self, key: &str) -> Option<Arc<StrengthResult>> {
        let found = self.reports.iter().find(|(known, _)| known == key);
        found.map(|(_, report)| Arc::clone(report))
    }

    fn is_current(&self, key: &str) -> bool {
        self.current.as_ref().is_some_and(|(it, _)| it == key)
    }
}

/// A report in progress. If it is dropped without a result, for example by a panic, it leaves an
/// error.
struct Task {
    reports: StrengthReports,
    key: String,
    result: Option<StrengthResult>,
}

impl Task {
    fn finish(mut self, result: StrengthResult) {
        self.result = Some(result);
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let stopped = || Err("it stopped before its end".to_owned());
        let result = self.result.take().unwrap_or_else(stopped);
        let mut work = self.reports.lock();
        let key = std::mem::take(&mut self.key);
        work.reports.push_front((key, Arc::new(result)));
        work.reports.truncate(KEPT);
        work.current = None;
        self.reports.0.finished.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn one_report_is_computed_at_a_time_and_finished_ones_are_cached() {
        let reports = StrengthReports::default();
        let (go, gone) = channel::<()>();
        let (start, started) = channel::<()>();
        let slow = move |done: &AtomicU64| {
            done.store(3, Ordering::Relaxed);
            _ = start.send(());
            _ = gone.recv();
            Ok(StrengthReport::default())
        };
        let never = |_: &AtomicU64| -> StrengthResult { unreachable!("it must not be made") };
        let state = reports.get_or_start("a", slow).unwrap();
        assert!(matches!(state, StrengthState::Working(_)), "{state:?}");
        started.recv().unwrap();
        let state = reports.get_or_start("b", never).unwrap();
        assert!(matches!(state, StrengthState::Waiting), "{state:?}");
        go.send(()).unwrap();
        loop {
            let state = reports.get_or_start("a", never).unwrap();
            if matches!(&state, StrengthState::Finished(it) if it.is_ok()) {
                break;
            }
            assert!(matches!(state, StrengthState::Working(3)), "{state:?}");
        }
    }

    #[test]
    fn a_panic_leaves_an_error() {
        let reports = StrengthReports::default();
        let panics = |_: &AtomicU64| -> StrengthResult { panic!("on purpose") };
        let never = |_: &AtomicU64| -> StrengthResult { unreachable!("it must not be made") };
        let mut state = reports.get_or_start("a", panics).unwrap();
        // The thread may take longer than a page waits.
        while let StrengthState::Working(_) = state {
            state = reports.get_or_start("a", never).unwrap();
        }
        assert!(
            matches!(&state, StrengthState::Finished(it) if it.is_err()),
            "{state:?}"
        );
    }
}
