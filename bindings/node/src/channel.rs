//! Answers of a run on their way to JavaScript.
//!
//! The run has a thread of its own and settles promises from there, so no worker of Node's pool, which reads files too, waits for it.
//! Answers that nobody has asked for yet wait in a short queue: a slow reader of a fast run costs no memory.

use std::collections::VecDeque;
use std::io;
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use napi::{Env, JsDeferred};

use crate::answer::{Fault, answer};

/// A promise of an answer.
pub(crate) type Promised = JsDeferred<String, Resolver>;
type Resolver = Box<dyn FnOnce(Env) -> napi::Result<String> + Send>;

/// Blocks of results that wait for JavaScript.
const WAITING: usize = 4;

/// Between the thread of a run and JavaScript.
#[derive(Default)]
pub(crate) struct Channel {
    state: Mutex<State>,
    has_room: Condvar,
}

#[derive(Default)]
struct State {
    answers: VecDeque<String>,
    /// How far the run is, if nobody was told yet; the latest counts.
    progress: Option<String>,
    /// Promises without an answer yet.
    promised: VecDeque<Promised>,
    /// No answer comes any more.
    has_ended: bool,
    /// Nobody asks any more.
    is_closed: bool,
}

impl Channel {
    /// Hands an answer over, once there is room for it.
    ///
    /// # Errors
    /// Nobody wants to hear more.
    pub(crate) fn send(&self, answer: String) -> io::Result<()> {
        let mut state = self.lock();
        while !state.is_closed && state.promised.is_empty() && state.answers.len() >= WAITING {
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

    /// Tells how far the run is, to whoever waits or will ask; never waits itself.
    pub(crate) fn tell_progress(&self, answer: String) {
        let mut state = self.lock();
        match state.promised.pop_front() {
            Some(promised) => settle(promised, answer),
            None => state.progress = Some(answer),
        }
    }

    /// The last answer has been sent.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.has_ended = true;
        for promised in mem::take(&mut state.promised) {
            settle(promised, ended());
        }
    }

    /// Promises the next answer.
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

    /// Ends the run: what waits is forgotten, and whoever waits is told.
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

    /// Whether nobody wants to hear more.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Settles a promise, from any thread.
pub(crate) fn settle(promised: Promised, answer: String) {
    promised.resolve(Box::new(move |_| Ok(answer)));
}

fn ended() -> String {
    answer("ended", || Err(Fault::config("the run has ended")))
}
