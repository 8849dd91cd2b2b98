//! Arguments held against the source of a kernel: what its parameters are called, and what a compiler's module does not tell.

use super::*;

/// What does not fit where these buffers and numbers are given to a kernel of this source, of which a compiler made the symbol and its parameters.
fn misfits(
    source: &str,
    (symbol, entry): (&str, &str),
    parameters: &str,
    arguments: Vec<ArgumentDescription>,
) -> Vec<String> {
    let mut own = description();
    own.source = "k.cu".to_owned();
    let scale = own.buffers[0].clone();
    own.buffers.push(BufferDescription { name: "wide", element: Element::Float(64), ..scale.clone() });
    own.buffers.extend(["input", "output"].map(|name| BufferDescription { name, ..scale.clone() }));
    own.variants[0].entry = entry.to_owned();
    own.variants[0].launches[0].arguments = arguments;
    let kernel = UserKernel::new(own);
    let ptx =
        format!(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry {symbol}({parameters}) {{ ret; }}");
    let compiled = Compiled {
        source_name: "k.cu".to_owned(),
        source: source.to_owned(),
        ..with(vec![Built::new(Build::new(), ptx)])
    };
    kernel.load(&compiled).unwrap();
    let parameters = ParameterSet::new([("n", Value::Integer(1000))]);
    sentences(kernel.check_arguments([("only", &parameters)].into_iter()).err().unwrap_or_default())
}

fn buffer(place: usize) -> ArgumentDescription {
    ArgumentDescription::Buffer { buffer: place, element: None }
}

const TWO: &str = ".param .u64 a, .param .u64 b";

/// Whatever is given for them, and however many arguments there are.
#[test]
fn parameters_that_no_scenario_can_give_are_refused_with_their_line() {
    let textures = "extern \"C\" __global__ void sample(cudaTextureObject_t image,\n    cudaSurfaceObject_t out) {}";
    let of = |arguments| misfits(textures, ("sample", "sample"), TWO, arguments);
    assert_eq!(of(vec![buffer(0), number("n")]), of(vec![number("1"), number("0")]));
    let rows = "typedef float* row;\nextern \"C\" __global__ void sum(float** rows,\n    row* others) {}";
    let rows = |arguments| misfits(rows, ("sum", "sum"), TWO, arguments);
    let call = "extern \"C\" __global__ void call(float (*f)(float), float (*grid)[4]) {}";
    let call = misfits(call, ("call", "call"), TWO, vec![buffer(0), buffer(0)]);
    insta::assert_snapshot!([of(vec![buffer(0)]), rows(vec![buffer(0), buffer(0)]), call].concat().join("\n"));
    assert_eq!(rows(vec![number("0"), number("0")]), Vec::<String>::new(), "no address is an address of anything");
}

#[test]
fn buffers_are_of_the_types_that_the_pointers_lead_to() {
    let source = "typedef float real;\n__global__ void scale(const float* x,\n    float4* y) {}";
    let one = misfits(source, ("_Z5scalePKfP6float4", "scale"), TWO, vec![buffer(1), buffer(1)]);
    let template = "template <typename T> __global__ void scale(const T* x, T* y) {}";
    let of_template = |symbol: &str, entry: &str| misfits(template, (symbol, entry), TWO, vec![buffer(1), buffer(1)]);
    let other = of_template("_Z5scaleIfEvPKT_PS0_", "scale<float>");
    insta::assert_snapshot!([one, other].concat().join("\n"));
    assert_eq!(of_template("_Z5scaleIdEvPKT_PS0_", "scale<double>"), Vec::<String>::new());
    // Without the compiler's word, other names for types are not known.
    let unknown = "#ifdef WIDE\ntypedef double real;\n#else\ntypedef float real;\n#endif\nextern \"C\" __global__ void scale(real* x, void* y) {}";
    assert_eq!(misfits(unknown, ("scale", "scale"), TWO, vec![buffer(1), buffer(1)]), Vec::<String>::new());
}

const POINT: &str = "enum Mode { FAST, EXACT };\nstruct Config { int width, height; const float* input; float* output; float scale; Mode mode; };\n\
                     extern \"C\" __global__ void scale(Config config) {}";

/// What does not fit where a structure has these members.
fn members(source: &str, bytes: u64, entries: Vec<Entry>) -> Vec<String> {
    let parameters = format!(".param .align 8 .b8 a[{bytes}]");
    misfits(source, ("scale", "scale"), &parameters, vec![structure(entries)])
}

#[test]
fn members_are_of_the_types_and_in_the_order_of_the_source() {
    let i32 = |text: &str| typed(Element::Signed(32), text);
    let f32 = |text: &str| typed(Element::Float(32), text);
    let address = |buffer: usize| Entry::Address { buffer, element: None };
    let with = |one: Entry, other: Entry, input: Entry, scale: Entry| {
        members(POINT, 32, vec![one, other, input, address(1), scale, i32("1")])
    };
    let right = || (i32("width"), i32("height"), address(2), f32("0.5"));
    let (first, second, input, scale) = right();
    assert_eq!(with(first, second, input, scale), Vec::<String>::new());
    // Both may be one number, and what is meant can be said.
    assert_eq!(with(i32("width"), i32("width"), address(2), f32("1")), Vec::<String>::new());
    assert_eq!(with(i32("(height)"), i32("(width)"), address(2), f32("1")), Vec::<String>::new());
    let nothing = typed(Element::Unsigned(64), "0");
    assert_eq!(with(i32("n"), i32("n"), nothing, f32("1")), Vec::<String>::new());
    let all = [
        with(i32("height"), i32("width"), address(2), f32("1")),
        members(POINT, 32, vec![i32("n"), i32("n"), address(3), address(2), f32("1"), i32("0")]),
        with(i32("n"), i32("n"), address(2), i32("1")),
        with(i32("n"), f32("2"), address(2), f32("1")),
        with(i32("n"), i32("n"), typed(Element::Unsigned(64), "8"), f32("1")),
    ];
    insta::assert_snapshot!(all.concat().join("\n"));
}

#[test]
fn members_of_structures_and_vectors_within_are_at_their_places() {
    let source = "struct Inner { char kind; double x; };\nstruct Config { short n[2]; float2 corner; Inner inner; };\n\
                  extern \"C\" __global__ void scale(Config config) {}";
    let i16 = || typed(Element::Signed(16), "1");
    let f32 = || typed(Element::Float(32), "1");
    let inner = |x: Entry| Entry::Structure(Structure::new(vec![typed(Element::Signed(8), "1"), x], 1));
    let corner = || Entry::Structure(Structure::new(vec![f32(), f32()], 8));
    let right = vec![i16(), i16(), corner(), inner(typed(Element::Float(64), "1"))];
    assert_eq!(members(source, 32, right), Vec::<String>::new());
    let wrong = vec![i16(), i16(), corner(), inner(typed(Element::Signed(64), "1"))];
    assert_eq!(
        members(source, 32, wrong),
        [
            "k.cu:3: parameter 1 of `scale` (`Config config`) has `inner.x`, f64, at byte 24, where `i64: 1` stands in argument 1; the members of \
             `Config` are in order n[0], n[1], corner.x, corner.y, inner.kind, inner.x"
        ]
    );
}

#[test]
fn unions_and_fields_of_bits_are_told_how_to_give() {
    let float = || vec![typed(Element::Float(32), "1")];
    let union = "union Value { int a; double b; };\nextern \"C\" __global__ void scale(Value value) {}";
    let bits = "struct Flags { unsigned a : 3; unsigned b : 31; };\nextern \"C\" __global__ void scale(Flags flags) {}";
    insta::assert_snapshot!([members(union, 8, float()), members(bits, 8, float())].concat().join("\n"));
    assert_eq!(members(union, 8, vec![typed(Element::Float(64), "1")]), Vec::<String>::new());
}

/// PTX has one type for those with a sign and those without one.
#[test]
fn numbers_are_in_the_range_of_the_type_of_the_source() {
    let source = "typedef int index;\n__global__ void scale(int n, unsigned m,\n    short s, char c, bool b, float f, long long l, index i) {}";
    let symbol = "_Z5scaleijscbfxi";
    let parameters = ".param .u32 a, .param .u32 b, .param .u16 c, .param .u8 d, .param .u8 e, .param .f32 f, .param .u64 g, .param .u32 h";
    let of = |numbers: [&str; 8]| misfits(source, (symbol, "scale"), parameters, numbers.map(number).to_vec());
    let least = ["-2147483648", "0", "-32768", "-128", "0", "-3.4e38", "-9223372036854775808", "-2147483648"];
    assert_eq!(of(least), Vec::<String>::new());
    let most = ["2147483647", "4294967295", "32767", "127", "1", "3.4e38", "9e18", "2147483647"];
    assert_eq!(of(most), Vec::<String>::new());
    let beyond = ["4096000 * n", "0 - n", "32768", "200", "2", "1e39", "1e19", "2147483648"];
    insta::assert_snapshot!(of(beyond).join("\n"));
}
