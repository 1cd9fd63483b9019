//! Which structs are passed without a copy.

use kernel_args::{
    __private::is_packed,
    abi::{Class, CppType, Layout, ParamLayout, Parameter},
};
use kernel_args_abi::param_layout::LIMIT;
use kernel_args_test_proofs::{Values, proofs};

/// A struct of three fields, and the list of their parameters.
struct Struct {
    parameters: [Parameter<'static>; 3],
    /// The offset of each field on the host, and whether it has the bytes that the kernel reads.
    fields: [(usize, bool); 3],
}

impl Struct {
    fn any(values: &mut impl Values) -> Self {
        let mut block = ParamLayout::EMPTY;
        let (mut parameters, mut fields) = ([Parameter::record(0, 0); 3], [(0, false); 3]);
        for (parameter, field) in parameters.iter_mut().zip(&mut fields) {
            let size = values.sample(LIMIT, &[1, 3, 8]);
            let align = 1 << values.sample(4, &[0, 2, 3]);
            let layout = Layout::from_size_align(size, align).expect("far below the address space");
            let (longer, offset) = block.push(layout).expect("far below the address space");
            block = longer;
            *parameter = Parameter::field("", "", offset, layout, Class::Bytes, CppType::UNKNOWN);
            // Host and device may order or align the fields differently.
            let place = values.sample(LIMIT, &[0, 1, 2]);
            *field = ([offset, offset + 4, place][place.min(2)], values.choice(1) == 1);
        }
        Self { parameters, fields }
    }
}

proofs! {
    /// A struct is passed without a copy exactly if each field has the bytes of the kernel's value, each field has the
    /// offset of its parameter, and there is no byte between two parameters.
    #[unwind(5)]
    fn packed_structs_have_the_bytes_of_the_kernel(values) {
        let Struct { parameters, fields } = Struct::any(values);
        let [a, b, c] = parameters.map(|parameter| parameter.offset.expect("a field has an offset"));
        let have_bytes = fields.iter().all(|field| field.1);
        let have_offsets = fields.map(|field| field.0) == [a, b, c];
        let without_padding = a == 0 && b == parameters[0].size && c == b + parameters[1].size;
        assert_eq!(
            is_packed(&parameters, &fields),
            have_bytes && have_offsets && without_padding,
            "{fields:?} {parameters:?}"
        );
    }
}
