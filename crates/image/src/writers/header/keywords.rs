//! The reserved words of C++.

/// Words that are not identifiers: ISO C++23, "Keywords" and "Alternative tokens". Also two macros that GCC defines.
const RESERVED: &str = "\
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t \
    char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr \
    constinit continue contract_assert decltype default delete do double dynamic_cast else enum \
    explicit export extern false float for friend goto if inline int linux long mutable namespace \
    new noexcept not not_eq nullptr operator or or_eq private protected public register \
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast \
    struct switch template this thread_local throw true try typedef typeid typename union unix \
    unsigned using virtual void volatile wchar_t while xor xor_eq NULL";

fn words() -> impl Iterator<Item = &'static str> {
    RESERVED.split(' ')
}

pub(super) fn is_reserved(word: &str) -> bool {
    words().any(|reserved| reserved == word)
}

#[cfg(test)]
mod tests {
    use super::{super::names::is_word, is_reserved, words};
    use alloc::collections::BTreeSet;

    #[test]
    fn the_list_has_each_word_once() {
        assert!(words().all(is_word));
        let different: BTreeSet<&str> = words().collect();
        assert_eq!((words().count(), different.len()), (97, 97));
        assert!(is_reserved("class") && !is_reserved("Class"));
    }
}
