//! Hashes of the effect of calls and runs: equal effects have the same hash.

use std::collections::HashMap;
use std::hash::Hasher;

use rightcall_core::call::Call;
use rightcall_core::value::{Digest, HashKey, JsonText, ValueEquality};
use siphasher::sip128::{Hasher128, SipHasher13};

use super::arguments::{Member, json_of};
use crate::values::same;

/// The hash of a list of calls, from the hashes of the calls. The order of parallel calls doesn't matter.
pub(crate) fn act_of_run<'r, 'c: 'r>(calls: impl Iterator<Item = (u128, &'r Call<'c>)>) -> u128 {
    let mut hasher = SipHasher13::new();
    let mut acts: Vec<u128> = Vec::new();
    let mut group = None;
    let mut end_group = |acts: &mut Vec<u128>| {
        acts.sort_unstable();
        acts.drain(..).for_each(|act| hasher.write_u128(act));
    };
    for (act, call) in calls {
        let own = call.metadata().group.as_ref();
        if own.is_none() || own != group {
            end_group(&mut acts);
        }
        group = own;
        acts.push(act);
    }
    end_group(&mut acts);
    hasher.finish128().as_u128()
}

/// The hash of a call, from its name and the hash of its arguments.
pub(crate) fn act_of_call(name: &str, arguments: u128) -> u128 {
    let mut hasher = SipHasher13::new();
    hasher.write(name.as_bytes());
    hasher.write_u8(0xFF);
    hasher.write_u128(arguments);
    hasher.finish128().as_u128()
}

/// The hash of the arguments of a call, without those that have the schema's default.
pub(crate) fn act_of_arguments(
    members: Option<&[Member]>,
    call: &Call<'_>,
    defaults: Option<&HashMap<String, serde_json::Value>>,
) -> u128 {
    let mut hasher = SipHasher13::new();
    if let Some(members) = members {
        hash_json(
            &mut hasher,
            &json_of(members.iter().filter(|it| !is_default(it, defaults))),
        );
    } else {
        let value = call.arguments.to_value();
        hasher.write_u8(u8::from(value.is_some()));
        if let Some(value) = value {
            hash_json(&mut hasher, JsonText::from_value(&value).as_str());
        }
    }
    hasher.finish128().as_u128()
}

fn is_default(member: &Member, defaults: Option<&HashMap<String, serde_json::Value>>) -> bool {
    let default = defaults.and_then(|it| it.get(&member.name()));
    default.is_some_and(|default| {
        serde_json::from_str(&member.json).is_ok_and(|it| same(&it, default))
    })
}

/// Adds a digest that equal JSON values share. A value with `NaN`, which equals nothing, has no such digest, so its text is used.
fn hash_json(hasher: &mut SipHasher13, json: &str) {
    let digest = Digest::from_text(json, ValueEquality::Json, HashKey::default());
    match digest.ok().and_then(Digest::key) {
        Some(key) => hasher.write_u128(key),
        None => hasher.write(json.as_bytes()),
    }
}
