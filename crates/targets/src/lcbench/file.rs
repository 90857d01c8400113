//! The file format of a network, as written by `bench/scripts/export-lcbench.py`. All numbers are
//! little-endian.
//!
//! | part | numbers |
//! |---|---|
//! | `lcbench1` | 8 bytes |
//! | tasks, embedding, inputs, width, hidden, layers, outputs | 7 of 32 bits |
//! | the OpenML task of each row of the embedding, 0 for none | tasks |
//! | logarithm (0 or 1), low and range of each input | 3 inputs |
//! | exponential (0 or 1), low and range of each output | 3 outputs |
//! | embedding | tasks x embedding |
//! | first weights, biases | width x (embedding + inputs), width |
//! | for each layer: gate weights, biases; back weights, biases | 2 hidden x width, 2 hidden; width x hidden, width |
//! | last scale, shift | width, width |
//! | head weights, biases | outputs x width, outputs |
//! | FNV-1a of everything before | 64 bits |

use std::path::{Path, PathBuf};

use super::network::{Layer, Linear, Network, Scale};
use super::{INPUTS, OUTPUTS};

const MAGIC: &[u8; 8] = b"lcbench1";
/// Upper bound on every size in a network of this kind. A larger number means that the file is damaged.
const LARGEST: u32 = 1 << 14;

/// Why a network could not be read.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The file cannot be read.
    #[error(
        "cannot read the network {}: {source}; create it with bench/scripts/export-lcbench.py",
        path.display()
    )]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is not a network.
    #[error("not a network of the LCBench surrogate: it does not begin with `lcbench1`")]
    Other,
    /// The file has missing, additional or changed bytes.
    #[error("the network is damaged ({what}): export it again")]
    Damaged {
        /// How the damage was noticed.
        what: &'static str,
    },
    /// The network does not have the expected number of inputs or outputs.
    #[error("the network has {inputs} inputs and {outputs} outputs, but {INPUTS} and {OUTPUTS} are expected")]
    Shape {
        /// Number of inputs.
        inputs: usize,
        /// Number of outputs.
        outputs: usize,
    },
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn word(&mut self) -> Result<[u8; 4], NetworkError> {
        let (word, rest) = self.0.split_first_chunk().ok_or(NetworkError::Damaged { what: "too short" })?;
        self.0 = rest;
        Ok(*word)
    }

    fn whole(&mut self) -> Result<u32, NetworkError> {
        self.word().map(u32::from_le_bytes)
    }

    fn size(&mut self) -> Result<usize, NetworkError> {
        match self.whole()? {
            size @ 1..=LARGEST => Ok(size as usize),
            _ => Err(NetworkError::Damaged { what: "a size out of range" }),
        }
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, NetworkError> {
        if self.0.len() / 4 < count {
            return Err(NetworkError::Damaged { what: "too short" });
        }
        (0..count).map(|_| self.word().map(f32::from_le_bytes)).collect()
    }

    fn scales(&mut self, count: usize) -> Result<Vec<Scale>, NetworkError> {
        let numbers = self.floats(3 * count)?;
        let scale = |it: &[f32]| Scale { logarithmic: it[0] != 0.0, low: it[1], range: it[2] };
        Ok(numbers.chunks_exact(3).map(scale).collect())
    }

    fn linear(&mut self, outputs: usize, inputs: usize) -> Result<Linear, NetworkError> {
        Ok(Linear { inputs, weights: self.floats(outputs * inputs)?, biases: self.floats(outputs)? })
    }
}

pub(super) fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |state, &byte| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl Network {
    /// Reads a network from a file.
    pub fn of_file(path: &Path) -> Result<Self, NetworkError> {
        let failed = |source| NetworkError::Read { path: path.to_owned(), source };
        Self::of_bytes(&std::fs::read(path).map_err(failed)?)
    }

    /// Reads a network from the content of a file.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        if !bytes.starts_with(MAGIC) {
            return Err(NetworkError::Other);
        }
        let (body, sum) = bytes.split_last_chunk().ok_or(NetworkError::Other)?;
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(NetworkError::Damaged { what: "wrong checksum" });
        }
        let mut reader = Reader(body.get(MAGIC.len()..).unwrap_or_default());
        let [tasks, embedded, inputs, width, hidden, layers, outputs] = {
            let mut sizes = [0; 7];
            for size in &mut sizes {
                *size = reader.size()?;
            }
            sizes
        };
        if (inputs, outputs) != (INPUTS, OUTPUTS) {
            return Err(NetworkError::Shape { inputs, outputs });
        }
        let tasks = (0..tasks).map(|_| reader.whole()).collect::<Result<Vec<_>, _>>()?;
        let (inputs, outputs) = (reader.scales(INPUTS)?, reader.scales(OUTPUTS)?);
        let network = Self {
            checksum: u64::from_le_bytes(*sum),
            embedding: reader.floats(tasks.len() * embedded)?,
            tasks,
            inputs,
            outputs,
            first: reader.linear(width, embedded + INPUTS)?,
            layers: (0..layers)
                .map(|_| {
                    Ok(Layer { gate: reader.linear(2 * hidden, width)?, back: reader.linear(width, hidden)? })
                })
                .collect::<Result<_, NetworkError>>()?,
            last_scale: reader.floats(width)?,
            last_shift: reader.floats(width)?,
            head: reader.linear(OUTPUTS, width)?,
        };
        if reader.0.is_empty() { Ok(network) } else { Err(NetworkError::Damaged { what: "too long" }) }
    }
}
