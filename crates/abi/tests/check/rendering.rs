//! The exact text of tables.

use super::sides::*;
use kernel_args_abi::check::{Report, report};
use kernel_args_abi::{Class, CppType, LayoutTable, Parameter, Signature};

fn at(offset: usize, parameter: Parameter<'static>) -> Parameter<'static> {
    Parameter { offset: Some(offset), ..parameter }
}

fn vector(name: &'static str) -> Parameter<'static> {
    field(name, "Float4", 16, 16, Class::Bytes, CppType::named("float4"))
}

fn table(host: &[Parameter<'_>], kernel: &[Parameter<'_>]) -> String {
    let host = Signature { name: "Mix", parameters: host };
    let kernel = Signature { name: "mix", parameters: kernel };
    let report: Report = report(&host, &kernel);
    report.table().to_string()
}

fn mix() -> [Parameter<'static>; 5] {
    [at(0, i32("i")), at(16, vector("f4")), at(32, u32("c")), at(40, f64("alpha")), at(48, slice("x", FLOAT))]
}

#[test]
fn a_row_shows_both_sides_and_the_reason() {
    let mut kernel = records(&mix());
    kernel[2].size = 1;
    assert_eq!(
        table(&mix(), &kernel),
        "\
kernel `mix` does not take these arguments
  field  host                    kernel
  i      i32            4 @ 0    4 @ 0
  f4     Float4         16 @ 16  16 @ 16
  c      u32            4 @ 32   1 @ 32   <- `c` has 4 bytes, the kernel takes 1: declare `c: u8`, `c: i8` or `c: bool`
  alpha  f64            8 @ 40   8 @ 40
  x      &CudaSlice<_>  8 @ 48   8 @ 48"
    );
}

#[test]
fn what_one_side_lacks_is_a_gap() {
    let kernel = [
        with_cpp(ptx_u32(), INT),
        ptx_f32(),
        ptx_bytes(16, 16),
        ptx("", "", 8, 8, Class::Float),
        with_cpp(ptx_u64(), FLOAT.pointer(false)),
    ];
    assert_eq!(
        table(&mix(), &kernel),
        "\
kernel `mix` does not take these arguments
  field  host                    kernel
  i      i32            4 @ 0    int      4 @ 0
                                 .f32     4 @ 4    <- add a field for it between `i` and `f4`: `f32`
  f4     Float4         16 @ 16  .b8[16]  16 @ 16
  c      u32            4 @ 32                     <- remove it, or move it to where the kernel takes it
  alpha  f64            8 @ 40   .f64     8 @ 32
  x      &CudaSlice<_>  8 @ 48   float*   8 @ 40   <- the kernel may write through it: declare `x: &mut CudaSlice<f32>`; if the kernel only reads, `#[kernel_args(opaque)]` on the field turns this check off"
    );
}

#[test]
fn a_right_struct_says_so() {
    let text = table(&mix(), &records(&mix()));
    assert!(text.starts_with("kernel `mix` takes these arguments\n") && !text.contains("<-"));
}

#[test]
fn long_lists_show_the_rows_near_a_mistake() {
    let host: Vec<_> = (0..200).map(|_| u32("n")).collect();
    let mut kernel: Vec<_> = (0..200).map(|_| ptx_u32()).collect();
    kernel[100] = ptx_f32();
    assert_eq!(
        table(&host, &kernel),
        "\
kernel `mix` does not take these arguments
  field  host    kernel
  … 98 rows that fit
  n      u32  4  .u32  4 @ 392
  n      u32  4  .u32  4 @ 396
  n      u32  4  .f32  4 @ 400  <- the kernel takes a floating-point number: declare `n: f32`
  n      u32  4  .u32  4 @ 404
  n      u32  4  .u32  4 @ 408
  … 97 rows that fit"
    );
    assert_eq!(table(&host[..24], &kernel[..24]).lines().count(), 26);
}

#[test]
fn every_mistake_is_in_the_table_even_those_that_the_report_does_not_keep() {
    let host = [f64("a"); 40];
    let kernel = [ptx_f32(); 40];
    assert_eq!(table(&host, &kernel).matches("<-").count(), 40);
}

#[test]
fn a_layout_shows_its_padding() {
    let mut fields = mix().to_vec();
    fields.push(at(56, boolean("last")));
    let signature = Signature { name: "Mix", parameters: &fields };
    assert_eq!(
        LayoutTable(&signature).to_string(),
        "\
`Mix`: 6 parameters, 57 bytes
     field  type           C++           offset   size  align
  a  i      i32            int                0      4      4
  b  f4     Float4         float4            16     16     16
  c  c      u32            unsigned int      32      4      4
  d  alpha  f64            double            40      8      8
  e  x      &CudaSlice<_>  float const*      48      8      8
  f  last   bool           bool              56      1      1

   byte  (`.` is padding)
      0  |aaaa....|........|
     16  |bbbbbbbb|bbbbbbbb|
     32  |cccc....|dddddddd|
     48  |eeeeeeee|f|"
    );
}

#[test]
fn a_large_field_is_shown_by_its_ends() {
    let large = field("table", "Table", 32_000, 8, Class::Bytes, CppType::UNKNOWN);
    let fields = [u8("flag"), large, u32("last")];
    let signature = Signature { name: "Large", parameters: &fields };
    let text = LayoutTable(&signature).to_string();
    assert!(text.ends_with(
        "\
      0  |a.......|bbbbbbbb|
     16  |bbbbbbbb|bbbbbbbb|
       …
  31984  |bbbbbbbb|bbbbbbbb|
  32000  |bbbbbbbb|cccc|"
    ));
}

#[test]
fn very_many_fields_are_shown_by_their_ends() {
    let fields = vec![u8("b"); 4096];
    let text = LayoutTable(&Signature { name: "Many", parameters: &fields }).to_string();
    assert!(text.contains("\n     … 4032 more fields\n") && text.contains("\n       …\n"));
    assert!(text.lines().count() < 140);
}

#[test]
fn what_is_not_known_is_a_question() {
    let unaligned = Parameter { align: None, ..f32("a") };
    let fields = [u8("b"), unaligned];
    let text = LayoutTable(&Signature { name: "K", parameters: &fields }).to_string();
    assert!(text.starts_with("`K`: 2 parameters\n") && !text.contains('|'));
    assert!(text.lines().last().unwrap().ends_with("     ?      4      ?"));
    let none = Signature { name: "None", parameters: &[] };
    assert_eq!(LayoutTable(&none).to_string(), "`None`: 0 parameters, 0 bytes");
}
