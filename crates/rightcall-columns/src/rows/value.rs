//! Writes Arrow values as JSON.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ArrowTemporalType, Date32Type, Date64Type, Decimal32Type, Decimal64Type,
    Decimal128Type, Decimal256Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{DataType, TimeUnit};
use rightcall_core::value::JsonWriter;

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

/// True for a null, including a dictionary key that points to a null.
pub(crate) fn is_null(array: &ArrayRef, row: usize) -> bool {
    if array.is_null(row) || array.data_type() == &DataType::Null {
        return true;
    }
    array
        .as_any_dictionary_opt()
        .is_some_and(|dictionary| dictionary.values().is_null(key(dictionary.keys(), row)))
}

/// The string in a row of a string column.
pub(crate) fn text(array: &ArrayRef, row: usize) -> Option<&str> {
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(array.as_string_view().value(row)),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            text(dictionary.values(), key(dictionary.keys(), row))
        }
        _ => None,
    }
}

/// Writes a value. Times are nanoseconds since 1970, bytes are hex digits, days are ISO 8601. Null fields of a struct are omitted.
pub(crate) fn write(writer: &mut JsonWriter, array: &ArrayRef, row: usize) {
    use DataType as T;
    if is_null(array, row) {
        writer.null();
        return;
    }
    match array.data_type() {
        T::Boolean => _ = writer.bool(array.as_boolean().value(row)),
        T::Int8 => whole::<Int8Type>(writer, array, row),
        T::Int16 => whole::<Int16Type>(writer, array, row),
        T::Int32 => whole::<Int32Type>(writer, array, row),
        T::Int64 => whole::<Int64Type>(writer, array, row),
        T::UInt8 => whole::<UInt8Type>(writer, array, row),
        T::UInt16 => whole::<UInt16Type>(writer, array, row),
        T::UInt32 => whole::<UInt32Type>(writer, array, row),
        T::UInt64 => whole::<UInt64Type>(writer, array, row),
        T::Float16 => float(
            writer,
            &format!(
                "{:?}",
                array.as_primitive::<Float16Type>().value(row).to_f32()
            ),
        ),
        T::Float32 => float(
            writer,
            &format!("{:?}", array.as_primitive::<Float32Type>().value(row)),
        ),
        T::Float64 => float(
            writer,
            &format!("{:?}", array.as_primitive::<Float64Type>().value(row)),
        ),
        T::Decimal32(..) => {
            _ = writer.raw(&array.as_primitive::<Decimal32Type>().value_as_string(row));
        }
        T::Decimal64(..) => {
            _ = writer.raw(&array.as_primitive::<Decimal64Type>().value_as_string(row));
        }
        T::Decimal128(..) => {
            _ = writer.raw(&array.as_primitive::<Decimal128Type>().value_as_string(row));
        }
        T::Decimal256(..) => {
            _ = writer.raw(&array.as_primitive::<Decimal256Type>().value_as_string(row));
        }
        T::Binary => hex(writer, array.as_binary::<i32>().value(row)),
        T::LargeBinary => hex(writer, array.as_binary::<i64>().value(row)),
        T::BinaryView => hex(writer, array.as_binary_view().value(row)),
        T::FixedSizeBinary(_) => hex(writer, array.as_fixed_size_binary().value(row)),
        T::Timestamp(unit, _) => timestamp(writer, array, row, *unit),
        T::Duration(unit) => duration(writer, array, row, *unit),
        T::Date32 => date::<Date32Type>(writer, array, row),
        T::Date64 => date::<Date64Type>(writer, array, row),
        T::List(_) => list(writer, &array.as_list::<i32>().value(row)),
        T::LargeList(_) => list(writer, &array.as_list::<i64>().value(row)),
        T::FixedSizeList(..) => list(writer, &array.as_fixed_size_list().value(row)),
        T::Struct(_) => object(writer, array.as_struct(), row),
        T::Map(..) => map(writer, &array.as_map().value(row)),
        T::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            write(writer, dictionary.values(), key(dictionary.keys(), row));
        }
        _ => match text(array, row) {
            Some(text) => _ = writer.str(text),
            // `check` has already rejected other types.
            None => _ = writer.null(),
        },
    }
}

fn whole<T: ArrowPrimitiveType>(writer: &mut JsonWriter, array: &ArrayRef, row: usize)
where
    T::Native: std::fmt::Display,
{
    writer.raw(&array.as_primitive::<T>().value(row).to_string());
}

/// Writes numbers that JSON lacks, such as `NaN`, as Python does.
fn float(writer: &mut JsonWriter, text: &str) {
    writer.raw(match text {
        "inf" => "Infinity",
        "-inf" => "-Infinity",
        text => text,
    });
}

fn timestamp(writer: &mut JsonWriter, array: &ArrayRef, row: usize, unit: TimeUnit) {
    match unit {
        TimeUnit::Second => {
            nanoseconds::<TimestampSecondType>(writer, array, row, 1_000_000_000);
        }
        TimeUnit::Millisecond => {
            nanoseconds::<TimestampMillisecondType>(writer, array, row, 1_000_000);
        }
        TimeUnit::Microsecond => {
            nanoseconds::<TimestampMicrosecondType>(writer, array, row, 1_000);
        }
        TimeUnit::Nanosecond => nanoseconds::<TimestampNanosecondType>(writer, array, row, 1),
    }
}

fn duration(writer: &mut JsonWriter, array: &ArrayRef, row: usize, unit: TimeUnit) {
    match unit {
        TimeUnit::Second => {
            nanoseconds::<DurationSecondType>(writer, array, row, 1_000_000_000);
        }
        TimeUnit::Millisecond => {
            nanoseconds::<DurationMillisecondType>(writer, array, row, 1_000_000);
        }
        TimeUnit::Microsecond => {
            nanoseconds::<DurationMicrosecondType>(writer, array, row, 1_000);
        }
        TimeUnit::Nanosecond => nanoseconds::<DurationNanosecondType>(writer, array, row, 1),
    }
}

fn nanoseconds<T: ArrowPrimitiveType<Native = i64>>(
    writer: &mut JsonWriter,
    array: &ArrayRef,
    row: usize,
    unit: i128,
) {
    writer.raw(&(i128::from(array.as_primitive::<T>().value(row)) * unit).to_string());
}

fn date<T: ArrowTemporalType>(writer: &mut JsonWriter, array: &ArrayRef, row: usize)
where
    i64: From<T::Native>,
{
    match array.as_primitive::<T>().value_as_date(row) {
        Some(date) => _ = writer.str(&date.to_string()),
        None => _ = writer.null(),
    }
}

fn hex(writer: &mut JsonWriter, bytes: &[u8]) {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xF]);
    let digits = digits.filter_map(|digit| char::from_digit(u32::from(digit), 16));
    writer.str(&digits.collect::<String>());
}

fn list(writer: &mut JsonWriter, items: &ArrayRef) {
    writer.begin_list();
    (0..items.len()).for_each(|row| write(writer, items, row));
    writer.end_list();
}

fn object(writer: &mut JsonWriter, object: &StructArray, row: usize) {
    writer.begin_object();
    for (field, column) in object.fields().iter().zip(object.columns()) {
        if !is_null(column, row) {
            writer.key(field.name());
            write(writer, column, row);
        }
    }
    writer.end_object();
}

fn map(writer: &mut JsonWriter, entries: &StructArray) {
    let (keys, values) = (entries.column(0), entries.column(1));
    writer.begin_object();
    for entry in 0..entries.len() {
        if let Some(key) = text(keys, entry) {
            writer.key(key);
        } else {
            let mut key = JsonWriter::new();
            write(&mut key, keys, entry);
            writer.key(key.finish().as_str().trim_matches('"'));
        }
        write(writer, values, entry);
    }
    writer.end_object();
}

/// The index that a dictionary column stores for a row.
fn key(keys: &dyn Array, row: usize) -> usize {
    macro_rules! any {
        ($($kind:ty),*) => {
            $(if let Some(keys) = keys.as_primitive_opt::<$kind>() {
                return usize::try_from(keys.value(row)).unwrap_or(usize::MAX);
            })*
        };
    }
    any!(
        Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type
    );
    usize::MAX
}
