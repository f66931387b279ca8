//! Weights of the parts of the default metric.

/// Weights of the parts of the default metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RewardWeights {
    /// Weight of the right tool, in the part of its cost that a wrong call can earn back.
    pub name: f64,
    /// Weight of the right keys, in the same part.
    pub keys: f64,
    /// Weight of the right values, in the same part.
    pub values: f64,
    /// Cost of a right call out of order.
    pub order: f64,
    /// Cost of a wrong call.
    pub extra: f64,
}

impl Default for RewardWeights {
    fn default() -> Self {
        Self {
            name: 0.2,
            keys: 0.3,
            values: 0.5,
            order: 0.15,
            extra: 0.5,
        }
    }
}

/// An invalid weight.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WeightsError {
    /// No weight has this name.
    #[error("weights: expected name, keys, values, order or extra, found `{0}`")]
    Unknown(String),
    /// The number is not from 0 to 1.
    #[error("weights: expected a number from 0 to 1 for `{0}`, found {1}")]
    OutOfRange(String, f64),
    /// The weights of a wrong call add up to 0.
    #[error("weights: expected one of name, keys and values above 0, found none")]
    Nothing,
}

impl RewardWeights {
    /// The default weights, with some replaced.
    ///
    /// # Errors
    /// An unknown name or an invalid number.
    pub fn with<'n>(given: impl IntoIterator<Item = (&'n str, f64)>) -> Result<Self, WeightsError> {
        let mut weights = Self::default();
        for (name, weight) in given {
            let place = match name {
                "name" => &mut weights.name,
                "keys" => &mut weights.keys,
                "values" => &mut weights.values,
                "order" => &mut weights.order,
                "extra" => &mut weights.extra,
                _ => return Err(WeightsError::Unknown(name.to_owned())),
            };
            if !(0.0..=1.0).contains(&weight) {
                return Err(WeightsError::OutOfRange(name.to_owned(), weight));
            }
            *place = weight;
        }
        if weights.name + weights.keys + weights.values <= 0.0 {
            return Err(WeightsError::Nothing);
        }
        Ok(weights)
    }
}
