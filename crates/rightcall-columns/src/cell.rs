//! Writes the cells of Arrow arrays as JSON.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ArrowTemporalType, Date32Type, Date64Type, Decimal32Type, Decimal64Type,
    Decimal128Type, Decimal256Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, StructArray, downcast_integer_array};
use arrow_schema::{DataType, TimeUnit};
use rightcall_core::value::JsonWriter;

/// How to write cells of types that JSON lacks.
#[derive(Clone, Copy, Debug)]
pub struct CellRules {
    /// Writes bytes.
    pub bytes: fn(&mut JsonWriter, &[u8]),
    /// Writes a decimal from its digits, or returns the reason why it can't be written.
    pub decimal: fn(&mut JsonWriter, &str) -> Result<(), String>,
}

impl CellRules {
    /// The rules of files: bytes are hex digits, as ids of traces are, and decimals keep all digits.
    pub const FILE: Self = Self {
        bytes: hex,
        decimal: |writer, digits| {
            writer.raw(digits);
            Ok(())
        },
    };
}

/// Returns the first nested type that can't be written as JSON.
pub(crate) fn check(data_type: &DataType) -> Result<(), &DataType> {
    use DataType as T;
    match data_type {
        T::Null
        | T::Boolean
        | T::Int8
        | T::Int16
        | T::Int32
        | T::Int64
        | T::UInt8
        | T::UInt16
        | T::UInt32
        | T::UInt64
        | T::Float16
        | T::Float32
        | T::Float64
        | T::Utf8
        | T::LargeUtf8
        | T::Utf8View
        | T::Binary
        | T::LargeBinary
        | T::BinaryView
        | T::FixedSizeBinary(_)
        | T::Timestamp(..)
        | T::Duration(_)
        | T::Date32
        | T::Date64
        | T::Decimal32(..)
        | T::Decimal64(..)
        | T::Decimal128(..)
        | T::Decimal256(..) => Ok(()),
        T::List(item) | T::LargeList(item) | T::FixedSizeList(item, _) => check(item.data_type()),
        T::Struct(fields) => fields.iter().try_for_each(|field| check(field.data_type())),
        T::Map(entries, _) => match entries.data_type() {
            T::Struct(fields) => fields.iter().try_for_each(|field| check(field.data_type())),
            _ => Err(data_type),
        },
        T::Dictionary(_, value) => check(value),
        _ => Err(data_type),
    }
}

/// True for null, including null values of a dictionary and columns of nulls.
pub fn is_null_cell(array: &dyn Array, row: usize) -> bool {
    if array.is_null(row) || *array.data_type() == DataType::Null {
        return true;
    }
    entry(array, row).is_some_and(|(values, place)| is_null_cell(values, place))
}

/// The text of a cell; `None` for null and for cells that are not texts.
pub fn text_of_cell(array: &dyn Array, row: usize) -> Option<&str> {
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(array.as_string_view().value(row)),
        _ => {
            let (values, place) = entry(array, row)?;
            text_of_cell(values, place)
        }
    }
}

/// A cell as a name: its text, or the JSON of another value; `None` for null and for values that
/// can't be written.
pub fn label_of_cell(array: &dyn Array, row: usize, rules: &CellRules) -> Option<String> {
    if is_null_cell(array, row) {
        return None;
    }
    if let Some(text) = text_of_cell(array, row) {
        return Some(text.to_owned());
    }
    let mut writer = JsonWriter::new();
    write_cell(&mut writer, array, row, rules).ok()?;
    Some(writer.finish().as_str().trim_matches('"').to_owned())
}

/// The values of a dictionary array, and the index of a row's value; `None` for other arrays.
fn entry(array: &dyn Array, row: usize) -> Option<(&dyn Array, usize)> {
    let dictionary = array.as_any_dictionary_opt()?;
    let keys = dictionary.keys();
    let place = downcast_integer_array!(
        keys => keys.value(row) as usize,
        _ => return None,
    );
    Some((&**dictionary.values(), place))
}

/// Writes a cell. Times are nanoseconds since 1970, days are ISO 8601. Null fields of a struct are
/// omitted, because columns can't distinguish null from absent.
///
/// # Errors
/// The expected and the found content: a type without a JSON form, a date outside the calendar,
/// null as a map key, or a decimal that the rules reject.
pub fn write_cell(
    writer: &mut JsonWriter,
    array: &dyn Array,
    row: usize,
    rules: &CellRules,
) -> Result<(), String> {
    if is_null_cell(array, row) {
        writer.null();
        return Ok(());
    }
    if let Some(text) = text_of_cell(array, row) {
        writer.str(text);
        return Ok(());
    }
    match array.data_type() {
        DataType::List(_) => list(writer, &array.as_list::<i32>().value(row), rules),
        DataType::LargeList(_) => list(writer, &array.as_list::<i64>().value(row), rules),
        DataType::FixedSizeList(..) => list(writer, &array.as_fixed_size_list().value(row), rules),
        DataType::Struct(_) => object(writer, array.as_struct(), row, rules),
        DataType::Map(..) => map(writer, &array.as_map().value(row), rules),
        DataType::Dictionary(..) => {
            let (values, place) =
                entry(array, row).ok_or("expected the number of a value in a dictionary")?;
            write_cell(writer, values, place, rules)
        }
        _ => scalar(writer, array, row, rules),
    }
}

/// Writes a scalar that is neither null nor text.
fn scalar(
    writer: &mut JsonWriter,
    array: &dyn Array,
    row: usize,
    rules: &CellRules,
) -> Result<(), String> {
    use DataType as T;
    macro_rules! float {
        ($kind:ty) => {
            _ = writer.python_float(f64::from(array.as_primitive::<$kind>().value(row)))
        };
    }
    macro_rules! decimal {
        ($kind:ty) => {
            (rules.decimal)(writer, &array.as_primitive::<$kind>().value_as_string(row))?
        };
    }
    macro_rules! times {
        ($unit:expr, $seconds:ty, $milliseconds:ty, $microseconds:ty, $nanoseconds:ty) => {
            match $unit {
                TimeUnit::Second => nanoseconds::<$seconds>(writer, array, row, 1_000_000_000),
                TimeUnit::Millisecond => {
                    nanoseconds::<$milliseconds>(writer, array, row, 1_000_000)
                }
                TimeUnit::Microsecond => nanoseconds::<$microseconds>(writer, array, row, 1_000),
                TimeUnit::Nanosecond => nanoseconds::<$nanoseconds>(writer, array, row, 1),
            }
        };
    }
    match array.data_type() {
        T::Boolean => _ = writer.bool(array.as_boolean().value(row)),
        integer if integer.is_integer() => {
            let digits = downcast_integer_array!(
                array => array.value(row).to_string(),
                _ => return Err(format!("expected an integer, found {integer}")),
            );
            writer.raw(&digits);
        }
        T::Float16 => float!(Float16Type),
        T::Float32 => float!(Float32Type),
        T::Float64 => float!(Float64Type),
        T::Decimal32(..) => decimal!(Decimal32Type),
        T::Decimal64(..) => decimal!(Decimal64Type),
        T::Decimal128(..) => decimal!(Decimal128Type),
        T::Decimal256(..) => decimal!(Decimal256Type),
        T::Binary => (rules.bytes)(writer, array.as_binary::<i32>().value(row)),
        T::LargeBinary => (rules.bytes)(writer, array.as_binary::<i64>().value(row)),
        T::BinaryView => (rules.bytes)(writer, array.as_binary_view().value(row)),
        T::FixedSizeBinary(_) => (rules.bytes)(writer, array.as_fixed_size_binary().value(row)),
        T::Timestamp(unit, _) => times!(
            unit,
            TimestampSecondType,
            TimestampMillisecondType,
            TimestampMicrosecondType,
            TimestampNanosecondType
        ),
        T::Duration(unit) => times!(
            unit,
            DurationSecondType,
            DurationMillisecondType,
            DurationMicrosecondType,
            DurationNanosecondType
        ),
        T::Date32 => day::<Date32Type>(writer, array, row)?,
        T::Date64 => day::<Date64Type>(writer, array, row)?,
        other => {
            return Err(format!(
                "expected text, numbers, lists, structs or maps, found {other}"
            ));
        }
    }
    Ok(())
}

fn nanoseconds<T: ArrowPrimitiveType<Native = i64>>(
    writer: &mut JsonWriter,
    array: &dyn Array,
    row: usize,
    unit: i128,
) {
    writer.raw(&(i128::from(array.as_primitive::<T>().value(row)) * unit).to_string());
}

fn day<T: ArrowTemporalType>(
    writer: &mut JsonWriter,
    array: &dyn Array,
    row: usize,
) -> Result<(), String>
where
    i64: From<T::Native>,
{
    let day = array.as_primitive::<T>().value_as_date(row);
    let day = day.ok_or("expected a date of the calendar, found a number that is none")?;
    writer.str(&day.to_string());
    Ok(())
}

fn hex(writer: &mut JsonWriter, bytes: &[u8]) {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xF]);
    let digits = digits.filter_map(|digit| char::from_digit(u32::from(digit), 16));
    writer.str(&digits.collect::<String>());
}

fn list(writer: &mut JsonWriter, items: &dyn Array, rules: &CellRules) -> Result<(), String> {
    writer.begin_list();
    (0..items.len()).try_for_each(|row| write_cell(writer, items, row, rules))?;
    writer.end_list();
    Ok(())
}

fn object(
    writer: &mut JsonWriter,
    object: &StructArray,
    row: usize,
    rules: &CellRules,
) -> Result<(), String> {
    writer.begin_object();
    for (field, column) in object.fields().iter().zip(object.columns()) {
        if !is_null_cell(column, row) {
            write_cell(writer.key(field.name()), column, row, rules)?;
        }
    }
    writer.end_object();
    Ok(())
}

fn map(writer: &mut JsonWriter, entries: &StructArray, rules: &CellRules) -> Result<(), String> {
    let (keys, values) = (entries.column(0), entries.column(1));
    writer.begin_object();
    for entry in 0..entries.len() {
        let key = label_of_cell(keys, entry, rules)
            .ok_or("expected texts as keys of a map, found null")?;
        write_cell(writer.key(&key), values, entry, rules)?;
    }
    writer.end_object();
    Ok(())
}
