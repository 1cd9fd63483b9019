//! How variables are named, and what an error lists.

use crate::globals::{Outcome, PTX, described, random_bytes};
use kernel_args::{Error, Module, error::GlobalError, global::GlobalSpace};
use kernel_args_tests::{
    driver::{context, trial},
    values::Source,
};
use libtest_mimic::Trial;
use std::sync::Arc;

fn module() -> Result<Arc<Module>, Box<dyn std::error::Error>> {
    Ok(Module::load(&context()?, described::IMAGE)?)
}

fn a_variable_has_several_names() -> Outcome {
    let module = module()?;
    for (names, space) in [
        (&["sim::dt", "dt", "_ZN3sim2dtE", "::sim::dt"][..], GlobalSpace::Global),
        (&["sim::coefficients", "coefficients"], GlobalSpace::Constant),
        (&["buffer<7>", "buffer", "_Z6bufferILi7EE"], GlobalSpace::Global),
        (&["secret", "sim::secret", "sim::(anonymous namespace)::secret"], GlobalSpace::Global),
        (&["progress"], GlobalSpace::Managed),
        (&["hidden"], GlobalSpace::Global),
    ] {
        let addresses: Vec<_> = names.iter().map(|name| module.global_bytes(name)).collect::<Result<_, Error>>()?;
        for global in &addresses {
            assert_eq!(global.as_ptr(), addresses[0].as_ptr(), "{}", global.name());
            assert_eq!(global.space(), Some(space));
        }
    }
    Ok(())
}

fn a_name_that_does_not_exist_lists_the_nearest() -> Outcome {
    let module = module()?;
    for (wanted, nearest) in [
        ("tabel", "\n  table"),
        ("sim::dT", "\n  sim::dt"),
        ("coeficients", "\n  sim::coefficients"),
        ("buffer<8>", "\n  buffer<7>"),
        ("zzzzzzzzzzzz", "every variable of the image (23)"),
        ("a\0b", "every variable of the image (23)"),
        ("", "every variable of the image (23)"),
    ] {
        let error = module.global::<f32>(wanted).expect_err("it does not exist");
        let Error::Global(GlobalError::NotFound { .. }) = &error else {
            panic!("{error}");
        };
        let text = error.to_string();
        assert!(text.contains(nearest), "{wanted}: {text}");
        assert!(text.contains("removes variables that no kernel uses"), "{text}");
    }
    let none = Module::load(&context()?, include_str!("../../../../ptx/saxpy.ptx"))?;
    let error = none.global::<f32>("table").expect_err("it has none").to_string();
    assert!(error.contains("the image has no variables"), "{error}");
    Ok(())
}

/// Two variables with one unqualified name.
fn an_ambiguous_name_lists_all() -> Outcome {
    let text = PTX.replacen(
        ".global .align 4 .u32 counter",
        ".global .align 4 .u32 _ZN1a1vE;\n.global .align 4 .u32 _ZN1b1vE;\n.global .align 4 .u32 counter",
        1,
    );
    let module = Module::load(&context()?, text.as_str())?;
    let error = module.global::<u32>("v").expect_err("it is ambiguous").to_string();
    assert!(error.contains("several variables") && error.contains("\n  a::v\n  b::v"), "{error}");
    module.global::<u32>("b::v")?.write(&3)?;
    Ok(())
}

fn all_variables_are_listed() -> Outcome {
    let module = module()?;
    let all: Vec<_> = module.globals().collect();
    assert_eq!(all.len(), 23);
    let of = |name: &str| all.iter().find(|global| global.name == name).expect("it is listed");
    let powers = of("powers_data");
    assert_eq!((powers.space, powers.size, powers.align), (GlobalSpace::Constant, 16, Some(8)));
    assert_eq!(powers.cpp.as_deref(), Some("PowersData"));
    assert_eq!(of("sim::dt").symbol, "_ZN3sim2dtE");
    for global in &all {
        assert_eq!(module.global_bytes(&global.symbol)?.size(), global.size, "{}", global.name);
    }
    Ok(())
}

/// Every variable as bytes, whatever its type.
fn bytes_of_any_variable() -> Outcome {
    let module = module()?;
    for global in module.globals() {
        let bytes = random_bytes(&mut Source::new(7), global.size);
        let memory = module.global_bytes(&global.symbol)?;
        memory.write_at(0, &bytes)?;
        assert_eq!(memory.to_vec()?, bytes, "{}", global.name);
    }
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a_variable_has_several_names", a_variable_has_several_names),
        trial("a_name_that_does_not_exist_lists_the_nearest", a_name_that_does_not_exist_lists_the_nearest),
        trial("an_ambiguous_name_lists_all", an_ambiguous_name_lists_all),
        trial("all_variables_are_listed", all_variables_are_listed),
        trial("bytes_of_any_variable", bytes_of_any_variable),
    ]
}
