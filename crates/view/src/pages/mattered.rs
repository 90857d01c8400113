//! What mattered: the changes that an ablation found, and the parameters that a model finds important.

use serde::Serialize;

use crate::ablation::Ablation;
use crate::error::ViewError;
use crate::importance::Importance;
use crate::model::Model;
use crate::records::Records;

/// Quantile of the predicted cost below which differences are explained: the better half of the space.
const QUANTILE: f64 = 0.5;

/// The page "What mattered".
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Mattered {
    /// The ablation of the best configuration; `None` if none was begun.
    pub ablation: Option<Ablation>,
    /// The importance of the parameters; `None` if there is nothing to learn from.
    pub importance: Option<Importance>,
}

impl Mattered {
    pub(super) fn of(records: &Records<'_>, model: Option<&Model>) -> Result<Self, ViewError> {
        let importance = model.map(|model| Importance::by(model, records, QUANTILE)).transpose()?;
        Ok(Self { ablation: Ablation::of(records)?, importance })
    }
}
