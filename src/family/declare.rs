//! The declaration of a family: one table from which its row, its types and their conversions are made.

/// The text of an example that declares a family: what a variant ignores, what a predictor follows from, the variant that its code has, and the
/// predictor of its workload.
macro_rules! mistyped {
    ($ignored:literal, $explaining:literal, $variant:literal, $predictor:literal) => {
        concat!(
            "use apbench::properties::Properties;
use apbench::family::{FamilyPoint, declare_family};
use apbench::workload::{Submission, Workload};

declare_family! {
    /// Copies.
    static FAMILY = {
        name: \"copies\",
        summary: \"copies of words\",
        ptx: apbench::kernel::Ptx::Text(\"\"),
        size: words ^ 1,
    };

    struct Parameters {
        words: u64 = 1024, in 1..=1 << 20, \"words to copy\";
        block: u32 = 256, in 32..=1024, step 32, \"threads of a block\";
    }

    enum Variant {
        Kernel = \"kernel\": \"a thread for each word\";
        Driver = \"driver\": \"the driver's copy\", ignores [",
            $ignored,
            "];
    }

    struct Predictors {
        blocks: \"blocks of the grid\", of [words, ",
            $explaining,
            "];
    }
}

impl FamilyPoint for Parameters {
    fn device_bytes(&self) -> u64 {
        8 * self.words
    }

    fn predictors(&self, variant: Variant, _: &Properties) -> Predictors {
        Predictors { ",
            $predictor,
            ": f64::from(u8::from(variant == Variant::",
            $variant,
            ")) }
    }

    fn workload(&self, variant: Variant, device: &Properties, _: u64) -> Workload<Predictors> {
        Workload {
            ptx: FAMILY.ptx,
            buffers: Vec::new(),
            steps: Vec::new(),
            submission: Submission::Stream,
            bytes: 8 * self.words,
            operations: 0,
            predictors: self.predictors(variant, device),
        }
    }

    fn verification(device: &Properties) -> Vec<Self> {
        vec![Self::defaults(device)]
    }
}"
        )
    };
}

/// Declares a family: its row in the table of families, and the types that its code is written in.
///
/// It makes, beside the static of the row:
/// - `Parameters`, a field for each parameter, which implements [`Declared`](crate::family::Declared), and an enum for each parameter that is a choice;
/// - `Parameters::NAMES`, the names of the parameters as a struct of type `Names`, for conflicts and messages;
/// - `Variant`, which implements [`Named`](crate::parameter::Named);
/// - `Predictors`, a field for each, of which the workload's columns are made: their order and names are the header's.
///
/// What is written by hand is `impl FamilyPoint for Parameters`. So a parameter that does not exist, a variant without code and a
/// predictor without a value are errors of the compiler.
///
/// # Grammar
/// In this order, parts in brackets being optional:
/// - the row: name, summary, PTX, and the size of a point: the parameter that is its size and nothing else, to the power with which its
///   elements grow; then `reads_clock: true` where its kernels leave the cycles of their loops in a
///   [buffer](crate::workload::Buffer::of_cycles);
/// - parameters, each with its type, default, values and summary:
///   - `name: u32 = 256, in 32..=1024 [, step 32], "summary";` a whole number, `u32` or `u64`, a multiple of 32;
///   - `name: u64 => function, in 1..=4096, "summary";` one whose default is `function(&properties)` of the device;
///   - `name: Spread = Spread::Near, one of { Near = "near", Far = "far" }, "summary";` a choice, whose enum is made;
///   - `name: Weights, at most 32, "summary";` relative weights, 1 by default;
/// - variants: `Name = "name": "summary" [, removes "pattern"] [, since (7, 0)] [, ignores [parameter, ...]];`, and after the name `on host` where the
///   host does it. `removes` makes it a rung of a ladder, and is empty for the first; `since` is the least compute capability; `ignores` are
///   the parameters that it does not depend on;
/// - predictors: `name: "summary", of [parameter, ...] [and registers];` with the parameters that each follows from, and whether it also rests on
///   the registers of the kernels.
///
/// # Examples
/// ```
/// use apbench::properties::Properties;
/// use apbench::family::{Conflict, FamilyPoint, declare_family};
/// use apbench::kernel::Ptx;
/// use apbench::workload::{Submission, Workload};
///
/// declare_family! {
///     /// Copies.
///     pub static FAMILY = {
///         name: "copies",
///         summary: "copies of words",
///         ptx: Ptx::Text(""),
///         size: words ^ 1,
///     };
///
///     struct Parameters {
///         words: u64 = 1024, in 1..=1 << 20, "words to copy";
///         block: u32 = 256, in 32..=1024, step 32, "threads of a block";
///         order: Order = Order::Forwards, one of { Forwards = "forwards", Backwards = "backwards" }, "which word is first";
///     }
///
///     enum Variant {
///         Kernel = "kernel": "a thread for each word";
///         Driver = "driver": "the driver's copy", ignores [block, order];
///     }
///
///     struct Predictors {
///         blocks: "blocks of the grid", of [words, block];
///     }
/// }
///
/// impl FamilyPoint for Parameters {
///     fn device_bytes(&self) -> u64 {
///         8 * self.words
///     }
///
///     fn predictors(&self, variant: Variant, _: &Properties) -> Predictors {
///         let blocks = match variant {
///             Variant::Kernel => self.words.div_ceil(u64::from(self.block)),
///             Variant::Driver => 0,
///         };
///         Predictors { blocks: blocks as f64 }
///     }
///
///     fn workload(&self, variant: Variant, device: &Properties, _: u64) -> Workload<Predictors> {
///         Workload {
///             ptx: FAMILY.ptx,
///             buffers: Vec::new(),
///             steps: Vec::new(),
///             submission: Submission::Stream,
///             bytes: 8 * self.words,
///             operations: 0,
///             predictors: self.predictors(variant, device),
///         }
///     }
///
///     fn verification(device: &Properties) -> Vec<Self> {
///         vec![Self { words: 33, ..Self::defaults(device) }]
///     }
/// }
///
/// assert_eq!(FAMILY.variants[1].ignores, ["block", "order"]);
/// assert_eq!(Parameters::NAMES.words, "words");
/// ```
///
/// A variant cannot ignore a parameter that does not exist:
/// ```compile_fail,E0609
#[doc = mistyped!("block_", "block", "Kernel", "blocks")]
/// ```
/// nor can a predictor follow from one:
/// ```compile_fail,E0609
#[doc = mistyped!("block", "block_", "Kernel", "blocks")]
/// ```
/// A variant without that name is unknown to the family's code:
/// ```compile_fail,E0599
#[doc = mistyped!("block", "block", "Kernels", "blocks")]
/// ```
/// and a workload has the family's predictors:
/// ```compile_fail,E0560
#[doc = mistyped!("block", "block", "Kernel", "block_count")]
/// ```
/// The same with the right names is fine:
/// ```
#[doc = mistyped!("block", "block", "Kernel", "blocks")]
/// ```
#[macro_export]
macro_rules! declare_family {
    (
        $(#[$about:meta])*
        $visibility:vis static $family:ident = {
            name: $name:literal,
            summary: $summary:literal,
            ptx: $ptx:expr,
            size: $size:ident ^ $power:literal,
            $(reads_clock: $reads_clock:literal,)?
        };

        struct Parameters {
            $(
                $parameter:ident: $type:ident $(= $default:expr)? $(=> $of_device:path)?
                $(, in $range:expr)? $(, step $step:literal)?
                $(, one of { $($choice:ident = $choice_name:literal),+ $(,)? })?
                $(, at most $count:expr)?
                , $parameter_summary:literal;
            )+
        }

        enum Variant {
            $(
                $variant:ident = $variant_name:literal $(on $place:ident)?: $variant_summary:literal
                $(, removes $removed:literal)? $(, since ($major:literal, $minor:literal))? $(, ignores [$($ignored:ident),+])?;
            )+
        }

        struct Predictors {
            $($predictor:ident: $predictor_summary:literal, of [$($from:ident),*] $(and $registers:ident)?;)+
        }
    ) => {
        $(#[$about])*
        $visibility static $family: $crate::family::Family = $crate::family::Family {
            name: $name,
            summary: $summary,
            ptx: $ptx,
            size: Some($crate::family::Size { parameter: Parameters::NAMES.$size, power: $power }),
            is_user: false,
            reads_clock: $crate::declare_family!(@reads_clock $($reads_clock)?),
            variants: &[$($crate::family::Variant {
                name: $variant_name,
                summary: $variant_summary,
                since: $crate::declare_family!(@since $($major, $minor)?),
                ignores: &[$($(Parameters::NAMES.$ignored),+)?],
                removes: $crate::declare_family!(@removes $($removed)?),
                is_host: $crate::declare_family!(@is_host $($place)?),
            }),+],
            parameters: &[$(
                $crate::declare_family!(@parameter (stringify!($parameter), $parameter_summary), $type
                    $(= $default)? $(=> $of_device)? $(, in $range)? $(, step $step)? $(, one of [$($choice)+])? $(, at most $count)?)
            ),+],
            predictors: &[$($crate::family::Predictor {
                name: stringify!($predictor),
                summary: $predictor_summary,
                parameters: &[$(Parameters::NAMES.$from),*],
                rests_on_registers: $crate::declare_family!(@rests_on $($registers)?),
            }),+],
            implementation: &$crate::family::TypedFamily::<Parameters>::NEW,
        };

        /// The parameters of a point.
        #[allow(clippy::doc_markdown, reason = "summaries are plain text")]
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Parameters {
            $(#[doc = $parameter_summary] pub $parameter: $type,)+
        }

        /// The names of the parameters.
        #[allow(clippy::doc_markdown, reason = "summaries are plain text")]
        pub struct Names {
            $(#[doc = $parameter_summary] pub $parameter: &'static str,)+
        }

        impl Parameters {
            /// The names of the parameters.
            pub const NAMES: Names = Names { $($parameter: stringify!($parameter)),+ };

            /// The parameters at their defaults on a device with these properties.
            #[allow(unused_variables, reason = "no default may follow the device")]
            pub fn defaults(properties: &$crate::properties::Properties) -> Self {
                Self { $($parameter: $crate::declare_family!(@default properties $type $(= $default)? $(=> $of_device)?)),+ }
            }
        }

        impl $crate::family::Declared for Parameters {
            type Variant = Variant;
            type Predictors = Predictors;

            fn defaults(properties: &$crate::properties::Properties) -> Self {
                Self::defaults(properties)
            }

            fn read(values: &$crate::parameter::ParameterSet) -> Result<Self, $crate::parameter::Mismatch> {
                Ok(Self { $($parameter: values.read(Self::NAMES.$parameter)?),+ })
            }

            fn values(&self) -> $crate::parameter::ParameterSet {
                $crate::parameter::ParameterSet::new([
                    $((Self::NAMES.$parameter, $crate::parameter::Typed::value(&self.$parameter))),+
                ])
            }
        }

        $($(
            $crate::declare_family!(@named $parameter_summary, $type { $($choice = $choice_name, $choice_name;)+ });

            impl $crate::parameter::Typed for $type {
                fn read(value: &$crate::parameter::Value) -> Option<Self> {
                    match value {
                        $crate::parameter::Value::Text(text) => $crate::parameter::Named::find(text),
                        $crate::parameter::Value::Integer(_) => None,
                    }
                }

                fn value(&self) -> $crate::parameter::Value {
                    $crate::parameter::Value::from(self.name())
                }
            }
        )?)+

        $crate::declare_family!(@named "The variants of the family.", Variant { $($variant = $variant_name, $variant_summary;)+ });

        /// The predictors of a point; by default they count nothing.
        #[allow(clippy::doc_markdown, reason = "summaries are plain text")]
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        pub struct Predictors {
            $(#[doc = $predictor_summary] pub $predictor: f64,)+
        }

        impl $crate::family::Predicted for Predictors {
            fn named(self) -> Vec<(&'static str, f64)> {
                vec![$((stringify!($predictor), self.$predictor)),+]
            }
        }
    };

    (@named $about:literal, $type:ident { $($item:ident = $item_name:literal, $item_summary:literal;)+ }) => {
        #[allow(clippy::doc_markdown, reason = "summaries are plain text")]
        #[doc = $about]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $type {
            $(#[doc = $item_summary] $item,)+
        }

        impl $type {
            /// The names of all values, in the order of their declaration.
            pub const NAMES: &[&str] = &[$($item_name),+];

            /// The name in scenarios and tables.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$item => $item_name,)+
                }
            }
        }

        impl $crate::parameter::Named for $type {
            const ALL: &'static [Self] = &[$(Self::$item),+];

            fn name(self) -> &'static str {
                self.name()
            }
        }
    };

    (@parameter $words:expr, $type:ident = $default:expr, in $range:expr) => {
        $crate::declare_family!(@parameter $words, $type = $default, in $range, step 1)
    };
    (@parameter $words:expr, $type:ident => $of_device:path, in $range:expr) => {
        $crate::declare_family!(@parameter $words, $type => $of_device, in $range, step 1)
    };
    (@parameter $words:expr, $type:ident = $default:expr, in $range:expr, step $step:literal) => {
        $crate::parameter::Parameter::whole(
            $words, $range, $step, <$type as $crate::parameter::Whole>::LARGEST, $crate::parameter::Default::Integer($default),
        )
    };
    (@parameter $words:expr, $type:ident => $of_device:path, in $range:expr, step $step:literal) => {
        $crate::parameter::Parameter::whole(
            $words, $range, $step, <$type as $crate::parameter::Whole>::LARGEST, $crate::parameter::Default::OfDevice($of_device),
        )
    };
    (@parameter $words:expr, $type:ident = $default:expr, one of $choices:tt) => {
        $crate::parameter::Parameter::choice($words, $type::NAMES, $type::name($default))
    };
    (@parameter $words:expr, $type:ident, at most $count:expr) => {
        $crate::parameter::Parameter::weights($words, $count)
    };

    (@default $properties:ident $type:ident = $default:expr) => { $default };
    (@default $properties:ident $type:ident => $of_device:path) => { $of_device($properties) };
    (@default $properties:ident $type:ident) => { $type::one() };

    (@reads_clock) => { false };
    (@reads_clock $reads_clock:literal) => { $reads_clock };
    (@since) => { (1, 0) };
    (@since $major:literal, $minor:literal) => { ($major, $minor) };
    (@removes) => { None };
    (@removes $removed:literal) => { Some($removed) };
    (@rests_on) => { false };
    (@rests_on registers) => { true };
    (@is_host) => { false };
    (@is_host host) => { true };
}
