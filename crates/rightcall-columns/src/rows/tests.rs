use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder, StructBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    Float64Array, Int64Array, IntervalDayTimeArray, LargeStringArray, NullArray, StringArray,
    StringViewArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::*;

fn dotted_keys(names: &[&str]) -> (Vec<ColumnKey>, Option<&'static str>) {
    let key = |name: &&str| match name.split_once('.') {
        Some((within, name)) => ColumnKey {
            within: Some(within.to_owned()),
            name: name.to_owned(),
            may_hold_json: false,
        },
        None => ColumnKey {
            within: None,
            name: (*name).to_owned(),
            may_hold_json: *name == "json",
        },
    };
    (names.iter().map(key).collect(), None)
}

fn texts(rows: Rows) -> Vec<String> {
    rows.map(|row| String::from_utf8(row.unwrap()).unwrap())
        .collect()
}

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    io::Write::write_all(&mut file, bytes).unwrap();
    file
}

/// Reads a batch through every container and compares its rows.
fn check(columns: &[(&str, ArrayRef)], expected: &[&str]) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns
            .iter()
            .map(|(name, column)| (name, Arc::clone(column), true)),
    );
    let batch = batch.unwrap();
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
    ] {
        let mut bytes = Vec::new();
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .build();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        assert_eq!(Container::of(&bytes), Some(Container::Parquet));
        assert_eq!(
            texts(Rows::from_file(Container::Parquet, file(&bytes), dotted_keys).unwrap()),
            expected
        );
    }
    for compression in [
        None,
        Some(CompressionType::LZ4_FRAME),
        Some(CompressionType::ZSTD),
    ] {
        let options = IpcWriteOptions::default()
            .try_with_compression(compression)
            .unwrap();
        let mut bytes = Vec::new();
        let mut writer =
            FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options.clone()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        assert_eq!(Container::of(&bytes), Some(Container::ArrowFile));
        assert_eq!(
            texts(Rows::from_file(Container::ArrowFile, file(&bytes), dotted_keys).unwrap()),
            expected
        );
        let mut bytes = Vec::new();
        let mut writer =
            StreamWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        assert_eq!(Container::of(&bytes), Some(Container::ArrowStream));
        assert_eq!(
            texts(Rows::from_stream(io::Cursor::new(bytes), dotted_keys).unwrap()),
            expected
        );
    }
}

#[test]
fn plain_values_are_written_unchanged_and_nulls_are_omitted() {
    check(
        &[
            ("whole", Arc::new(Int64Array::from(vec![Some(-7), None]))),
            ("large", Arc::new(UInt64Array::from(vec![u64::MAX, 0]))),
            (
                "float",
                Arc::new(Float64Array::from(vec![1.0, f64::NEG_INFINITY])),
            ),
            ("flag", Arc::new(BooleanArray::from(vec![true, false]))),
            ("text", Arc::new(StringArray::from(vec!["a\"\n", "[1]"]))),
            (
                "large_text",
                Arc::new(LargeStringArray::from(vec![Some("ü"), None])),
            ),
            (
                "view",
                Arc::new(StringViewArray::from(vec![
                    "a text that is longer than twelve bytes",
                    "",
                ])),
            ),
            (
                "bytes",
                Arc::new(BinaryArray::from(vec![&b"\x00\xFF"[..], b""])),
            ),
            (
                "time",
                Arc::new(TimestampMicrosecondArray::from(vec![
                    1_700_000_000_000_001,
                    0,
                ])),
            ),
            ("day", Arc::new(Date32Array::from(vec![19_000, 0]))),
            (
                "price",
                Arc::new(
                    Decimal128Array::from(vec![-1250, 5])
                        .with_precision_and_scale(10, 2)
                        .unwrap(),
                ),
            ),
            (
                "word",
                Arc::new(DictionaryArray::<Int8Type>::from_iter([Some("yes"), None])),
            ),
        ],
        &[
            r#"{"whole":-7,"large":18446744073709551615,"float":1.0,"flag":true,"text":"a\"\n","large_text":"ü","view":"a text that is longer than twelve bytes","bytes":"00ff","time":1700000000000001000,"day":"2022-01-08","price":-12.50,"word":"yes"}"#,
            r#"{"large":0,"float":-Infinity,"flag":false,"text":"[1]","view":"","bytes":"","time":0,"day":"1970-01-01","price":0.05}"#,
        ],
    );
}

#[test]
fn lists_structs_and_maps_become_lists_and_objects() {
    let fields = vec![
        Field::new("name", DataType::Utf8, true),
        Field::new("n", DataType::Int32, true),
    ];
    let mut calls = ListBuilder::new(StructBuilder::from_fields(fields, 2));
    for (name, n) in [("find", Some(1)), ("look", None)] {
        calls
            .values()
            .field_builder::<StringBuilder>(0)
            .unwrap()
            .append_value(name);
        calls
            .values()
            .field_builder::<Int32Builder>(1)
            .unwrap()
            .append_option(n);
        calls.values().append(true);
    }
    calls.append(true);
    calls.append(true);
    let mut map = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    map.keys().append_value("gen_ai.tool.name");
    map.values().append_value("find");
    map.keys().append_value("none");
    map.values().append_null();
    map.append(true).unwrap();
    map.append(true).unwrap();
    check(
        &[
            ("calls", Arc::new(calls.finish())),
            ("map", Arc::new(map.finish())),
        ],
        &[
            r#"{"calls":[{"name":"find","n":1},{"name":"look"}],"map":{"gen_ai.tool.name":"find","none":null}}"#,
            r#"{"calls":[],"map":{}}"#,
        ],
    );
}

#[test]
fn texts_may_contain_json_and_columns_may_become_members() {
    let column = |texts: &[Option<&str>]| Arc::new(StringArray::from(texts.to_vec())) as ArrayRef;
    check(
        &[
            (
                "json",
                column(&[Some(" [{\"a\": 1}] "), Some("[1"), Some("7")]),
            ),
            ("o.b", column(&[Some("x"), None, None])),
            ("other", column(&[Some("[1]"), None, None])),
            ("o.a", column(&[None, Some("{}"), None])),
        ],
        &[
            r#"{"json":[{"a": 1}],"other":"[1]","o":{"b":"x"}}"#,
            r#"{"json":"[1","o":{"a":"{}"}}"#,
            r#"{"json":"7"}"#,
        ],
    );
}

#[test]
fn an_unsupported_type_is_reported_with_its_column() {
    let batch = RecordBatch::try_from_iter([
        ("nothing", Arc::new(NullArray::new(1)) as ArrayRef),
        (
            "every",
            Arc::new(IntervalDayTimeArray::new_null(1)) as ArrayRef,
        ),
    ])
    .unwrap();
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    let error = Rows::from_stream(io::Cursor::new(bytes), dotted_keys).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the column `every` holds values of type Interval(DayTime), which cannot be read"
    );
}

#[test]
fn a_stream_shorter_than_its_stated_size_is_rejected() {
    let column = Arc::new(StringArray::from(vec!["find_order"; 100])) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("name", column)]).unwrap();
    let options = IpcWriteOptions::default()
        .try_with_compression(Some(CompressionType::LZ4_FRAME))
        .unwrap();
    let mut bytes = Vec::new();
    let mut writer =
        StreamWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    let rows = |bytes: Vec<u8>| {
        let rows = Rows::from_stream(io::Cursor::new(bytes), dotted_keys)?;
        rows.collect::<io::Result<Vec<_>>>()
    };
    assert_eq!(rows(bytes.clone()).unwrap().len(), 100);
    // Any eight bytes may be read as a length. None may allocate more memory than the file has bytes.
    for place in (0..bytes.len() - 8).step_by(16) {
        for claim in [i64::MAX, 1 << 40] {
            let mut damaged = bytes.clone();
            damaged[place..place + 8].copy_from_slice(&claim.to_le_bytes());
            _ = rows(damaged);
        }
    }
    for length in 1..bytes.len() - 8 {
        let cut = rows(bytes[..length].to_vec());
        assert!(cut.is_err() || cut.unwrap().len() < 100, "{length}");
    }
}
