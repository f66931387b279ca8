use super::super::*;
use super::*;
fn lines(name: &str) -> Vec<Value<'static>> {
    std::fs::read_to_string(format!("/tmp/h1/diff/{name}.jsonl")).unwrap().lines().map(|l| decode_with(l, Syntax::PYTHON).unwrap().into_owned()).collect()
}
fn t(v: &Value<'static>) -> Text<'static> { v.as_text().unwrap().clone() }
fn f(v: &Value<'static>) -> f64 { f64::from_bits(t(v).as_str().unwrap().parse().unwrap()) }
#[test]
fn literals() {
    let (mut n, mut bad) = (0, 0);
    for line in lines("in") {
        let l = line.as_list().unwrap();
        let mut got = TextBuilder::default();
        match parse_literal(&t(&l[0])) {
            Ok(v) => { got.push_str("V"); got.push_text(&repr(&v)) }
            Err(LiteralError::Invalid) => got.push_str("I"),
            Err(e) => { got.push_str("U"); got.push_str(&e.to_string()) }
        }
        n += 1;
        if got.finish() != t(&l[1]) {
            bad += 1;
            if bad < 40 { println!("{:?}\n   {:?} got {:?}", t(&l[0]), t(&l[1]), parse_literal(&t(&l[0])).map(|v| repr(&v))); }
        }
    }
    println!("literals {n} bad {bad}");
}
#[test]
fn floats() {
    let (mut n, mut bad) = (0, 0);
    for line in lines("float") {
        let l = line.as_list().unwrap();
        let x = f(&l[0]);
        n += 1;
        let mut ok = repr(&Value::Float(x)) == t(&l[1]);
        for (d, r) in [0, 1, 2, 3, 4, 6, 10].into_iter().zip(l[2].as_list().unwrap()) { ok &= round(x, d).to_bits() == f(r).to_bits(); }
        if !ok { bad += 1; if bad < 20 { println!("{x:e} {:?} {:?}", l[1], repr(&Value::Float(x))); } }
    }
    println!("floats {n} bad {bad}");
    let (mut n, mut bad) = (0, 0);
    for line in lines("div") {
        let l = line.as_list().unwrap();
        let i = |k: usize| Integer::parse(t(&l[k]).as_str().unwrap()).unwrap();
        n += 1;
        let q = true_divide(&i(0), &i(1));
        if q.to_bits() != f(&l[2]).to_bits() { bad += 1; if bad < 20 { println!("{line:?} {q:e} {:e}", f(&l[2])); } }
    }
    println!("div {n} bad {bad}");
}
#[test]
fn ratios() {
    let (mut n, mut bad) = (0, 0);
    for line in lines("ratio") {
        let l = line.as_list().unwrap();
        n += 1;
        let (a, b) = (t(&l[0]), t(&l[1]));
        let blocks: Vec<_> = l[3].as_list().unwrap().iter().map(|x| { let x: Vec<usize> = x.as_list().unwrap().iter().map(|y| y.as_f64().unwrap() as usize).collect(); (x[0], x[1], x[2]) }).collect();
        let ok = crate::similarity::ratio(&a, &b).to_bits() == f(&l[2]).to_bits() && crate::similarity::matching_blocks(&a, &b) == blocks && crate::similarity::upper_bound(&a, &b) == f(&l[4]);
        if !ok { bad += 1; if bad < 20 { println!("{line:?} {}", crate::similarity::ratio(&a, &b)); } }
    }
    println!("ratio {n} bad {bad}");
    let (mut n, mut bad) = (0, 0);
    for line in std::fs::read_to_string("/work/shared/conformance/python-difflib-ratio.jsonl").unwrap().lines() {
        let v = decode_with(line, Syntax::PYTHON).unwrap().into_owned();
        let o = v.as_object().unwrap();
        let (a, b) = (t(o.get_str("actual").unwrap()), t(o.get_str("expected").unwrap()));
        let r = o.get_str("result").unwrap().as_object().unwrap();
        let blocks: Vec<_> = r.get_str("blocks").unwrap().as_list().unwrap().iter().map(|x| { let x: Vec<usize> = x.as_list().unwrap().iter().map(|y| y.as_f64().unwrap() as usize).collect(); (x[0], x[1], x[2]) }).collect();
        n += 1;
        if crate::similarity::ratio(&a, &b) != r.get_str("score").unwrap().as_f64().unwrap() || crate::similarity::matching_blocks(&a, &b) != blocks { bad += 1; println!("{line}"); }
    }
    println!("golden ratio {n} bad {bad}");
}
#[test]
fn texts() {
    let (mut n, mut bad) = (0, 0);
    for line in lines("text") {
        let l = line.as_list().unwrap();
        n += 64;
        if repr(&l[0]) != t(&l[1]) { bad += 1; println!("{line:?} {:?}", repr(&l[0])); }
    }
    println!("text {n} bad {bad}");
    let (mut n, mut bad) = (0, 0);
    for line in std::fs::read_to_string("/work/shared/conformance/python-repr.jsonl").unwrap().lines() {
        let v = decode_with(line, Syntax::PYTHON).unwrap().into_owned();
        let o = v.as_object().unwrap();
        let r = o.get_str("result").unwrap().as_object().unwrap();
        n += 1;
        let a = o.get_str("actual").unwrap();
        if repr(a) != t(r.get_str("repr").unwrap()) || str(a) != t(r.get_str("str").unwrap()) { bad += 1; println!("{line}"); }
    }
    println!("golden repr {n} bad {bad}");
    let (mut n, mut bad) = (0, 0);
    for line in lines("names") {
        let l = line.as_list().unwrap();
        n += 1;
        let got = parse_literal(&Text::from(format!("'\\N{{{}}}'", t(&l[0])))).ok().and_then(|v| v.as_text().and_then(|t| t.code_points().next()));
        if got.map(f64::from) != l[1].as_f64() { bad += 1; if bad < 20 { println!("{line:?} {got:?}"); } }
    }
    println!("names {n} bad {bad}");
}
