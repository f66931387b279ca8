//! A value stored as changes, one a line: first the whole value, then the changes to its parts.

use rightcall_core::value::{JsonWriter, MAX_DEPTH};

use crate::node::Node;

/// A value with changed parts.
#[derive(Debug)]
pub(super) enum ChangedValue {
    /// An unchanged value, as JSON text.
    Json(String),
    Object(Vec<(String, ChangedValue)>),
    List(Vec<ChangedValue>),
}

impl ChangedValue {
    pub(super) fn new(node: &Node<'_>) -> Self {
        Self::Json(node.raw().to_owned())
    }

    /// Applies a change: `kind` 1 sets the value at a path `k`, 2 truncates a list to `i` and appends to it, 3 removes. `None` if it
    /// cannot be applied.
    pub(super) fn change(&mut self, change: &Node<'_>) -> Option<()> {
        let path = change.get("k").filter(|path| path.is_list())?.items();
        let value = change.get("v");
        match change.whole_at("kind")? {
            1 => *self.at(path)? = Self::new(value?),
            2 => {
                let end = change.whole_at("i");
                let Self::List(items) = self.at(path)?.opened() else {
                    return None;
                };
                if let Some(end) = end {
                    items.truncate(usize::try_from(end).ok()?);
                }
                match value {
                    Some(value) => items.extend(value.items().iter().map(Self::new)),
                    None => _ = end?,
                }
            }
            3 => {
                let (last, path) = path.split_last()?;
                let key = last.str()?;
                let Self::Object(members) = self.at(path)?.opened() else {
                    return None;
                };
                members.retain(|(known, _)| known != key);
            }
            _ => return None,
        }
        Some(())
    }

    /// The part at the end of a path; missing members are created.
    fn at(&mut self, path: &[Node<'_>]) -> Option<&mut Self> {
        let mut place = self;
        for step in path {
            place = match place.opened() {
                Self::Object(members) => {
                    let key = step.str()?;
                    let known = members.iter().position(|(known, _)| known == key);
                    let index = known.unwrap_or(members.len());
                    if index == members.len() {
                        members.push((key.to_owned(), Self::Json("null".to_owned())));
                    }
                    &mut members[index].1
                }
                Self::List(items) => items.get_mut(usize::try_from(step.whole()?).ok()?)?,
                Self::Json(_) => return None,
            };
        }
        Some(place)
    }

    /// The value split into members or items, if it has any.
    fn opened(&mut self) -> &mut Self {
        if let Self::Json(json) = self {
            let node = Node::parse(json, MAX_DEPTH).ok();
            let opened = node.and_then(|node| {
                if node.is_object() {
                    let members = node.entries().iter();
                    Some(Self::Object(
                        members
                            .map(|(key, value)| (key.to_display().into_owned(), Self::new(value)))
                            .collect(),
                    ))
                } else if node.is_list() {
                    Some(Self::List(node.items().iter().map(Self::new).collect()))
                } else {
                    None
                }
            });
            if let Some(opened) = opened {
                *self = opened;
            }
        }
        self
    }

    pub(super) fn write(&self, writer: &mut JsonWriter) {
        match self {
            Self::Json(json) => _ = writer.raw(json),
            Self::Object(members) => {
                writer.begin_object();
                for (key, value) in members {
                    writer.key(key);
                    value.write(writer);
                }
                writer.end_object();
            }
            Self::List(items) => {
                writer.begin_list();
                items.iter().for_each(|item| item.write(writer));
                writer.end_list();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_set_add_cut_off_and_remove() {
        let node = |text: &'static str| Node::parse(text, MAX_DEPTH).unwrap();
        let mut value = ChangedValue::new(&node(r#"{"a":[1,{"b":2}],"c":3}"#));
        for (change, is_applied) in [
            (r#"{"kind":1,"k":["a",1,"b"],"v":[5]}"#, true),
            (r#"{"kind":2,"k":["a"],"v":[6,7]}"#, true),
            (r#"{"kind":2,"k":["a"],"v":[8],"i":3}"#, true),
            (r#"{"kind":3,"k":["c"]}"#, true),
            (r#"{"kind":1,"k":["d"],"v":{}}"#, true),
            (r#"{"kind":1,"k":["a",9],"v":1}"#, false),
            (r#"{"kind":2,"k":["d"],"v":[1]}"#, false),
            (r#"{"kind":2,"k":["a"]}"#, false),
            (r#"{"kind":1,"k":["d"]}"#, false),
        ] {
            assert_eq!(
                value.change(&node(change)).is_some(),
                is_applied,
                "{change}"
            );
        }
        let mut writer = JsonWriter::new();
        value.write(&mut writer);
        assert_eq!(
            writer.finish().as_str(),
            r#"{"a":[1,{"b":[5]},6,8],"d":{}}"#
        );
    }
}
