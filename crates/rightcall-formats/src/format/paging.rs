//! Pages of an API: records of a run may be on the pages after the last one in the file.

use rightcall_core::value::Text;

use crate::node::Node;

/// The leftover kind of records on other pages.
pub(super) const OTHER_PAGES: &str = "records on pages that are not in the file";

/// True if a page says that others follow, false if it says that none does; `None` for other values, and for a page of whole runs.
pub(crate) fn says_more(page: &Node<'_>) -> Option<bool> {
    const ABOUT: [&str; 8] = [
        "cursor",
        "cursors",
        "links",
        "meta",
        "page",
        "pageinfo",
        "paging",
        "pagination",
    ];
    let mut found = of_members(page);
    for (key, about) in page.entries() {
        if about.is_object() && is_any(key, &ABOUT) {
            found = found.max(of_members(about));
        }
    }
    found.filter(|_| !holds_runs(page))
}

/// What the members of a page say, or those of an object about it.
fn of_members(about: &Node<'_>) -> Option<bool> {
    const FLAGS: [&str; 3] = ["hasmore", "hasnext", "hasnextpage"];
    const NEXT: [&str; 9] = [
        "nextcursor",
        "nextlink",
        "nextpage",
        "nextpagecursor",
        "nextpagetoken",
        "nexttoken",
        "nexturl",
        "odatanextlink",
        "continuationtoken",
    ];
    let said = about.entries().iter().filter_map(|(key, value)| {
        if is_any(key, &FLAGS) {
            Some(value.raw() == "true")
        } else if is_any(key, &["totalpages"]) {
            let page = about.whole_at("page");
            value.whole().zip(page).map(|(all, page)| page < all)
        } else if is_any(key, &["total", "totalcount", "totalitems"]) {
            let size = about.any(&["size", "limit", "page_size", "per_page", "pageSize"]);
            let read = about.whole_at("page").zip(size.and_then(Node::whole));
            let all = value.whole().zip(read);
            all.map(|(all, (page, size))| page.saturating_mul(size) < all)
        } else if is_any(key, &["next"]) {
            // The next nodes of a graph are a list.
            (!value.is_list()).then(|| is_there(value))
        } else {
            is_any(key, &NEXT).then(|| is_there(value))
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

/// True for a key with the letters of one of these words.
fn is_any(key: &Text<'_>, words: &[&str]) -> bool {
    let is_one = |word: &&str| {
        let letters = key
            .as_bytes()
            .iter()
            .filter(|byte| byte.is_ascii_alphabetic());
        letters.map(u8::to_ascii_lowercase).eq(word.bytes())
    };
    words.iter().any(is_one)
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
