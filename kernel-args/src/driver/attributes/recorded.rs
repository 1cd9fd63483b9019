use crate::driver::{
    api::LaunchAttribute,
    config::{Attribute, Attributes},
};
use kernel_args_image::recording;

pub(crate) fn to_recording(attributes: Option<Attributes<'_>>) -> (Vec<recording::Attribute>, Vec<String>) {
    let (mut all, mut lost) = (Vec::new(), Vec::new());
    attributes.unwrap_or_default().for_each(&mut |attribute, encoded, value| {
        let (id, name) = (attribute.id, attribute.name);
        if attribute.has_address {
            lost.push(name.into());
        } else {
            all.push(recording::Attribute { id, text: format!("{name} = {value}"), value: *encoded.bytes() });
        }
    });
    (all, lost)
}

pub(crate) fn from_recording(recorded: &recording::Attribute) -> Option<LaunchAttribute<'static>> {
    let id = recorded.id;
    Attribute::ALL.iter().find(|attribute| attribute.id == id && !attribute.has_address)?;
    let mut attribute = LaunchAttribute::new(id);
    attribute.put(0, recorded.value);
    Some(attribute)
}

#[cfg(test)]
mod tests {
    use super::{from_recording, recording::Attribute, to_recording};
    use crate::driver::config::{AccessPolicyWindow, Launch};

    #[test]
    fn attributes_survive_a_recording_unless_they_contain_an_address() {
        let window = AccessPolicyWindow::new(0x1000, 64);
        let launch = Launch::new(4, 32).cluster(2).priority(-3).access_policy_window(window);
        let (recorded, lost) = to_recording(launch.attributes);
        assert_eq!(lost, ["access_policy_window"]);
        assert_eq!((&*recorded[0].text, &*recorded[1].text), ("cluster = (2, 1, 1)", "priority = -3"));
        for one in &recorded {
            let attribute = from_recording(one).expect("it was written");
            assert_eq!((attribute.id(), attribute.bytes()), (one.id, &one.value));
        }
        for id in [0, 1, 3, 7, 12, 13, 99, u32::MAX] {
            let hostile = Attribute { id, text: String::new(), value: [0x55; 64] };
            assert!(from_recording(&hostile).is_none(), "{id}");
        }
    }
}
