//! The reader of the format pcs-new.

#![no_main]

mod reader;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reader::check(bytes, engine::space::format::Format::PcsNew));
