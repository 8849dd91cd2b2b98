//! What a kernel of the user's does with its points.

use std::sync::PoisonError;

use super::file::FileName;
use super::interned::interned_list;
use super::signature::argument;
use super::{
    ArgumentDescription, Expression, LaunchDescription, STEP, Scope, Unfit, UserKernel, VariantDescription, interned,
    scope,
};
use crate::family::{Conflict, Implementation, Predictor, Request};
use crate::kernel::{Ptx, Sourced};
use crate::parameter::{Mismatch, ParameterSet};
use crate::properties::Properties;
use crate::workload::{Argument, Launch, Step, Submission, Workload};
use located_toml::problem::Place;

/// The most launches of a point.
const LAUNCHES_MOST: u64 = 100_000;

impl Implementation for UserKernel {
    fn check(&self, parameters: &ParameterSet) -> Result<(), Conflict> {
        self.evaluate(parameters).map_err(|unfit| {
            let own = self.description.parameters.iter().map(|parameter| parameter.name);
            let parameters = own.filter(|own| unfit.names().iter().any(|name| name == own)).collect();
            Conflict {
                parameters: interned_list(parameters),
                problem: unfit.to_string(),
                help: "change the expression, or the values of the parameters".to_owned(),
            }
        })
    }

    fn device_bytes(&self, parameters: &ParameterSet) -> Result<u64, Mismatch> {
        let scope = scope(parameters);
        let bytes = self.description.buffers.iter().map(|buffer| buffer.bytes(&scope));
        bytes.sum::<Result<u64, Unfit>>().map_err(|unfit| Mismatch::Kernel(unfit.into()))
    }

    fn predictors(&self, request: &Request<'_>) -> Result<Vec<(&'static str, f64)>, Mismatch> {
        let scope = scope(request.parameters);
        let value = |(predictor, value): &(Predictor, Expression)| {
            let value = value.value(&scope).map_err(|unfit| Mismatch::Kernel(unfit.into()))?;
            Ok((predictor.name, value))
        };
        self.description.predictors.iter().map(value).collect()
    }

    fn workload(&self, request: &Request<'_>) -> Result<Workload, Mismatch> {
        self.built(request).map_err(Mismatch::Kernel)
    }

    fn verification(&self, device: &Properties) -> Vec<ParameterSet> {
        vec![ParameterSet::defaults(&self.description.parameters, device)]
    }
}

impl UserKernel {
    /// Where the scenario has the expression that cannot have the value that it has here; `None` where none is wrong.
    pub fn wrong_expression(&self, parameters: &ParameterSet) -> Option<Place> {
        self.evaluate(parameters).err()?.place()
    }

    /// Evaluates everything; of the contents of buffers the first and the last element.
    fn evaluate(&self, parameters: &ParameterSet) -> Result<(), Unfit> {
        let scope = scope(parameters);
        for buffer in &self.description.buffers {
            buffer.evaluate(&scope)?;
        }
        for variant in &self.description.variants {
            self.evaluate_launches(&variant.launches, &scope)?;
        }
        let of_point = self.description.bytes.iter().chain(&self.description.operations);
        for expression in of_point {
            expression.whole(&scope, 0, u64::MAX >> 11)?;
        }
        self.description.predictors.iter().try_for_each(|(_, expression)| expression.value(&scope).map(drop))
    }

    fn evaluate_launches(&self, launches: &[LaunchDescription], scope: &Scope) -> Result<(), Unfit> {
        let mut count = 0;
        for launch in launches {
            let times = launch.times(scope)?;
            count += times;
            // The first and the last of a loop stand for those between.
            for step in [0, times.saturating_sub(1)].into_iter().take(times.min(2) as usize) {
                let scope = scope.with(STEP, step as f64);
                launch.shape(&scope)?;
                self.elements(launch, &scope)?;
            }
        }
        if let (0, Some(times)) = (count, launches.iter().find_map(|launch| launch.times.as_ref())) {
            return Err(times.unfit("is 0, so that nothing is launched").within("times"));
        }
        if count > LAUNCHES_MOST {
            return Err(format!("there are {count} launches, where {LAUNCHES_MOST} are possible").into());
        }
        Ok(())
    }

    /// Addresses of elements must be in their buffers.
    fn elements(&self, launch: &LaunchDescription, scope: &Scope) -> Result<(), Unfit> {
        for argument in &launch.arguments {
            match argument {
                ArgumentDescription::Buffer { buffer, element } => {
                    self.offset(*buffer, element.as_ref(), scope).map(drop)?;
                }
                ArgumentDescription::Number(number) => number.value(scope).map(drop)?,
                ArgumentDescription::Structure(structure) => {
                    structure
                        .argument(scope, |buffer, element, scope| self.offset(buffer, element, scope))
                        .map(drop)?;
                }
            }
        }
        Ok(())
    }

    /// How many bytes behind the beginning of its buffer an element is.
    fn offset(&self, buffer: usize, element: Option<&Expression>, scope: &Scope) -> Result<u64, Unfit> {
        let Some(element) = element else { return Ok(0) };
        let buffer = &self.description.buffers[buffer];
        let index = element.whole(scope, 0, buffer.elements(scope)? - 1);
        let index = index.map_err(|unfit| unfit.within(&format!("element of `{}`", buffer.name)))?;
        Ok(index * buffer.element.bytes())
    }

    fn built(&self, request: &Request<'_>) -> Result<Workload, String> {
        let description = &self.description;
        let variant = description.variants.iter().find(|own| own.name == request.variant);
        let variant = variant.ok_or_else(|| format!("there is no variant `{}`", request.variant))?;
        let scope = scope(request.parameters);
        let read = |name: &FileName| self.contents(&name.at(request.parameters));
        let buffers = description.buffers.iter().map(|buffer| buffer.buffer(&scope, request.seed, &read));
        let mut buffers = buffers.collect::<Result<Vec<_>, String>>()?;
        for (place, buffer) in buffers.iter_mut().enumerate() {
            if !variant.takes(place) {
                buffer.expected = None;
            }
        }
        let whole = |expression: &Option<Expression>| match expression {
            Some(expression) => Ok(expression.whole(&scope, 0, u64::MAX >> 11)?),
            None => Ok::<_, String>(0),
        };
        let (ptx, steps) = self.steps(variant, request.parameters, &scope)?;
        Ok(Workload {
            ptx: Ptx::Sourced(ptx),
            buffers,
            steps,
            submission: Submission::Stream,
            bytes: whole(&description.bytes)?,
            operations: whole(&description.operations)?,
            predictors: self.predictors(request).map_err(|mismatch| mismatch.to_string())?,
        })
    }

    /// The module for a point, and its launches.
    fn steps(
        &self,
        variant: &VariantDescription,
        parameters: &ParameterSet,
        scope: &Scope,
    ) -> Result<(&'static Sourced, Vec<Step>), String> {
        let build = self.build(variant.name, parameters);
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        let module = modules.iter().find(|module| module.defines == build);
        let module = module.ok_or_else(|| format!("{} was not compiled for this point", self.description.source))?;
        let mut steps = Vec::new();
        for (launch, entry) in variant.launches.iter().zip(Self::entries(variant, parameters, &build)) {
            let kernel = module.kernel(&entry)?;
            for step in 0..launch.times(scope)? {
                let scope = scope.with(STEP, step as f64);
                let shape = launch.shape(&scope)?;
                let arguments = launch.arguments.iter().zip(&kernel.parameters);
                let arguments = arguments.map(|(given, parameter)| match given {
                    ArgumentDescription::Buffer { buffer, element: None } => Ok(Argument::Buffer(*buffer)),
                    ArgumentDescription::Buffer { buffer, element } => {
                        Ok(Argument::BufferAt(*buffer, self.offset(*buffer, element.as_ref(), &scope)?))
                    }
                    ArgumentDescription::Structure(structure) => {
                        Ok(structure.argument(&scope, |buffer, element, scope| self.offset(buffer, element, scope))?)
                    }
                    ArgumentDescription::Number(number) => argument(number.value(&scope)?, parameter)
                        .map_err(|problem| format!("argument `{}`: {problem}", number.text())),
                });
                steps.push(Step::Launch(Launch {
                    entry: interned(&kernel.name),
                    grid: shape.grid,
                    block: shape.block,
                    shared_bytes: shape.shared_bytes,
                    cooperative: launch.cooperative,
                    cluster_blocks: 1,
                    arguments: arguments.collect::<Result<_, String>>()?,
                }));
            }
        }
        Ok((module.ptx, steps))
    }
}
