//! Logs in with a key pair: the client signs a random text of the server, and its secret stays here.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::signature::{Ed25519KeyPair, KeyPair as _};

/// The letters of base 32, five bits each.
const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// First byte of a seed (`S`) and of the public key of a user (`U`).
const SEED: u8 = 18 << 3;
const USER: u8 = 20 << 3;

/// Signs the text of a server. Returns the public key and the signature, as the server expects them.
pub(super) fn sign(seed: &str, nonce: &str) -> Result<(String, String), &'static str> {
    const WRONG: &str = "the nkey is not the seed of a user, which begins with SU";
    let bytes = decode(seed.trim()).ok_or(WRONG)?;
    let (content, check) = bytes.split_at_checked(34).ok_or(WRONG)?;
    if content[0] & 0xf8 != SEED || ((content[0] & 7) << 5 | content[1] >> 3) != USER {
        return Err(WRONG);
    }
    if checksum(content).to_le_bytes() != check {
        return Err("the nkey has a typing error: its checksum does not match");
    }
    let pair = Ed25519KeyPair::from_seed_unchecked(&content[2..]).map_err(|_| WRONG)?;
    let mut public = vec![USER];
    public.extend_from_slice(pair.public_key().as_ref());
    public.extend_from_slice(&checksum(&public).to_le_bytes());
    Ok((encode(&public), BASE64_URL_SAFE_NO_PAD.encode(pair.sign(nonce.as_bytes()))))
}

/// Returns the cyclic redundancy code of 16 bits that ends each key.
fn checksum(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |code: u16, byte| {
        (0..8).fold(code ^ u16::from(*byte) << 8, |code, _| {
            if code & 0x8000 == 0 { code << 1 } else { code << 1 ^ 0x1021 }
        })
    })
}

fn encode(bytes: &[u8]) -> String {
    let (mut text, mut bits, mut count) = (String::new(), 0_u32, 0);
    for byte in bytes {
        (bits, count) = (bits << 8 | u32::from(*byte), count + 8);
        while count >= 5 {
            count -= 5;
            text.push(char::from(LETTERS[(bits >> count & 31) as usize]));
        }
        bits &= 0xff;
    }
    if count > 0 {
        text.push(char::from(LETTERS[(bits << (5 - count) & 31) as usize]));
    }
    text
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes() {
        let value = LETTERS.iter().position(|known| *known == letter)? as u32;
        (bits, count) = ((bits << 5 | value) & 0xfff, count + 5);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A seed of NATS's own documentation and its public key.
    const KNOWN: &str = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
    const PUBLIC: &str = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

    #[test]
    fn a_seed_has_a_public_key_that_the_server_knows() {
        let (public, signature) = sign(KNOWN, "nonce").unwrap();
        assert_eq!((public.as_str(), signature.len()), (PUBLIC, 86));
        assert_eq!(sign(&format!("{KNOWN}\n"), "nonce"), Ok((public, signature)));
    }

    #[test]
    fn other_text_is_not_a_seed() {
        let typing = KNOWN.replace("VUZRF", "VUZRG");
        for (text, part) in
            [("", "begins with SU"), (PUBLIC, "begins with SU"), ("su1", "SU"), (&typing, "typing error")]
        {
            let error = sign(text, "nonce").unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn base_32_is_read_as_it_was_written() {
        for length in 0..20 {
            let bytes: Vec<u8> = (0..length).map(|number: u8| number.wrapping_mul(37) ^ 0xa5).collect();
            assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
