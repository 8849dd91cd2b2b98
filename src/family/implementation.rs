//! What families do with their points: over types of their own where they are declared, and over names for the rest of the program.

use std::marker::PhantomData;

use super::{Conflict, Request};
use crate::parameter::{Mismatch, Named, ParameterSet};
use crate::properties::Properties;
use crate::workload::Workload;

/// What [`declare_family!`](crate::declare_family) makes for a family's parameters.
pub trait Declared: Sized + 'static {
    /// The family's variants.
    type Variant: Named;
    /// The family's predictors, a field for each.
    type Predictors: Predicted;

    /// The parameters at their defaults on a device with these properties.
    fn defaults(properties: &Properties) -> Self;

    /// Reads them from a point's values.
    ///
    /// # Errors
    /// When a value is missing or of another type. The scenario's checks exclude both.
    fn read(values: &ParameterSet) -> Result<Self, Mismatch>;

    /// Their values by name, in the family's order.
    fn values(&self) -> ParameterSet;
}

/// The predictors of a point, which [`declare_family!`](crate::declare_family) makes.
pub trait Predicted {
    /// Names and values, in the order of the family's predictors.
    fn named(self) -> Vec<(&'static str, f64)>;
}

/// What a family does with a point, whose parameters these are.
pub trait FamilyPoint: Declared {
    /// Checks what no single parameter's range can.
    ///
    /// # Errors
    /// Which values do not go together, and what to do.
    fn check(&self) -> Result<(), Conflict> {
        Ok(())
    }

    /// Device memory that the point needs, in bytes, without building its workload.
    fn device_bytes(&self) -> u64;

    /// What the workload of a variant has as its predictors, without building it.
    fn predictors(&self, variant: Self::Variant, device: &Properties) -> Self::Predictors;

    /// Builds the workload of a variant for a device with these properties; the seed is that of the inputs.
    fn workload(&self, variant: Self::Variant, device: &Properties, seed: u64) -> Workload<Self::Predictors>;

    /// Small points, odd sizes among them, at which every variant is verified on a device with these properties.
    fn verification(device: &Properties) -> Vec<Self>;
}

/// The same over names and values, so that families whose types differ are rows of one table.
pub trait Implementation: Sync {
    /// Checks what no single parameter's range can.
    ///
    /// # Errors
    /// Which values do not go together, and what to do.
    fn check(&self, parameters: &ParameterSet) -> Result<(), Conflict>;

    /// Device memory that a point needs, in bytes, without building its workload.
    ///
    /// # Errors
    /// When the values are not the family's.
    fn device_bytes(&self, parameters: &ParameterSet) -> Result<u64, Mismatch>;

    /// The predictors of a point, without building its workload.
    ///
    /// # Errors
    /// When the variant or the values are not the family's, or a predictor has no value there.
    fn predictors(&self, request: &Request<'_>) -> Result<Vec<(&'static str, f64)>, Mismatch>;

    /// Builds a point's workload.
    ///
    /// # Errors
    /// When the variant or the values are not the family's.
    fn workload(&self, request: &Request<'_>) -> Result<Workload, Mismatch>;

    /// Small points, odd sizes among them, at which every variant is verified on a device with these properties.
    fn verification(&self, device: &Properties) -> Vec<ParameterSet>;
}

/// The implementation of a family that is declared with types.
pub struct TypedFamily<P>(PhantomData<fn() -> P>);

impl<P: FamilyPoint> TypedFamily<P> {
    /// The implementation over the parameters `P`.
    pub const NEW: Self = Self(PhantomData);
}

impl<P: FamilyPoint> Implementation for TypedFamily<P> {
    fn check(&self, parameters: &ParameterSet) -> Result<(), Conflict> {
        P::read(parameters)?.check()
    }

    fn device_bytes(&self, parameters: &ParameterSet) -> Result<u64, Mismatch> {
        P::read(parameters).map(|parameters| parameters.device_bytes())
    }

    fn predictors(&self, request: &Request<'_>) -> Result<Vec<(&'static str, f64)>, Mismatch> {
        let parameters = P::read(request.parameters)?;
        Ok(parameters.predictors(variant_of::<P>(request)?, request.device).named())
    }

    fn workload(&self, request: &Request<'_>) -> Result<Workload, Mismatch> {
        let variant = variant_of::<P>(request)?;
        let workload = P::read(request.parameters)?.workload(variant, request.device, request.seed);
        Ok(workload.map_predictors(Predicted::named))
    }

    fn verification(&self, device: &Properties) -> Vec<ParameterSet> {
        P::verification(device).iter().map(Declared::values).collect()
    }
}

fn variant_of<P: FamilyPoint>(request: &Request<'_>) -> Result<P::Variant, Mismatch> {
    P::Variant::find(request.variant).ok_or_else(|| Mismatch::Variant(request.variant.to_owned()))
}

impl From<Mismatch> for Conflict {
    fn from(mismatch: Mismatch) -> Self {
        let help = "give every parameter of the family a value of its kind".to_owned();
        Self { parameters: &[], problem: mismatch.to_string(), help }
    }
}
