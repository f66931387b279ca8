//! How the parts of a call are stored while it waits for the rest of its trace.

use rightcall::call::Executor;
use serde::{Deserialize, Serialize};

/// [`Executor`], for serde.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Executor")]
pub(super) enum RunName {
    Agent,
    Provider,
    Nobody,
}

/// A text is stored as UTF-8, or as its code points where it holds lone surrogates.
pub(crate) mod text {
    use rightcall::value::{Text, TextBuilder};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        text: &Text<'_>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let code_points = || text.code_points().collect::<Vec<_>>();
        text.as_str().ok_or_else(code_points).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Text<'static>, D::Error> {
        let stored = Result::<String, Vec<u32>>::deserialize(deserializer)?;
        Ok(stored.map_or_else(
            |points| {
                let mut text = TextBuilder::default();
                points.into_iter().for_each(|point| text.push(point));
                text.finish()
            },
            Text::from,
        ))
    }
}

/// A [`text`] that may be missing.
pub(crate) mod optional_text {
    use rightcall::value::Text;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Stored<'a>(#[serde(with = "super::text")] Text<'a>);

    #[expect(clippy::ref_option, reason = "serde hands it so")]
    pub(crate) fn serialize<S: Serializer>(
        text: &Option<Text<'static>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        text.as_ref()
            .map(|text| Stored(text.reborrow()))
            .serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Text<'static>>, D::Error> {
        let stored = Option::<Stored>::deserialize(deserializer)?;
        Ok(stored.map(|stored| stored.0))
    }
}
