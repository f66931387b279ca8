//! Runs work in parallel and returns results in order.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The size of a typical main thread's stack, so that an input which works there works on any thread.
const STACK: usize = 8 << 20;

/// The maximum number of threads: no current machine gains from more, and systems limit them.
pub const MAX_THREADS: usize = 512;

/// Passes each piece of `next` to `work` on one of `threads` threads, and each result to `take`, in the order of the pieces.
///
/// At most two pieces per thread are in progress. With one thread, everything runs on the caller's thread; there are never more than
/// [`MAX_THREADS`].
///
/// # Errors
/// An error of `next` or `take`, which ends the work, or no thread can be started.
///
/// # Panics
/// If `work` panics.
pub fn in_order<P: Send, R: Send, E: From<std::io::Error>>(
    threads: usize,
    mut next: impl FnMut() -> Result<Option<P>, E>,
    work: impl Fn(P) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.min(MAX_THREADS);
    if threads <= 1 {
        while let Some(piece) = next()? {
            take(work(piece))?;
        }
        return Ok(());
    }
    let (todo, pieces) = channel();
    let pieces = Mutex::new(pieces);
    let (done, results) = channel();
    // Move the caller's channel ends into the closure, so that its return, early or not, stops the workers.
    thread::scope(|scope| {
        let todo = todo;
        for started in 0..threads {
            let (pieces, work, done) = (&pieces, &work, done.clone());
            match thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, move || worker(pieces, work, &done))
            {
                Ok(_) => {}
                // The system refused another thread; continue with those that started.
                Err(_) if started > 0 => break,
                Err(error) => return Err(error.into()),
            }
        }
        let (mut sent, mut taken, mut more) = (0, 0, true);
        let mut waiting = BTreeMap::new();
        loop {
            while more && sent - taken < 2 * threads {
                match next()? {
                    Some(piece) => {
                        todo.send((sent, piece))
                            .expect("workers live as long as there may be pieces");
                        sent += 1;
                    }
                    None => more = false,
                }
            }
            if taken == sent {
                return Ok(());
            }
            let (number, result) = results.recv().expect("a worker answers every piece");
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&taken) {
                take(result.unwrap_or_else(|panic| resume_unwind(panic)))?;
                taken += 1;
            }
        }
    })
}

type Numbered<T> = (usize, T);

fn worker<P, R>(
    pieces: &Mutex<Receiver<Numbered<P>>>,
    work: &impl Fn(P) -> R,
    done: &Sender<Numbered<thread::Result<R>>>,
) {
    loop {
        let received = pieces.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, piece)) = received else {
            return;
        };
        // Send a panic to the caller's thread, which would otherwise wait for this result forever.
        let result = catch_unwind(AssertUnwindSafe(|| work(piece)));
        if done.send((number, result)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn results_come_in_the_order_of_the_pieces() {
        for threads in [1, 2, 7] {
            let mut pieces = 0..200_u64;
            let mut taken = Vec::new();
            let slow_first = |piece: u64| {
                (0..(200 - piece) * 200).fold(piece, |sum, it| std::hint::black_box(sum ^ it ^ it));
                piece
            };
            in_order::<_, _, io::Error>(
                threads,
                || Ok(pieces.next()),
                slow_first,
                |it| {
                    taken.push(it);
                    Ok(())
                },
            )
            .unwrap();
            assert!(taken.iter().copied().eq(0..200), "{threads} threads");
        }
    }

    #[test]
    fn an_error_ends_the_work_at_once() {
        for threads in [1, 4] {
            let mut pieces = 0..;
            let result = in_order(
                threads,
                || Ok(pieces.next()),
                |it: u64| it,
                |it| match it {
                    10 => Err(io::Error::other("full")),
                    _ => Ok(()),
                },
            );
            assert_eq!(result.unwrap_err().to_string(), "full");
            assert!(pieces.start < 40);
        }
    }

    #[test]
    #[should_panic(expected = "piece 3")]
    fn a_panic_reaches_the_caller() {
        let mut pieces = 0..9;
        _ = in_order::<_, _, io::Error>(
            2,
            || Ok(pieces.next()),
            |it| assert!(it != 3, "piece {it}"),
            |()| Ok(()),
        );
    }
}
