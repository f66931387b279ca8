//! Addresses that contain the whole state of a page, so that users can share them.

use form_urlencoded::Serializer;
use rightcall_store::PageRange;

/// The query parameters in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Keeps only parameters with a value.
    pub(crate) fn new(pairs: Vec<(String, String)>) -> Self {
        Self(
            pairs
                .into_iter()
                .filter(|(_, value)| !value.is_empty())
                .collect(),
        )
    }

    /// The value of a parameter.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, value)| value.as_str())
    }

    /// The value of a parameter as an owned text.
    pub(crate) fn owned(&self, key: &str) -> Option<String> {
        self.get(key).map(ToOwned::to_owned)
    }

    /// All values of a parameter.
    pub(crate) fn all<'q>(&'q self, key: &'q str) -> impl Iterator<Item = &'q str> {
        self.0
            .iter()
            .filter(move |(known, _)| known == key)
            .map(|(_, value)| value.as_str())
    }

    /// All parameters with their values.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// The value of a parameter as a number.
    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        self.get(key)?.parse().ok()
    }

    /// The same query with another value for a parameter, or without it.
    pub(crate) fn with(&self, key: &str, value: Option<&str>) -> Self {
        let mut pairs: Vec<_> = self
            .0
            .iter()
            .filter(|(known, _)| known != key)
            .cloned()
            .collect();
        pairs.extend(value.map(|value| (key.to_owned(), value.to_owned())));
        Self(pairs)
    }

    /// The same query without these parameters.
    pub(crate) fn without(&self, keys: &[&str]) -> Self {
        Self(
            self.0
                .iter()
                .filter(|(known, _)| !keys.contains(&known.as_str()))
                .cloned()
                .collect(),
        )
    }

    /// `PATH?…`, or only the path if the query is empty.
    pub(crate) fn of(&self, path: &str) -> String {
        if self.0.is_empty() {
            return path.to_owned();
        }
        format!(
            "{path}?{}",
            Serializer::new(String::new())
                .extend_pairs(&self.0)
                .finish()
        )
    }
}

/// The address for comparing two runs.
pub(crate) fn comparison_of(before: i64, after: i64) -> String {
    format!("/compare?run={before}&run={after}")
}

/// Encodes text for a path.
pub(crate) fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes())
        .collect::<String>()
        .replace('+', "%20")
}

/// A page of a long list, with links to other pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Paging {
    /// The first row, from 1, and the last.
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) total: u64,
    pub(crate) previous: Option<String>,
    pub(crate) next: Option<String>,
}

impl Paging {
    /// The page that a query requests.
    pub(crate) fn new(query: &Query, path: &str, size: u64, total: u64) -> Self {
        let page = Self::page(query);
        let link = |page: u64| {
            query
                .with("page", (page > 1).then(|| page.to_string()).as_deref())
                .of(path)
        };
        Self {
            from: if total == 0 {
                0
            } else {
                ((page - 1).saturating_mul(size) + 1).min(total)
            },
            to: page.saturating_mul(size).min(total),
            total,
            previous: (page > 1).then(|| link(page - 1)),
            next: (page.saturating_mul(size) < total).then(|| link(page + 1)),
        }
    }

    /// The rows of the page that a query requests.
    pub(crate) fn range(query: &Query, size: u64) -> PageRange {
        PageRange {
            offset: (Self::page(query) - 1) * size,
            limit: size,
        }
    }

    /// The page number in a query, from 1.
    fn page(query: &Query) -> u64 {
        query
            .number("page")
            .unwrap_or(1)
            .clamp(1, u64::from(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_contains_the_whole_state_of_a_page() {
        let pairs = [("tool", "a&b=c"), ("q", ""), ("page", "3")];
        let query = Query::new(
            pairs
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into(),
        );
        assert_eq!(query.of("/runs/1"), "/runs/1?tool=a%26b%3Dc&page=3");
        assert_eq!(query.with("tool", None).with("page", None).of("/x"), "/x");
        let paging = Paging::new(&query, "/runs/1", 50, 120);
        assert_eq!((paging.from, paging.to), (101, 120));
        assert_eq!(
            paging.previous.as_deref(),
            Some("/runs/1?tool=a%26b%3Dc&page=2")
        );
        assert_eq!(paging.next, None);
        assert_eq!(encoded("a b/ü"), "a%20b%2F%C3%BC");
    }
}
