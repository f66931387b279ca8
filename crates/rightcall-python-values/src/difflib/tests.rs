//! Tests of `difflib`.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::TextBuilder;

type Blocks = Vec<(usize, usize, usize)>;

#[test]
#[expect(clippy::too_many_lines, reason = "a table of texts")]
fn ratios_and_blocks_match_python() {
    let cases: [(String, String, f64, Blocks); 16] = [
        (String::new(), String::new(), 1.0, vec![(0, 0, 0)]),
        ("x".into(), String::new(), 0.0, vec![(1, 0, 0)]),
        (String::new(), "x".into(), 0.0, vec![(0, 1, 0)]),
        (
            "qabxcd".into(),
            "abycdf".into(),
            0.6666666666666666,
            vec![(1, 0, 2), (4, 3, 2), (6, 6, 0)],
        ),
        (
            "abycdf".into(),
            "qabxcd".into(),
            0.6666666666666666,
            vec![(0, 1, 2), (3, 4, 2), (6, 6, 0)],
        ),
        (
            "tide".into(),
            "diet".into(),
            0.25,
            vec![(0, 3, 1), (4, 4, 0)],
        ),
        (
            "diet".into(),
            "tide".into(),
            0.5,
            vec![(0, 2, 1), (2, 3, 1), (4, 4, 0)],
        ),
        (
            "café 🙂".into(),
            "cafe\u{301} 🙂".into(),
            0.7692307692307693,
            vec![(0, 0, 3), (4, 5, 2), (6, 7, 0)],
        ),
        (
            "a".repeat(250),
            "a".repeat(20),
            0.14814814814814814,
            vec![(0, 0, 20), (250, 20, 0)],
        ),
        (
            "a".repeat(20),
            "a".repeat(250),
            0.14814814814814814,
            vec![(0, 0, 20), (20, 250, 0)],
        ),
        ("xa".into(), "ya".repeat(100), 0.0, vec![(2, 200, 0)]),
        (
            "ya".repeat(100),
            "xa".into(),
            0.009900990099009901,
            vec![(1, 1, 1), (200, 2, 0)],
        ),
        (
            format!("b{}", "a".repeat(198)),
            "a".repeat(199),
            0.9949748743718593,
            vec![(1, 0, 198), (199, 199, 0)],
        ),
        (
            format!("b{}", "a".repeat(199)),
            "a".repeat(200),
            0.0,
            vec![(200, 200, 0)],
        ),
        (
            format!("{}Q{}", "lazy the ".repeat(30), "dog ".repeat(5)),
            format!("{}Q{}", "quick the ".repeat(30), "dog ".repeat(3)),
            0.059602649006622516,
            vec![(265, 295, 18), (291, 313, 0)],
        ),
        (
            "ab".repeat(120),
            "ab".repeat(120),
            1.0,
            vec![(0, 0, 240), (240, 240, 0)],
        ),
    ];
    for (a, b, expected, blocks) in cases {
        let (a, b) = (Text::from(a), Text::from(b));
        assert_eq!(
            ratio(&a, &b).to_bits(),
            f64::to_bits(expected),
            "{a:?} {b:?}"
        );
        assert_eq!(matching_blocks(&a, &b), blocks, "{a:?} {b:?}");
    }
}

#[test]
fn a_code_point_differs_from_its_surrogates() {
    let text = |points: &[u32]| {
        let mut builder = TextBuilder::default();
        for &point in points {
            builder.push(point);
        }
        builder.finish()
    };
    let (pair, one) = (text(&[0xD83D, 0xDE42]), text(&[0x1F642]));
    assert_eq!(ratio(&pair, &one), 0.0);
    assert_eq!(
        matching_blocks(&pair, &text(&[0xDE42])),
        [(1, 0, 1), (2, 1, 0)]
    );
}

#[test]
fn stamps_restart_after_an_overflow() {
    let mut matcher = Matcher::new(&Text::new("qabxcd"), &Text::new("abycdf"));
    matcher.rows.stamp = u32::MAX - 3;
    let mut sizes = Vec::new();
    matcher.each_block(|block| sizes.push(block.size));
    assert_eq!(sizes, [2, 2]);
    assert!(matcher.rows.stamp < 100);
}

/// A direct implementation of the specification.
fn slow_blocks(a: &[u32], b: &[u32]) -> Blocks {
    let mut places: HashMap<u32, Vec<usize>> = HashMap::new();
    for (j, &point) in b.iter().enumerate() {
        places.entry(point).or_default().push(j);
    }
    if b.len() >= 200 {
        places.retain(|_, places| places.len() <= b.len() / 100 + 1);
    }
    let none = Vec::new();
    let longest = |alo: usize, ahi: usize, blo: usize, bhi: usize| {
        let (mut i0, mut j0, mut size) = (alo, blo, 0);
        let mut last: HashMap<usize, usize> = HashMap::new();
        for (i, point) in a.iter().enumerate().take(ahi).skip(alo) {
            let mut present = HashMap::new();
            for &j in places.get(point).unwrap_or(&none) {
                if j < blo || j >= bhi {
                    continue;
                }
                let k = 1 + if j == 0 {
                    0
                } else {
                    last.get(&(j - 1)).copied().unwrap_or(0)
                };
                present.insert(j, k);
                if k > size {
                    (i0, j0, size) = (i + 1 - k, j + 1 - k, k);
                }
            }
            last = present;
        }
        while i0 > alo && j0 > blo && a[i0 - 1] == b[j0 - 1] {
            (i0, j0, size) = (i0 - 1, j0 - 1, size + 1);
        }
        while i0 + size < ahi && j0 + size < bhi && a[i0 + size] == b[j0 + size] {
            size += 1;
        }
        (i0, j0, size)
    };
    let mut open = vec![(0, a.len(), 0, b.len())];
    let mut blocks = Vec::new();
    while let Some((alo, ahi, blo, bhi)) = open.pop() {
        let (i, j, size) = longest(alo, ahi, blo, bhi);
        if size > 0 {
            blocks.push((i, j, size));
            if alo < i && blo < j {
                open.push((alo, i, blo, j));
            }
            if i + size < ahi && j + size < bhi {
                open.push((i + size, ahi, j + size, bhi));
            }
        }
    }
    blocks.sort_unstable();
    blocks
}

/// Few letters, so that many repeat; some rare ones, so that not all are frequent; and some beyond ASCII.
fn texts() -> impl Strategy<Value = String> {
    let repeated = proptest::collection::vec("[abc]{1,6}|[a-z0-9]{1,4}|[é€🙂 ]{1,3}|the ", 0..110)
        .prop_map(|parts| parts.concat());
    prop_oneof!["[ab]{0,12}", "[a-e é🙂]{0,60}", repeated]
}

/// Two texts with much in common.
fn pairs() -> impl Strategy<Value = (String, String)> {
    (texts(), texts(), texts(), any::<u8>()).prop_map(|(first, second, third, shape)| {
        match shape % 5 {
            0 => (format!("{first}{second}"), format!("{third}{second}")),
            1 => (format!("{first}{second}"), format!("{second}{first}")),
            2 => (format!("{first}{second}{third}"), format!("{first}{third}")),
            3 => (first.clone(), first),
            _ => (first, second),
        }
    })
}

proptest! {
    #[test]
    fn agrees_with_the_specification((a, b) in pairs()) {
        let points = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
        let (a_points, b_points) = (points(&a), points(&b));
        let blocks = slow_blocks(&a_points, &b_points);
        let matches: usize = blocks.iter().map(|block| block.2).sum();
        let length = a_points.len() + b_points.len();
        let expected = if length == 0 { 1.0 } else { 2.0 * matches as f64 / length as f64 };
        let (a, b) = (Text::from(a), Text::from(b));
        prop_assert_eq!(ratio(&a, &b).to_bits(), expected.to_bits());

        let mut matcher = Matcher::new(&a, &b);
        let mut found = Vec::new();
        matcher.each_block(|block| found.push((block.a, block.b, block.size)));
        found.sort_unstable();
        prop_assert_eq!(&found, &blocks);

        let merged = matching_blocks(&a, &b);
        prop_assert_eq!(merged.last(), Some(&(a_points.len(), b_points.len(), 0)));
        prop_assert_eq!(merged.iter().map(|block| block.2).sum::<usize>(), matches);
        // The closing block may be adjacent to the one before it.
        let inner = &merged[..merged.len() - 1];
        let apart = inner.windows(2).all(|pair| {
            let (left, right) = (pair[0], pair[1]);
            left.0 + left.2 != right.0 || left.1 + left.2 != right.1
        });
        prop_assert!(apart);
    }
}
