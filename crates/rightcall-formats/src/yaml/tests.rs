use super::*;

fn json(text: &str) -> String {
    YamlNode::parse(text).unwrap().to_json()
}

#[test]
fn every_node_knows_its_line_and_its_json() {
    let node =
        YamlNode::parse("a: 1\nb:\n  - x\n  - {c: 0.5, d: no}\n# e\ne: null\nf: 1e3\ng: \"1\"\n")
            .unwrap();
    assert_eq!(
        node.to_json(),
        r#"{"a":1,"b":["x",{"c":0.5,"d":"no"}],"e":null,"f":1e3,"g":"1"}"#
    );
    let Yaml::Map(members) = node.value else {
        panic!()
    };
    let lines: Vec<_> = members
        .iter()
        .map(|(key, value)| (key.line, value.line))
        .collect();
    assert_eq!(lines, [(1, 1), (2, 3), (6, 6), (7, 7), (8, 8)]);
}

#[test]
fn scalars_are_what_the_core_schema_says() {
    for (yaml, wanted) in [
        ("no", "\"no\""),
        ("on", "\"on\""),
        ("True", "true"),
        ("~", "null"),
        ("2024-01-31", "\"2024-01-31\""),
        ("12:30:45", "\"12:30:45\""),
        ("1_000", "\"1_000\""),
        ("1.0", "1.0"),
        ("1.10", "1.10"),
        (
            "123456789012345678901234567890",
            "123456789012345678901234567890",
        ),
        ("+7", "7"),
        ("-0", "-0"),
        (".5", "0.5"),
        ("1.", "1.0"),
        ("1e400", "1e400"),
        ("1.5.0", "\"1.5.0\""),
        ("-", "[null]"),
        (".", "\".\""),
        ("1e", "\"1e\""),
        ("0x1F", "31"),
        ("0o17", "15"),
        ("-.inf", "-Infinity"),
        ("'7'", "\"7\""),
        ("|-\n  a\n  b\n", "\"a\\nb\""),
        ("\"\\u00e9\\n\"", "\"é\\n\""),
    ] {
        assert_eq!(json(yaml), wanted, "{yaml}");
    }
}

#[test]
fn tags_of_the_core_schema_and_of_bytes_are_followed() {
    for (yaml, wanted) in [
        ("!!str 7", "\"7\""),
        ("!!str", "\"\""),
        ("!!int '7'", "7"),
        ("!!int 0x1F", "31"),
        ("!!float 1", "1.0"),
        ("!!float '-1.50'", "-1.50"),
        ("!!float .inf", "Infinity"),
        ("!!bool 'true'", "true"),
        ("!!null ''", "null"),
        ("!!seq [!!str 1, 2]", "[\"1\",2]"),
        ("!!map {!!str 1: 2}", "{\"1\":2}"),
        ("! 7", "\"7\""),
        ("! [7]", "[7]"),
        ("!<tag:yaml.org,2002:str> 7", "\"7\""),
        ("%TAG !y! tag:yaml.org,2002:\n---\n!y!str 7\n", "\"7\""),
        // Binary text, over several lines, without padding, and binary data that isn't text.
        ("!!binary aGVsbG8=", "\"hello\""),
        ("!!binary |\n  aGVs\n  bG8=\n", "\"hello\""),
        ("!!binary 'w6k'", "\"é\""),
        ("!!binary ''", "\"\""),
        ("!!binary |\n  /w\n  ==\n", "\"/w==\""),
        ("{!!binary aWQ=: 1}", "{\"id\":1}"),
    ] {
        assert_eq!(json(yaml), wanted, "{yaml}");
    }
}

#[test]
fn other_tags_and_tags_of_other_values_are_errors() {
    for (yaml, line, found) in [
        ("a: 1\nb: !secret x\n", 2, "the tag `!secret`"),
        ("a: !!set {b: null}\n", 1, "the tag `!!set`"),
        ("- !!python/tuple [1, 2]\n", 1, "the tag `!!python/tuple`"),
        ("- a\n- !<x:y> z\n", 2, "the tag `!<x:y>`"),
        ("!!timestamp 2026-11-25", 1, "the tag `!!timestamp`"),
        ("!!int abc", 1, "`!!int abc`"),
        ("!!int 1.5", 1, "`!!int 1.5`"),
        ("!!float x", 1, "`!!float x`"),
        ("!!bool yes", 1, "`!!bool yes`"),
        ("!!null 0", 1, "`!!null 0`"),
        ("!!binary '%%%'", 1, "`!!binary %%%`"),
        ("!!str [a]", 1, "a list after `!!str`"),
        ("!!seq {a: 1}", 1, "an object after `!!seq`"),
        ("!!map [a]", 1, "a list after `!!map`"),
    ] {
        let error = YamlNode::parse(yaml).unwrap_err();
        assert_eq!((error.line, error.found.as_str()), (line, found), "{yaml}");
    }
}

#[test]
fn items_are_read_without_tags_that_say_nothing_and_these_are_counted() {
    let yaml = "- !!python/tuple [1, !!python/str '2']\n- !!python/tuple [!!int x, !!binary '%']\n- [!include y, 3]\n- [\n";
    let mut items = Vec::new();
    let found = each_item(yaml, |item| items.push(item.to_json().trim().to_owned()));
    assert_eq!(items, [r#"[1,"2"]"#, r#"["x","%"]"#, r#"["y",3]"#]);
    let counts: Vec<_> = found.tags.counts().collect();
    let wanted = [
        ("!!binary", 1),
        ("!!int", 1),
        ("!!python/str", 1),
        ("!!python/tuple", 2),
        ("!include", 1),
    ];
    assert_eq!(counts, wanted);
    let (before, error) = found.tags.first().unwrap();
    assert_eq!((*before, error.line), (0, 1));
    assert!(found.error.is_some());
}

#[test]
fn aliases_copy() {
    assert_eq!(
        json("a: &x {b: [1, 2]}\nc: *x\n"),
        r#"{"a":{"b":[1,2]},"c":{"b":[1,2]}}"#
    );
}

#[test]
fn json_stands_on_the_lines_of_the_yaml() {
    let node = YamlNode::parse("# a case\na: &y 1\n\nb:\n  # two\n  - x\n  - c: *y\n").unwrap();
    let (mut json, mut line) = (String::new(), node.line);
    node.write(&mut json, &mut line);
    assert_eq!(json, "{\"a\":1,\n\n\"b\":\n\n[\"x\",\n{\"c\":1}]}");
}

#[test]
fn what_is_wrong_has_a_line() {
    for (text, line) in [
        ("a: 1\nb: [1, 2\nc: 3\n", 3),
        ("a: 1\na: 2\n", 2),
        ("a:\n\t- 1\n", 2),
        ("a: 1\nb: 007\n", 2),
        ("a: 1\n\nb: !secret x\n", 3),
        ("a: {b: 1}\n<<: {c: 2}\n", 2),
        ("? [a]\n: b\n", 1),
        ("a: 1\n---\nb: 1\n", 3),
        ("a: &x\n  b: *x\n", 2),
    ] {
        let error = YamlNode::parse(text).unwrap_err();
        assert_eq!(error.line, line, "{text:?}: {error:?}");
    }
}

#[test]
fn hostile_yaml_is_refused() {
    for open in ["[", "{a: ", "- ", "? "] {
        assert!(YamlNode::parse(&open.repeat(100_000)).is_err(), "{open}");
    }
    let bomb = (1..9).fold("a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned(), |text, level| {
        let below = format!("*a{}", level - 1);
        text + &format!("a{level}: &a{level} [{}]\n", [below.as_str(); 9].join(","))
    });
    assert!(YamlNode::parse(&bomb).is_err());
}

#[test]
fn aliases_and_anchors_are_bounded_by_what_they_hold() {
    let found = |yaml: &str| {
        YamlNode::parse(yaml)
            .map(|_| ())
            .map_err(|error| (error.expected, error.found))
    };
    let long = format!("a: &x '{}'\n", "x".repeat(1 << 20));
    let copies = |count: usize| format!("{long}b: [{}]\n", vec!["*x"; count].join(","));
    assert_eq!(found(&copies(64)), Ok(()));
    assert_eq!(
        found(&copies(65)),
        Err((
            "fewer copies",
            "aliases that copy more than 67108864 bytes".to_owned()
        ))
    );
    let nested = |levels: usize| {
        let open: Vec<_> = (0..levels).map(|level| format!("&a{level} [")).collect();
        format!(
            "{}{}{}",
            open.concat(),
            vec!["x"; 4000].join(","),
            "]".repeat(levels)
        )
    };
    assert_eq!(found(&nested(200)), Ok(()));
    assert_eq!(found(&nested(300)).unwrap_err().0, "smaller anchors");
}

#[test]
fn items_are_given_one_by_one() {
    let items = |yaml: &str| {
        let mut items = Vec::new();
        let found = each_item(yaml, |item| {
            items.push((item.line, item.to_json().trim_start().to_owned()));
        });
        (items, found.error.is_some())
    };
    let of = |items: &[(u64, &str)]| {
        items
            .iter()
            .map(|(line, json)| (*line, (*json).to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        items("- a\n- [b, &x {c: 1}]\n-\n---\n---\nd: 2\n"),
        (
            of(&[
                (1, r#""a""#),
                (2, r#"["b",{"c":1}]"#),
                (3, "null"),
                (6, r#"{"d":2}"#)
            ]),
            false
        )
    );
    assert_eq!(
        items("- &x [1]\n- *x\n- [\n"),
        (of(&[(1, "[1]"), (1, "[1]")]), true)
    );
    assert_eq!(items(""), (Vec::new(), false));
}
