use std::path::PathBuf;
use std::sync::Arc;

use super::file::checksum;
use super::*;

/// A network of width 2 with one hidden gate. It knows only task 7.
struct Tiny {
    embedding: f32,
    first: [[f32; 9]; 2],
    first_bias: [f32; 2],
    gate: [[f32; 2]; 2],
    gate_bias: [f32; 2],
    back: [f32; 2],
    back_bias: [f32; 2],
    scale: [f32; 2],
    shift: [f32; 2],
    head: [[f32; 2]; 6],
    head_bias: [f32; 6],
}

const INPUT_SCALES: [[f32; 3]; 8] = [
    [1.0, 0.0, 4.0],
    [0.0, 16.0, 496.0],
    [1.0, -9.2, 6.9],
    [0.0, 0.1, 0.89],
    [1.0, -11.5, 9.2],
    [0.0, 1.0, 4.0],
    [0.0, 64.0, 960.0],
    [0.0, 0.0, 1.0],
];
const OUTPUT_SCALES: [[f32; 3]; 6] = [
    [0.0, 0.5, 1000.0],
    [1.0, 1.0, 3.5],
    [0.0, 0.1, 3.0],
    [0.0, 0.1, 1.0],
    [0.0, 0.2, 3.0],
    [1.0, -2.0, 2.0],
];

fn tiny() -> Tiny {
    let row = |factor: f32| std::array::from_fn(|place| factor * (place as f32 - 3.0) / 5.0);
    Tiny {
        embedding: 0.75,
        first: [row(1.0), row(-0.6)],
        first_bias: [0.1, 0.4],
        // With this second row, the gate is closed in some epochs and open in others.
        gate: [[0.7, -0.4], [-0.9, 0.8]],
        gate_bias: [-0.2, 0.3],
        back: [1.1, -0.9],
        back_bias: [0.05, 0.02],
        scale: [0.8, 1.3],
        shift: [0.3, -0.1],
        head: std::array::from_fn(|it| [0.3 * it as f32 - 0.5, 0.4 - 0.1 * it as f32]),
        head_bias: [-1.0, 0.2, 0.1, -0.3, 0.0, 0.6],
    }
}

impl Tiny {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"lcbench1".to_vec();
        for size in [1u32, 1, 8, 2, 1, 1, 6, 7] {
            bytes.extend(size.to_le_bytes());
        }
        let flat = |rows: &[&[f32]]| rows.concat();
        let parts = [
            INPUT_SCALES.concat(),
            OUTPUT_SCALES.concat(),
            vec![self.embedding],
            self.first.concat(),
            flat(&[&self.first_bias]),
            self.gate.concat(),
            flat(&[&self.gate_bias, &self.back, &self.back_bias, &self.scale, &self.shift]),
            self.head.concat(),
            flat(&[&self.head_bias]),
        ];
        parts.concat().iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Evaluates the formula of the module, one number at a time.
    fn output(&self, epoch: usize, settings: &[f32; 7]) -> [f64; 6] {
        let mut z = vec![f64::from(self.embedding)];
        for (place, scale) in INPUT_SCALES.iter().enumerate() {
            let value = if place == 0 { epoch as f32 } else { settings[place - 1] };
            let value = if scale[0] == 1.0 { f64::from(value).ln() } else { f64::from(value) };
            z.push((value - f64::from(scale[1])) / f64::from(scale[2]));
        }
        let dot = |weights: &[f32], inputs: &[f64]| -> f64 {
            weights.iter().zip(inputs).map(|(weight, input)| f64::from(*weight) * input).sum()
        };
        let mut x: Vec<f64> =
            (0..2).map(|it| dot(&self.first[it], &z) + f64::from(self.first_bias[it])).collect();
        let [p, q] = [0, 1].map(|it| dot(&self.gate[it], &x) + f64::from(self.gate_bias[it]));
        let gated = p * q.max(0.0);
        for (it, x) in x.iter_mut().enumerate() {
            *x += f64::from(self.back[it]) * gated + f64::from(self.back_bias[it]);
            *x = (*x * f64::from(self.scale[it]) + f64::from(self.shift[it])).max(0.0);
        }
        std::array::from_fn(|it| {
            let logit = dot(&self.head[it], &x) + f64::from(self.head_bias[it]);
            let [exponential, low, range] = OUTPUT_SCALES[it].map(f64::from);
            let value = low + range / (1.0 + (-logit).exp());
            if exponential == 1.0 { value.exp() } else { value }
        })
    }
}

fn differs(a: f64, b: f64) -> f64 {
    (a - b).abs() / a.abs().max(b.abs())
}

#[test]
fn a_tiny_network_matches_the_formula() {
    let tiny = tiny();
    let network = Network::of_bytes(&tiny.bytes()).unwrap();
    for settings in [
        [32.0, 1e-3, 0.99, 1e-3, 2.0, 128.0, 0.5],
        [512.0, 1e-1, 0.1, 1e-1, 5.0, 1024.0, 0.0],
        [16.0, 1e-4, 0.5, 1e-5, 1.0, 64.0, 1.0],
    ] {
        let all = network.evaluate(7, &settings).unwrap();
        assert_eq!(all.len(), EPOCHS);
        for (place, outputs) in all.iter().enumerate() {
            let expected = tiny.output(place + 1, &settings);
            for (&output, expected) in outputs.iter().zip(expected) {
                assert!(differs(f64::from(output), expected) < 1e-5, "{place}: {output} {expected}");
            }
        }
    }
    assert_eq!(network.evaluate(8, &[1.0; 7]), None, "an unknown task");
}

#[test]
fn invalid_files_are_rejected_with_a_reason() {
    let good = tiny().bytes();
    let message = |bytes: &[u8]| Network::of_bytes(bytes).unwrap_err().to_string();
    assert!(message(b"PK\x03\x04").contains("does not begin with"));
    assert!(message(b"lcbench1").contains("checksum"));
    assert!(message(b"lcbench1 ").contains("checksum"));
    let mut flipped = good.clone();
    flipped[100] ^= 1;
    assert!(message(&flipped).contains("checksum"));
    // These files were damaged before their checksum was computed, so the checksum is correct.
    let sealed = |mut body: Vec<u8>| {
        body.extend(checksum(&body).to_le_bytes());
        body
    };
    let body = &good[..good.len() - 8];
    assert!(message(&sealed(body[..body.len() - 4].to_vec())).contains("too short"));
    assert!(message(&sealed([body, &[0; 4]].concat())).contains("too long"));
    let mut other = body.to_vec();
    other[16] = 9;
    assert!(message(&sealed(other.clone())).contains("9 inputs"));
    other[16..20].fill(0xff);
    assert!(message(&sealed(other)).contains("out of range"));
    let missing = Network::of_file(&PathBuf::from("no such file")).unwrap_err().to_string();
    assert!(missing.contains("no such file") && missing.contains("export-lcbench.py"), "{missing}");
}

#[test]
fn the_time_to_accuracy_is_the_end_of_the_first_epoch_that_reaches_it() {
    let curve = Curve { seconds: vec![2.0, 4.0, 7.0], accuracy: vec![50.0, 61.0, 60.0] };
    assert_eq!(curve.time_to(50.0), Some(2.0));
    assert_eq!(curve.time_to(60.0), Some(4.0));
    assert_eq!(curve.time_to(61.5), None);
    assert_eq!((curve.best(), curve.end()), (61.0, (7.0, 60.0)));
}

#[test]
fn the_default_configuration_matches_the_benchmark() {
    let default = space().default_configuration();
    assert_eq!(default.codes(), [32.0, 1e-3, 0.99, 1e-3, 2.0, 128.0, 0.5]);
}

/// Returns the exported network, if the environment variable names it.
fn exported() -> Option<(PathBuf, Arc<Network>)> {
    let Some(path) = std::env::var_os("CAPTUNE_LCBENCH").map(PathBuf::from) else {
        println!("skipped: CAPTUNE_LCBENCH does not name an exported network");
        return None;
    };
    let network = Network::of_file(&path).unwrap();
    Some((path, Arc::new(network)))
}

#[test]
fn the_exported_network_matches_the_original() {
    let Some((path, network)) = exported() else { return };
    let answers = std::fs::read(path.with_extension("answers")).unwrap();
    let words: Vec<[u8; 4]> = answers.chunks_exact(4).map(|word| word.try_into().unwrap()).collect();
    let count = u32::from_le_bytes(words[0]) as usize;
    let mut worst: f64 = 0.0;
    for row in words[1..].chunks_exact(8 + EPOCHS * OUTPUTS) {
        let settings = std::array::from_fn(|it| f32::from_le_bytes(row[1 + it]));
        let ours = network.evaluate(u32::from_le_bytes(row[0]), &settings).unwrap();
        for (&our, word) in ours.as_flattened().iter().zip(&row[8..]) {
            worst = worst.max(differs(f64::from(our), f64::from(f32::from_le_bytes(*word))));
        }
    }
    println!("{count} configurations, largest relative difference {worst:.1e}");
    assert!(count > 0 && worst < 1e-4, "{worst}");
}

#[test]
fn a_recorded_recipe_can_be_recomputed() {
    let Some((_, network)) = exported() else { return };
    // One data set is enough here: `bench lcbench` recomputes all seven.
    let data_set = DataSet::new(network, DATA_SETS[6]).unwrap();
    assert_eq!(data_set.recomputed_recipe(&data_set.drawn()), DATA_SETS[6]);
}
