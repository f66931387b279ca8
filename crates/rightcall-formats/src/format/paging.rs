//! Pages of an API: records of a run may be on the pages after the last one in the file.

use rightcall_core::value::Text;

use crate::case::letters;
use crate::node::Node;

/// The leftover kind of records on other pages.
pub(super) const OTHER_PAGES: &str = "records on pages that are not in the file";

/// True if a page says that others follow, false if it says that none does; `None` for other values, and for a page of whole runs.
pub(crate) fn says_more(page: &Node<'_>) -> Option<bool> {
    let mut found = of_members(page);
    for (key, about) in page.entries() {
        if about.is_object() && is_about_pages(key) {
            found = found.max(of_members(about));
        }
    }
    found.filter(|_| !holds_runs(page))
}

/// True for the key of an object about the pages.
fn is_about_pages(key: &Text<'_>) -> bool {
    matches!(
        letters(&key.to_display()).as_str(),
        "cursor" | "cursors" | "links" | "meta" | "page" | "pageinfo" | "paging" | "pagination"
    )
}

/// The paging information in the members of a page, or in an object about it.
fn of_members(about: &Node<'_>) -> Option<bool> {
    let said = about.entries().iter().filter_map(|(key, value)| {
        match letters(&key.to_display()).as_str() {
            "hasmore" | "hasnext" | "hasnextpage" => Some(value.raw() == "true"),
            "totalpages" => {
                let page = about.whole_at("page");
                value.whole().zip(page).map(|(all, page)| page < all)
            }
            "total" | "totalcount" | "totalitems" => {
                let size = about.any(&["size", "limit", "page_size", "per_page", "pageSize"]);
                let read = about.whole_at("page").zip(size.and_then(Node::whole));
                let all = value.whole().zip(read);
                all.map(|(all, (page, size))| page.saturating_mul(size) < all)
            }
            // The next nodes of a graph are a list.
            "next" => (!value.is_list()).then(|| is_there(value)),
            "nextcursor" | "nextlink" | "nextpage" | "nextpagecursor" | "nextpagetoken"
            | "nexttoken" | "nexturl" | "odatanextlink" | "continuationtoken" => {
                Some(is_there(value))
            }
            _ => None,
        }
    });
    said.max()
}

/// True for a cursor, a token or an address.
fn is_there(value: &Node<'_>) -> bool {
    match value.str() {
        Some(text) => !text.is_empty(),
        None => !value.is_null() && value.raw() != "false",
    }
}

/// True for a page whose records have the parts of a run in them.
fn holds_runs(page: &Node<'_>) -> bool {
    const PARTS: [&str; 7] = [
        "messages",
        "spans",
        "observations",
        "steps",
        "turns",
        "invocations",
        "trajectory",
    ];
    let mut lists = page.entries().iter().filter(|(_, member)| member.is_list());
    let holds_parts = |record: &Node<'_>| {
        PARTS
            .iter()
            .any(|key| record.list(key).iter().any(Node::is_object))
    };
    lists.any(|(_, records)| records.items().first().is_some_and(holds_parts))
}

#[cfg(test)]
mod tests {
    use rightcall_core::value::MAX_DEPTH;

    use super::*;

    #[test]
    fn pages_say_whether_others_follow() {
        for (page, more) in [
            (r#"{"data":[],"has_more":true}"#, Some(true)),
            (r#"{"data":[],"has_more":false}"#, Some(false)),
            (
                r#"{"runs":[],"cursors":{"next":"abc","prev":null}}"#,
                Some(true),
            ),
            (r#"{"runs":[],"cursors":{"next":null}}"#, Some(false)),
            (r#"{"data":[],"next_cursor":"abc"}"#, Some(true)),
            (r#"{"data":[],"nextToken":null}"#, Some(false)),
            (
                r#"{"data":[],"meta":{"page":1,"totalPages":4}}"#,
                Some(true),
            ),
            (
                r#"{"data":[],"meta":{"page":4,"totalPages":4}}"#,
                Some(false),
            ),
            (r#"{"page":1,"size":1,"total":5,"content":[]}"#, Some(true)),
            (r#"{"page":1,"size":9,"total":5,"content":[]}"#, Some(false)),
            (
                r#"{"data":[],"links":{"next":"https://x.example/2"}}"#,
                Some(true),
            ),
            (
                r#"{"value":[],"@odata.nextLink":"https://x.example/2"}"#,
                Some(true),
            ),
            (r#"{"data":[],"pageInfo":{"hasNextPage":true}}"#, Some(true)),
            (r#"{"values":{},"next":["tools"]}"#, None),
            (
                r#"{"data":[{"messages":[{"role":"user"}]}],"has_more":true}"#,
                None,
            ),
            (r#"{"messages":[],"meta":{"page":1}}"#, None),
        ] {
            let node = Node::parse(page, MAX_DEPTH).expect("valid");
            assert_eq!(says_more(&node), more, "{page}");
        }
    }
}
