//! Passes the answers of a run to JavaScript.
//!
//! The run has its own thread and settles promises from there, so it does not block Node's worker
//! pool, which also reads files. Answers wait in a short queue until they are requested, so a slow
//! consumer needs little memory.

use std::collections::VecDeque;
use std::io;
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use napi::{Env, JsDeferred};

use crate::answer::{Fault, answer};

/// A promise of an answer.
pub(crate) type Promised = JsDeferred<String, Resolver>;
type Resolver = Box<dyn FnOnce(Env) -> napi::Result<String> + Send>;

/// The maximum number of result blocks in the queue.
const MAX_QUEUED: usize = 4;

/// The queue between the thread of a run and JavaScript.
#[derive(Default)]
pub(crate) struct Channel {
    state: Mutex<ChannelState>,
    has_room: Condvar,
}

#[derive(Default)]
struct ChannelState {
    answers: VecDeque<String>,
    /// The latest progress, if it was not sent yet.
    progress: Option<String>,
    /// Promises without an answer.
    promised: VecDeque<Promised>,
    /// The run has sent its last answer.
    has_ended: bool,
    /// JavaScript has stopped the run.
    is_closed: bool,
}

impl Channel {
    /// Queues an answer, and blocks while the queue is full.
    ///
    /// # Errors
    /// JavaScript has stopped the run.
    pub(crate) fn send(&self, answer: String) -> io::Result<()> {
        let mut state = self.lock();
        while !state.is_closed && state.promised.is_empty() && state.answers.len() >= MAX_QUEUED {
            state = self
                .has_room
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_closed {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        }
        match state.promised.pop_front() {
            Some(promised) => settle(promised, answer),
            None => state.answers.push_back(answer),
        }
        Ok(())
    }

    /// Reports progress to the next request. It never blocks.
    pub(crate) fn report_progress(&self, answer: String) {
        let mut state = self.lock();
        match state.promised.pop_front() {
            Some(promised) => settle(promised, answer),
            None => state.progress = Some(answer),
        }
    }

    /// Ends the run after its last answer, and settles open promises.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.has_ended = true;
        for promised in mem::take(&mut state.promised) {
            settle(promised, ended());
        }
    }

    /// Requests the next answer.
    pub(crate) fn ask(&self, promised: Promised) {
        let mut state = self.lock();
        if let Some(answer) = state.progress.take().or_else(|| state.answers.pop_front()) {
            self.has_room.notify_all();
            settle(promised, answer);
        } else if state.has_ended || state.is_closed {
            settle(promised, ended());
        } else {
            state.promised.push_back(promised);
        }
    }

    /// Stops the run: drops queued answers and settles open promises.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.answers.clear();
        state.progress = None;
        for promised in mem::take(&mut state.promised) {
            settle(promised, ended());
        }
        self.has_room.notify_all();
    }

    /// True if JavaScript has stopped the run.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    fn lock(&self) -> MutexGuard<'_, ChannelState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Settles a promise; may be called from any thread.
pub(crate) fn settle(promised: Promised, answer: String) {
    promised.resolve(Box::new(move |_| Ok(answer)));
}

fn ended() -> String {
    answer("ended", || Err(Fault::config("the run has ended")))
}
