//! Types under their names of 0.1.0, kept for one version.

#![expect(missing_docs, reason = "each says what it is called now")]

#[deprecated = "use `CaseList`"]
pub type CasePage = crate::CaseList;

#[deprecated = "use `PageRange`"]
pub type Page = crate::PageRange;

#[deprecated = "use `StoredVerdict`"]
pub type Verdict = crate::StoredVerdict;
