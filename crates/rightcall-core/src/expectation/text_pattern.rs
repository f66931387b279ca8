//! Compiled regular expressions: `$pattern`.
//!
//! A file usually repeats the same few expressions in all its cases, and compiling one takes longer than matching it. So all cases of a
//! process share a cache of fixed size. The limit on an expectation depends only on its own expressions, never on the cache, so results
//! don't depend on the number of threads.
//!
//! This uses the engine below the `regex` crate, with that crate's settings. Only the engine reports the size of an expression and lets the
//! caller free a search's scratch memory.

use std::sync::{Arc, LazyLock, Mutex, RwLock};

use hashbrown::HashMap;
use regex_automata::Input;
use regex_automata::meta::{BuildError, Builder, Cache, Config, Regex};

use super::error::{ExpectationError, Result};

type FastMap<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

const MEGA: usize = 1 << 20;

/// The limits of the `regex` crate, for an expression and for a search's cached states.
const MAX_EXPRESSION: usize = 10 * MEGA;
const MAX_SEARCH_STATES: usize = 2 * MEGA;

/// Maximum memory for the distinct expressions of one expectation. `\w{1,200}` alone takes 11 MiB, `^order-\d+$` 15 KiB.
const MAX_IN_EXPECTATION: usize = 64 * MEGA;

/// Maximum memory for cached expressions.
const MAX_CACHED: usize = 64 * MEGA;

/// Added to each expression's size, so that the scratch memory for a short text is not larger than the counted size.
const OVERHEAD: usize = 8 << 10;

/// A compiled regular expression.
#[derive(Debug)]
pub(super) struct TextPattern {
    regex: Regex,
    /// Its size in bytes, without scratch memory.
    size: usize,
    /// The scratch memory of the last search, if it is not larger than the expression.
    scratch: Mutex<Option<Box<Cache>>>,
}

impl TextPattern {
    fn compile(text: &str) -> std::result::Result<Self, Box<BuildError>> {
        let limits = Config::new()
            .nfa_size_limit(Some(MAX_EXPRESSION))
            .hybrid_cache_capacity(MAX_SEARCH_STATES);
        let regex = Builder::new().configure(limits).build(text)?;
        Ok(Self {
            size: regex.memory_usage() + text.len() + OVERHEAD,
            regex,
            scratch: Mutex::default(),
        })
    }

    /// True if the expression matches anywhere in a text.
    pub(super) fn is_found_in(&self, text: &str) -> bool {
        // Another thread may be using the scratch memory.
        let kept = self.scratch.try_lock().ok().and_then(|mut it| it.take());
        let mut scratch = kept.unwrap_or_else(|| Box::new(self.regex.create_cache()));
        let input = Input::new(text).earliest(true);
        let found = self.regex.search_half_with(&mut scratch, &input);
        if scratch.memory_usage() <= self.size
            && let Ok(mut kept) = self.scratch.try_lock()
        {
            *kept = Some(scratch);
        }
        found.is_some()
    }
}

/// The regular expressions of one expectation.
#[derive(Debug, Default)]
pub(super) struct TextPatterns {
    patterns: FastMap<String, Arc<TextPattern>>,
    size: usize,
}

impl TextPatterns {
    /// The compiled expression. `described` is a short description of the text for messages.
    ///
    /// # Errors
    /// The text is not a regular expression, or is too large, alone or together with the earlier ones.
    pub(super) fn compiled(
        &mut self,
        text: &str,
        described: impl FnOnce() -> String,
    ) -> Result<Arc<TextPattern>> {
        if let Some(known) = self.patterns.get(text) {
            return Ok(Arc::clone(known));
        }
        let compiled = match shared(&CACHE, text) {
            Ok(compiled) => compiled,
            Err(error) => return Err(compile_error(&error, described())),
        };
        self.size += compiled.size;
        if self.size > MAX_IN_EXPECTATION {
            let most = MAX_IN_EXPECTATION / MEGA;
            return Err(ExpectationError::new(
                format!("at most {most} MiB of compiled regular expressions in one expectation"),
                format!("{}, which exceeds that with those before it", described()),
            )
            .help("use fewer expressions, or smaller ones: each repeat is compiled as many times as its bound says, and `[0-9a-z]{200}` takes a fraction of `\\w{200}`"));
        }
        self.patterns.insert(text.to_owned(), Arc::clone(&compiled));
        Ok(compiled)
    }
}

#[cold]
fn compile_error(error: &BuildError, described: String) -> ExpectationError {
    if let Some(size) = error.size_limit() {
        return ExpectationError::new(
            format!("a regular expression of at most {} MiB, compiled", size / MEGA),
            described,
        )
        .help("use smaller bounds of repeats: each repeat is compiled as many times as its bound says");
    }
    let reason = error
        .syntax_error()
        .map_or_else(|| error.to_string(), ToString::to_string);
    let reason = reason.lines().last().unwrap_or_default().trim();
    ExpectationError::new("a regular expression", described).help(format!(
        "{}; look-around is not part of the syntax",
        reason.trim_start_matches("error: ")
    ))
}

/// The cache of expressions for all cases.
#[derive(Default)]
struct PatternCache {
    patterns: FastMap<String, Arc<TextPattern>>,
    size: usize,
}

impl PatternCache {
    /// Caches an expression. If it doesn't fit, the cache is emptied first: files with that many expressions are rare.
    fn keep(&mut self, text: &str, pattern: &Arc<TextPattern>) {
        if self.size + pattern.size > MAX_CACHED {
            *self = Self::default();
        }
        self.size += pattern.size;
        // Another thread may have added it first.
        if let Some(other) = self.patterns.insert(text.to_owned(), Arc::clone(pattern)) {
            self.size -= other.size;
        }
    }
}

static CACHE: LazyLock<RwLock<PatternCache>> = LazyLock::new(RwLock::default);

/// Compiles an expression once for all cases.
///
/// This never waits for the lock, since a forked process might wait forever. Without the lock, the expression is compiled again.
fn shared(
    kept: &RwLock<PatternCache>,
    text: &str,
) -> std::result::Result<Arc<TextPattern>, Box<BuildError>> {
    if let Ok(kept) = kept.try_read()
        && let Some(known) = kept.patterns.get(text)
    {
        return Ok(Arc::clone(known));
    }
    let compiled = Arc::new(TextPattern::compile(text)?);
    if let Ok(mut kept) = kept.try_write() {
        kept.keep(text, &compiled);
    }
    Ok(compiled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(texts: impl IntoIterator<Item = String>) -> Option<String> {
        let mut patterns = TextPatterns::default();
        let mut texts = texts.into_iter();
        texts.find_map(|text| {
            let compiled = patterns.compiled(&text, || format!("the text `{text}`"));
            compiled.err().map(|error| error.to_string())
        })
    }

    #[test]
    fn expressions_are_compiled_once_for_all_expectations() {
        let kept = RwLock::default();
        let compiled = |text: &str| shared(&kept, text).unwrap();
        assert!(Arc::ptr_eq(&compiled("a+"), &compiled("a+")));
        assert!(!Arc::ptr_eq(&compiled("a+"), &compiled("a*")));
        // Even a lock that is never released doesn't block it.
        let held = kept.write().unwrap();
        assert!(compiled("a+").is_found_in("ba"));
        drop(held);
    }

    #[test]
    fn the_expressions_of_an_expectation_share_a_limit() {
        let large = |number: usize| format!(r"^\w{{1,150}}-{number}$");
        let error = error_of((0..200).map(large)).unwrap();
        assert!(error.contains("at most 64 MiB"), "{error}");
        // The same expression counts only once.
        assert_eq!(error_of((0..200).map(|_| large(0))), None);
        let small = |number: usize| format!(r"^order-\d+-{number}$");
        assert_eq!(error_of((0..2_000).map(small)), None);
    }

    #[test]
    fn one_expression_has_a_limit() {
        let error = error_of([r"\w{500}".to_owned()]).unwrap();
        assert!(error.contains("at most 10 MiB"), "{error}");
        assert!(error_of(["(?=a)b".to_owned()]).is_some());
    }

    #[test]
    fn the_cache_is_bounded() {
        let pattern = |number: usize| {
            Arc::new(TextPattern {
                size: MAX_CACHED / 10,
                ..TextPattern::compile(&number.to_string()).unwrap()
            })
        };
        let mut kept = PatternCache::default();
        for number in 0..95 {
            kept.keep(&number.to_string(), &pattern(number));
            assert!(kept.size <= MAX_CACHED && kept.patterns.len() <= 10);
        }
        let size = kept.size;
        kept.keep("94", &pattern(94));
        assert_eq!(kept.size, size);
    }

    #[test]
    fn only_small_scratch_memory_is_kept() {
        // Searching a long text needs more memory for states than the expression itself.
        let pattern = TextPattern::compile("[ab]*a[ab]{12}[^ab]").unwrap();
        assert!(!pattern.is_found_in("ab"));
        assert!(pattern.scratch.lock().unwrap().is_some());
        let usual = TextPattern::compile(r"^order-\d+-[a-z]{1,20}$").unwrap();
        assert!(usual.is_found_in("order-12-ab"));
        assert!(usual.scratch.lock().unwrap().is_some());
        let mut number = 1_u32;
        let letters = std::iter::repeat_with(|| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if number >> 31 == 0 { 'a' } else { 'b' }
        });
        let long: String = letters.take(100_000).collect();
        assert!(!pattern.is_found_in(&long));
        assert!(pattern.scratch.lock().unwrap().is_none());
        assert!(pattern.is_found_in("aaaaaaaaaaaaac"));
    }

    #[test]
    fn results_match_the_regex_crate() {
        let texts = [
            "",
            "a",
            "order-7",
            "ORDER-७",
            "a\nb",
            "ab\n",
            "é",
            "\u{1F600}",
        ];
        for expression in [
            "",
            "^$",
            "a$",
            "^.$",
            r"\d",
            "(?i)order",
            r"\bb",
            r"^\w+$",
            r"\p{So}",
        ] {
            let pattern = TextPattern::compile(expression).unwrap();
            let regex = regex::Regex::new(expression).unwrap();
            for text in texts {
                assert_eq!(
                    pattern.is_found_in(text),
                    regex.is_match(text),
                    "{expression} {text}"
                );
            }
        }
    }
}
