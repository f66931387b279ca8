//! Text in base64.

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

/// The text in base64, or the base64 itself if it isn't text; `None` if it isn't base64.
pub(crate) fn text_of_base64(text: &str) -> Option<String> {
    const BASE64: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let text: String = text.split_ascii_whitespace().collect();
    let bytes = BASE64.decode(&text).ok()?;
    Some(String::from_utf8(bytes).unwrap_or(text))
}
