namespace kernel_args_constants {
template<class kernel_args_t, bool = __is_enum(kernel_args_t)> struct kernel_args_type {
    static_assert(sizeof(kernel_args_t) == 0, "a constant is a number, a bool or an enumerator");
};
template<class kernel_args_t, bool> struct kernel_args_if {};
template<class kernel_args_t> struct kernel_args_if<kernel_args_t, true> { typedef void kernel_args_s; };
template<class kernel_args_t, class = void> struct kernel_args_enum : kernel_args_type<__underlying_type(kernel_args_t)> {};
// Without a declared type, compilers differ in the type that an enumeration has, but agree on the type of its promotion.
template<class kernel_args_t>
struct kernel_args_enum<kernel_args_t, typename kernel_args_if<decltype(+kernel_args_t()), (sizeof(kernel_args_t) >= sizeof(int))>::kernel_args_s>
    : kernel_args_type<decltype(+kernel_args_t())> {};
template<class kernel_args_t> struct kernel_args_type<kernel_args_t, true> : kernel_args_enum<kernel_args_t> {};
template<class kernel_args_t, unsigned kernel_args_k> struct kernel_args_stored {
    typedef kernel_args_t kernel_args_s;
    static constexpr unsigned kernel_args_kind = kernel_args_k;
};
// The kind is the size, with 100 for a signed integer, 200 for a floating-point number and 300 for a bool.
#define KERNEL_ARGS_INTEGER(...) \
    template<> struct kernel_args_type<__VA_ARGS__, false> \
        : kernel_args_stored<unsigned long long, (static_cast<__VA_ARGS__>(-1) < static_cast<__VA_ARGS__>(1) ? 100 : 0) + sizeof(__VA_ARGS__)> {};
KERNEL_ARGS_INTEGER(char)
KERNEL_ARGS_INTEGER(signed char)
KERNEL_ARGS_INTEGER(unsigned char)
KERNEL_ARGS_INTEGER(short)
KERNEL_ARGS_INTEGER(unsigned short)
KERNEL_ARGS_INTEGER(int)
KERNEL_ARGS_INTEGER(unsigned)
KERNEL_ARGS_INTEGER(long)
KERNEL_ARGS_INTEGER(unsigned long)
KERNEL_ARGS_INTEGER(long long)
KERNEL_ARGS_INTEGER(unsigned long long)
KERNEL_ARGS_INTEGER(wchar_t)
KERNEL_ARGS_INTEGER(char16_t)
KERNEL_ARGS_INTEGER(char32_t)
template<> struct kernel_args_type<bool, false> : kernel_args_stored<unsigned long long, 301> {};
template<> struct kernel_args_type<float, false> : kernel_args_stored<double, 204> {};
template<> struct kernel_args_type<double, false> : kernel_args_stored<double, 208> {};
template<class kernel_args_t> __host__ __device__ constexpr unsigned kernel_args_kind(kernel_args_t) {
    return kernel_args_type<kernel_args_t>::kernel_args_kind;
}
template<class kernel_args_t>
__host__ __device__ constexpr typename kernel_args_type<kernel_args_t>::kernel_args_s kernel_args_value(kernel_args_t kernel_args_v) {
    return static_cast<typename kernel_args_type<kernel_args_t>::kernel_args_s>(kernel_args_v);
}
}
