//! Operands: registers by their kind, constants, addresses.

use super::super::decode::Context;
use super::super::layout::Place;
use super::super::operand::{Address, Base, Kind, LongSource, PredicateSource, WordSource};
use super::super::scope::{Entity, VirtualRegister};
use super::super::{Slice, Space};
use super::bits_of;
use ptx_syntax::module::Operand;

impl Context<'_, '_> {
    /// What a name stands for, in the function or in the module.
    pub(super) fn entity(&self, name: &str) -> Option<Entity> {
        self.scope.find(name).or_else(|| self.layout.places.get(name).copied().map(Entity::Place))
    }

    pub(super) fn register_of(&self, name: &str) -> Option<VirtualRegister> {
        match self.scope.find(name) {
            Some(Entity::Register(register)) => Some(register),
            _ => None,
        }
    }

    /// The register that an operand names.
    pub(super) fn register(&self, operand: &Operand) -> Result<VirtualRegister, String> {
        match operand {
            Operand::Name(name) => self.register_of(name).ok_or_else(|| format!("{name} is not a register")),
            _ => Err(format!("{operand} is not a register")),
        }
    }

    /// A register of this kind to write to.
    pub(super) fn destination(&self, operand: &Operand, kind: Kind) -> Result<u32, String> {
        let register = self.register(operand)?;
        if register.kind == kind {
            return Ok(register.number);
        }
        let width = match kind {
            Kind::Word => "at most 32 bits",
            Kind::Long => "64 bits",
            Kind::Predicate => "a predicate",
        };
        Err(format!("{operand} must be a register of {width}"))
    }

    /// The same; `None` for `_`.
    pub(super) fn destination_or_discard(&self, operand: &Operand, kind: Kind) -> Result<Option<u32>, String> {
        if *operand == Operand::Discard { Ok(None) } else { self.destination(operand, kind).map(Some) }
    }

    pub(super) fn predicate_register(&self, name: &str) -> Result<u32, String> {
        match self.register_of(name) {
            Some(VirtualRegister { kind: Kind::Predicate, number, .. }) => Ok(number),
            _ => Err(format!("{name} is not a predicate")),
        }
    }

    /// A source of at most 32 bits. Constants are cut to the type's width.
    pub(super) fn word(&mut self, operand: &Operand, ty: &str) -> Result<WordSource, String> {
        let value = match operand {
            Operand::Name(name) => match self.entity(name) {
                Some(Entity::Register(VirtualRegister { kind: Kind::Word, number, .. })) => {
                    return Ok(WordSource::Register(number));
                }
                Some(Entity::Place(place)) => constant_address(place, 0, name)?,
                _ => return Err(format!("{name} is not a register of at most 32 bits")),
            },
            Operand::Sum { name, offset } => self.address_value(name, *offset)?,
            Operand::Integer(value) if ty == "f32" => u64::from((*value as i64 as f32).to_bits()),
            Operand::Integer(value) => *value,
            Operand::Float32(bits) => u64::from(*bits),
            Operand::Float64(bits) => u64::from((f64::from_bits(*bits) as f32).to_bits()),
            _ => return Err(format!("{operand} is not a register or constant")),
        };
        let value = value as u32;
        let value = match bits_of(ty) {
            Some(8) => value & 0xff,
            Some(16) => value & 0xffff,
            _ => value,
        };
        Ok(self.constants.word(value))
    }

    /// A source of 64 bits.
    pub(super) fn long(&mut self, operand: &Operand, ty: &str) -> Result<LongSource, String> {
        let value = match operand {
            Operand::Name(name) => match self.entity(name) {
                Some(Entity::Register(VirtualRegister { kind: Kind::Long, number, .. })) => {
                    return Ok(LongSource::Register(number));
                }
                Some(Entity::Place(place)) => constant_address(place, 0, name)?,
                None if self.layout.function_index(name).is_some() => self.address_value(name, 0)?,
                _ => return Err(format!("{name} is not a register of 64 bits")),
            },
            Operand::Sum { name, offset } => self.address_value(name, *offset)?,
            Operand::Integer(value) if ty == "f64" => (*value as i64 as f64).to_bits(),
            Operand::Integer(value) => *value,
            Operand::Float64(bits) => *bits,
            Operand::Float32(bits) => f64::from(f32::from_bits(*bits)).to_bits(),
            _ => return Err(format!("{operand} is not a register or constant")),
        };
        Ok(self.constants.long(value))
    }

    pub(super) fn predicate(&self, operand: &Operand) -> Result<PredicateSource, String> {
        match operand {
            Operand::Name(name) => {
                Ok(PredicateSource::Register { slot: self.predicate_register(name)?, negated: false })
            }
            Operand::Not(name) => Ok(PredicateSource::Register { slot: self.predicate_register(name)?, negated: true }),
            Operand::Integer(value) => Ok(PredicateSource::Constant(*value != 0)),
            _ => Err(format!("{operand} is not a predicate")),
        }
    }

    /// The address of a variable or function, which is the same for all threads.
    fn address_value(&self, name: &str, offset: i64) -> Result<u64, String> {
        if let Some(address) = self.layout.function_address(name).filter(|_| self.layout.function_index(name).is_some())
        {
            return Ok(address);
        }
        match self.entity(name) {
            Some(Entity::Place(place)) => constant_address(place, offset, name),
            _ => Err(format!("{name} is not a variable or function")),
        }
    }

    /// A variable's place in the frame.
    pub(super) fn frame_place(&self, operand: &Operand) -> Option<Slice> {
        let Operand::Name(name) = operand else { return None };
        match self.entity(name) {
            Some(Entity::Place(Place::Frame(slice))) => Some(slice),
            _ => None,
        }
    }

    /// `[base + offset]` of an instruction that names `space`, and the space that it turns out to be.
    pub(super) fn address(&mut self, operand: &Operand, space: Space) -> Result<(Address, Space), String> {
        let Operand::Address { base, offset } = operand else { return Err(format!("{operand} is not an address")) };
        let offset = *offset;
        let Some(name) = base else { return Ok((Address { base: Base::Zero, offset }, space)) };
        // In a device function `.param` is a part of the frame.
        let own = if space == Space::Parameter && !self.kernel { Space::Local } else { space };
        match self.entity(name) {
            Some(Entity::Register(VirtualRegister { kind: Kind::Word, number, .. })) => {
                Ok((Address { base: Base::Word(WordSource::Register(number)), offset }, own))
            }
            Some(Entity::Register(VirtualRegister { kind: Kind::Long, number, .. })) => {
                Ok((Address { base: Base::Long(LongSource::Register(number)), offset }, own))
            }
            Some(Entity::Place(place)) => {
                let (found, base, start) = match place {
                    Place::Global(address) => (Space::Global, Base::Zero, address),
                    Place::Shared(offset) => (Space::Shared, Base::Zero, u64::from(offset)),
                    Place::Constant(offset) => (Space::Constant, Base::Zero, u64::from(offset)),
                    Place::KernelParameter(offset) => (Space::Parameter, Base::Zero, u64::from(offset)),
                    Place::Frame(slice) => (Space::Local, Base::Frame, u64::from(slice.offset)),
                };
                let agrees = found == space || space == Space::Parameter && found == Space::Local;
                if !agrees && space != Space::Generic {
                    return Err(format!("{name} is in another state space"));
                }
                Ok((Address { base, offset: offset.wrapping_add(start as i64) }, found))
            }
            _ => Err(format!("{name} is not a register or variable")),
        }
    }

    /// The labels of a list, by their numbers.
    pub(super) fn branch_targets(&self, name: &str) -> Result<Vec<u32>, String> {
        let Some(Entity::BranchTargets(labels)) = self.scope.find(name) else {
            return Err(format!("{name} is not a list of branch targets"));
        };
        labels.iter().map(|label| self.label(label)).collect()
    }

    pub(super) fn label(&self, name: &str) -> Result<u32, String> {
        match self.scope.find(name) {
            Some(Entity::Label(number)) => Ok(number as u32),
            _ => Err(format!("{name} is not a label")),
        }
    }
}

fn constant_address(place: Place, offset: i64, name: &str) -> Result<u64, String> {
    let base = match place {
        Place::Global(address) => address,
        Place::Shared(place) | Place::Constant(place) | Place::KernelParameter(place) => u64::from(place),
        Place::Frame(_) => return Err(format!("the address of {name} needs a mov of its own")),
    };
    Ok(base.wrapping_add_signed(offset))
}
