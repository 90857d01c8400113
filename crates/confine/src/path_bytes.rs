//! Serialises paths as bytes, because a path need not be valid UTF-8.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) fn serialize<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.clone().map(|path| path.into_os_string().into_vec()).serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
    let bytes = Option::<Vec<u8>>::deserialize(from)?;
    Ok(bytes.map(|bytes| OsString::from_vec(bytes).into()))
}
