// Kernels whose types are right although their code uses other ones. The line before each kernel lists the fields of its struct:
// `&T` is a shared and `&mut T` an exclusive borrow
// of a slice, a number is passed by value, and `address` is a `u64` that contains one.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

template <class T, class F> __device__ T as(F value) {
    static_assert(sizeof(T) == sizeof(F), "");
    T result;
    memcpy(&result, &value, sizeof(T));
    return result;
}
__device__ __noinline__ u32 called_hash(u32 bits) { return (bits ^ bits >> 15) * 2246822519u; }
__device__ __noinline__ void called_store(u32* p, i64 i, u32 v) { p[i] = v; }
__device__ __noinline__ u8* called_shift(u8* at, u8* from, u8* to) { return to + (at - from); }
__device__ __noinline__ u64 called_mix(void const* p) { return (u64)p * 0x9e3779b97f4a7c15ull; }

// ---- Integers and floats of one size.

// u32, &f32, &mut u32
KERNEL hash_floats(u32 n, float const* x, u32* out) { u32 i = threadIdx.x; if (i < n) out[i] = __float_as_uint(x[i]) * 2654435761u; }
// u32, &f32, &mut f32
KERNEL exponent(u32 n, float const* x, float* out) { u32 i = threadIdx.x; if (i < n) out[i] = (float)(__float_as_uint(x[i]) >> 23) - 127.0f; }
// u32, &f32, &mut f32
KERNEL inverse_root(u32 n, float const* x, float* out) { u32 i = threadIdx.x; if (i < n) { float y = __uint_as_float(0x5f3759dfu - (__float_as_uint(x[i]) >> 1)); out[i] = y * (1.5f - 0.5f * x[i] * y * y); } }
// u32, &f32, &mut u32
KERNEL radix_key(u32 n, float const* x, u32* keys) { u32 i = threadIdx.x; if (i < n) { u32 b = __float_as_uint(x[i]); keys[i] = b ^ (b >> 31 ? 0xffffffffu : 0x80000000u); } }
// u32, &mut f32, f32
KERNEL atomic_max_bits(u32 n, float* best, float value) { u32 i = threadIdx.x; if (i < n) atomicMax((int*)best + i, __float_as_int(value)); }
// &mut f64, f64
KERNEL atomic_add_by_exchange(double* sum, double value) { u64* p = (u64*)sum; u64 old = *p, seen; do { seen = old; old = atomicCAS(p, seen, __double_as_longlong(value + __longlong_as_double(seen))); } while (seen != old); }
// u32, &f64, &mut i32
KERNEL is_negative(u32 n, double const* x, int* out) { u32 i = threadIdx.x; if (i < n) out[i] = __double_as_longlong(x[i]) < 0; }
// u32, &u32, &mut f32
KERNEL random_floats(u32 n, u32 const* bits, float* out) { u32 i = threadIdx.x; if (i < n) out[i] = __uint_as_float(bits[i] >> 9 | 0x3f800000u) - 1.0f; }
// &mut u32, &f32, i32
KERNEL bits_of_float(u32* out, float const* x, int n) { int i = threadIdx.x; if (i < n) out[i] = __float_as_uint(x[i] * 2.0f); }
// &mut i64, &f64, i32
KERNEL bits_of_double(i64* out, double const* x, int n) { int i = threadIdx.x; if (i < n) out[i] = __double_as_longlong(x[i] * 2.0); }
// u32, &i32, &mut i32
KERNEL sum_as_floats(u32 n, int const* x, int* out) { u32 i = threadIdx.x; if (i < n) out[i] = __float_as_int(__int_as_float(x[i]) + __int_as_float(x[n + i])); }
// u32, &u64, &mut u64
KERNEL product_as_doubles(u32 n, u64 const* x, u64* out) { u32 i = threadIdx.x; if (i < n) out[i] = as<u64>(as<double>(x[i]) * as<double>(x[n - 1 - i])); }

// ---- Bits of half precision in integers.

// &mut i16, &f32, i32
KERNEL bfloat_bits(short* out, float const* x, int n) { int i = threadIdx.x; if (i < n) out[i] = __bfloat16_as_short(__float2bfloat16(x[i])); }
// &mut u16, &f32, i32
KERNEL bfloat_bits_unsigned(u16* out, float const* x, int n) { int i = threadIdx.x; if (i < n) out[i] = __bfloat16_as_ushort(__float2bfloat16(x[i])); }
// &mut i16, &f32, i32
KERNEL half_bits(short* out, float const* x, int n) { int i = threadIdx.x; if (i < n) out[i] = __half_as_short(__float2half(x[i])); }
// &u16, &mut f32, i32
KERNEL half_from_bits(u16 const* x, float* out, int n) { int i = threadIdx.x; if (i < n) out[i] = __half2float(__ushort_as_half(x[i])); }
// &u16, &mut f32, i32
KERNEL bfloat_by_shift(u16 const* x, float* out, int n) { int i = threadIdx.x; if (i < n) out[i] = __uint_as_float((u32)x[i] << 16); }
// u32, &u32, &mut f32
KERNEL packed_halves(u32 n, u32 const* w, float* out) { u32 i = threadIdx.x; if (i < n) { u32 v = w[i]; __half2 h = *reinterpret_cast<__half2*>(&v); h = __hmul2(h, h); out[i] = __low2float(h); } }
// u32, &f32, &mut f32
KERNEL halves_in_float(u32 n, float const* w, float* out) { u32 i = threadIdx.x; if (i < n) { float v = w[i]; __half2 h = *reinterpret_cast<__half2*>(&v); out[i] = __low2float(__hadd2(h, h)); } }
// u32, &f32, &mut f32
KERNEL half_of_float(u32 n, float const* x, float* out) { u32 i = threadIdx.x; if (i < n) out[i] = __bfloat162float(((__nv_bfloat16 const*)(x + i))[1]); }
// u32, &f64, &mut f32
KERNEL floats_in_double(u32 n, double const* x, float* out) { u32 i = threadIdx.x; if (i < n) { float2 v = *reinterpret_cast<float2 const*>(x + i); out[i] = v.x * v.y; } }
// u32, &u8, &mut f32
KERNEL halves_in_bytes(u32 n, u8 const* x, float* out) { u32 i = threadIdx.x; if (i < n) out[i] = __half2float(((__half const*)x)[i]); }
// u32, &u64, &mut u64
KERNEL four_halves(u32 n, u64 const* x, u64* out) { u32 i = threadIdx.x; if (i < n) { u64 v = x[i]; __half2* h = (__half2*)&v; h[0] = __hmul2(h[0], h[0]); h[1] = __hmul2(h[1], h[1]); out[i] = v; } }
// u32, &mut f32
KERNEL halves_as_float(u32 n, float* out) { u32 i = threadIdx.x; if (i < n) { __half2 h = __floats2half2_rn(i, n); out[i] = as<float>(h); } }

// ---- Accesses that are narrower than the elements.

// &u32, &mut u16, i32
KERNEL low_half(u32 const* keys, u16* out, int n) { int i = threadIdx.x; if (i < n) out[i] = (u16)keys[i]; }
// &u64, &mut u32, i32
KERNEL low_word(u64 const* keys, u32* out, int n) { int i = threadIdx.x; if (i < n) out[i] = (u32)keys[i]; }
// &f64, &mut i32, i32
KERNEL high_word(double const* x, int* out, int n) { int i = threadIdx.x; if (i < n) out[i] = __double2hiint(x[i]); }
// &mut u32, &f32, i32
KERNEL store_low(u32* out, float const* x, int n) { int i = threadIdx.x; if (i < n) reinterpret_cast<u16*>(out + i)[0] = (u16)x[i]; }
// &f32, &mut u8, i32
KERNEL sign_byte(float const* x, u8* out, int n) { int i = threadIdx.x; if (i < n) out[i] = reinterpret_cast<u8 const*>(x + i)[3] >> 7; }
// &u32, &mut u8, i32
KERNEL bytes_of_words(u32 const* q, u8* out, int n) { int i = threadIdx.x; if (i < n) out[i] = reinterpret_cast<u8 const*>(q)[i] & 15; }
// &i32, &mut f32, i32
KERNEL quantized(int const* q, float* out, int n) { int i = threadIdx.x; if (i < n) out[i] = (float)reinterpret_cast<signed char const*>(q)[i] * 0.5f; }
// &u64, &mut f32, i32
KERNEL nibbles(u64 const* q, float* out, int n) { int i = threadIdx.x; if (i < n) { u8 b = reinterpret_cast<u8 const*>(q)[i / 2]; out[i] = (float)(i & 1 ? b >> 4 : b & 15); } }
// &f64, &mut u32, i32
KERNEL words_of_doubles(double const* x, u32* sum, int n) { int i = threadIdx.x; if (i < n) atomicXor(sum, reinterpret_cast<u32 const*>(x)[i]); }
// &mut f32, u32
KERNEL clear_exponent(float* x, u32 n) { u32 i = threadIdx.x; if (i < n) reinterpret_cast<u16*>(x + i)[1] &= 0x807f; }
// &mut u64, &u32, u32
KERNEL set_half(u64* out, u32 const* x, u32 n) { u32 i = threadIdx.x; if (i < n) reinterpret_cast<u32*>(out)[2 * i + 1] = x[i]; }
// &bf16, &mut u8, u32
KERNEL high_byte(__nv_bfloat16 const* x, u8* out, u32 n) { u32 i = threadIdx.x; if (i < n) out[i] = reinterpret_cast<u8 const*>(x)[2 * i + 1]; }
// &f16, &mut u32, u32
KERNEL count_signs(__half const* x, u32* out, u32 n) { u32 i = threadIdx.x; if (i < n) atomicAdd(out, reinterpret_cast<u16 const*>(x)[i] >> 15); }

// ---- Accesses that are wider than the elements.

// &u8, &mut u8, u32
KERNEL copy_16(u8 const* from, u8* to, u32 n) { u32 i = threadIdx.x; if (i < n) ((uint4*)to)[i] = ((uint4 const*)from)[i]; }
// &f16, &mut f16, u32
KERNEL copy_halves(__half const* from, __half* to, u32 n) { u32 i = threadIdx.x; if (i < n) ((float4*)to)[i] = ((float4 const*)from)[i]; }
// &f32, &mut f32, u32
KERNEL copy_as_doubles(float const* from, float* to, u32 n) { u32 i = threadIdx.x; if (i < n) ((double*)to)[i] = ((double const*)from)[i]; }
// &i32, &mut i32, u32
KERNEL copy_as_floats(int const* from, int* to, u32 n) { u32 i = threadIdx.x; if (i < n) ((float4*)to)[i] = ((float4 const*)from)[i]; }
// &i16, &mut i32, u32
KERNEL two_shorts(short const* x, int* out, u32 n) { u32 i = threadIdx.x; if (i < n) out[i] = __vadd2(((u32 const*)x)[i], 0x00010001u); }
// &i8, &i8, &mut i32, u32
KERNEL dot_of_bytes(signed char const* a, signed char const* b, int* out, u32 n) { u32 i = threadIdx.x; if (i < n) out[i] = __dp4a(((int const*)a)[i], ((int const*)b)[i], 0); }
// &bf16, &mut bf16, u32
KERNEL negate_pairs(__nv_bfloat16 const* x, __nv_bfloat16* out, u32 n) { u32 i = threadIdx.x; if (i < n) ((u32*)out)[i] = ((u32 const*)x)[i] ^ 0x80008000u; }
// &mut f32, u32
KERNEL fill_words(float* out, u32 n) { u32 i = threadIdx.x; if (i < n) ((u64*)out)[i] = 0x3f8000003f800000ull; }
// &u16, &mut u64, u32
KERNEL gather_four(u16 const* x, u64* out, u32 n) { u32 i = threadIdx.x; if (i < n) out[i] = ((u64 const*)x)[i] * 3; }
// &mut f16, f32
KERNEL atomic_half(__half* p, float value) { u32* word = (u32*)((size_t)p & ~(size_t)3); u32 shift = (size_t)p & 2 ? 16 : 0; u32 old = *word, seen; do { seen = old; u16 own = __half_as_ushort(__float2half(value)); old = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | (u32)own << shift); } while (seen != old); }
// &f32, &mut u64, u32
KERNEL checksum_64(float const* x, u64* sum, u32 n) { u32 i = threadIdx.x; if (i < n) atomicAdd(sum, ((u64 const*)x)[i] * 31); }

// ---- Zeros of a smaller format.

// &mut f32, u32
KERNEL clear_as_halves(float* out, u32 n) { u32 i = threadIdx.x; if (i < 2 * n) ((__half*)out)[i] = __float2half(0.0f); }
// &mut f64, u32
KERNEL clear_as_bfloats(double* out, u32 n) { u32 i = threadIdx.x; if (i < 4 * n) ((__nv_bfloat16*)out)[i] = __float2bfloat16(0.0f); }
// &mut f64, &f64, u32, i32
KERNEL copy_or_clear(double* out, double const* x, u32 n, int copies) { u32 i = threadIdx.x; if (i < 4 * n) ((__half*)out)[i] = copies ? ((__half const*)x)[i] : __int2half_rn(0); }

// ---- Addresses as keys, with tags, as ends.

// &f64, &mut u64
KERNEL range_length(double const* end, u64* out) { *out = (u64)end % 48; }
// &mut f32
KERNEL tagged(float* p) { i64 v = (i64)p; float* q = (float*)((v << 8) >> 8); *q = 1.0f; }
// &f32, &mut u64
KERNEL key(float const* p, u64* out) { *out = called_mix(p) >> 7; }
// &f32, &mut u32, u32
KERNEL bucket(float const* p, u32* counts, u32 n) { u64 h = (u64)p * 11400714819323198485ull; atomicAdd(counts + h % n, 1u); }
// &f32, &f32, &mut f32
KERNEL between(float const* begin, float const* end, float* out) { float sum = 0; for (float const* p = begin; p != end; ++p) sum += *p; *out = sum; }
// &f32, &mut f32, u32
KERNEL backwards(float const* end, float* out, u32 n) { float sum = 0; for (u32 i = 0; i < n; ++i) sum += *(end - 1 - i); *out = sum; }
// &u8, &mut u64
KERNEL distance(u8 const* a, u64* out) { *out = (u64)((u8 const*)out - a) * 3; }
// &f32, &mut f32, u32
KERNEL aligned_or_not(float const* x, float* out, u32 n) { u32 i = threadIdx.x; if (i < n) { if (((size_t)x & 15) == 0) ((float4*)out)[i] = ((float4 const*)x)[i]; else out[i] = x[i]; } }
// &mut u32, u32
KERNEL low_tag(u32* p, u32 n) { size_t tagged = (size_t)p | (n & 3); u32* q = (u32*)(tagged & ~(size_t)3); q[threadIdx.x] = (u32)(tagged & 3); }
// &mut u8, u64
KERNEL rounded(u8* p, u64 n) { u8* q = (u8*)((size_t)p / 64 * 64); q[n * 2] = 1; }
// &mut u32, &u32
KERNEL xor_link(u32* a, u32 const* b) { u64 link = (u64)a ^ (u64)b; u32* back = (u32*)(link ^ (u64)b); *back = 7; }
// &u32, &u32, &mut u32
KERNEL compare_addresses(u32 const* a, u32 const* b, u32* out) { out[threadIdx.x] = a < b ? a[1] : b[1]; }
// &mut u32, &f32
KERNEL shuffled(u32* out, float const* x) { u64 p = (u64)out; u32 lo = __shfl_sync(~0u, (u32)p, 0), hi = __shfl_sync(~0u, (u32)(p >> 32), 0); *(u32*)((u64)hi << 32 | lo) = __float_as_uint(x[1]); }
// address, &mut f32
KERNEL address_in_number(u64 state, float* out) { out[threadIdx.x] = ((float const*)state)[threadIdx.x]; }
// &mut u64, u64
KERNEL number_like_address(u64* out, u64 n) { out[threadIdx.x] = (n << 8 >> 8) * 48 % 47; }

// ---- One buffer in terms of a second one.

// &u8, &mut u8, &u8
KERNEL relocated(u8* from, u8* to, u8* at) { to[at - from] = 1; }
// &u8, &mut u8, &u8
KERNEL relocated_by_call(u8* from, u8* to, u8* at) { *called_shift(at, from, to) = 1; }
// &u8, &u8, &mut u8
KERNEL new_base(u8* root, u8* old_base, u8* new_base) { *(u8*)((size_t)root - (size_t)old_base + (size_t)new_base) = 1; }
// &f32, &mut f32, &f32
KERNEL elements_apart(float* from, float* to, float* at) { i64 apart = at - from; to[apart] = 1.0f; }
// &f32, &mut f32
KERNEL from_one_to_other(float const* from, float* to) { i64 apart = (float const*)to - from; const_cast<float*>(from)[apart + threadIdx.x] = 1.0f; }
// &f64, &f64, &mut f64
KERNEL mirrored(double const* a, double const* b, double* out) { i64 apart = b - a; for (int i = 0; i < 8; ++i) out[i] = a[apart + i]; }
// &mut u8, &u64, u32
KERNEL offsets_in_memory(u8* base, u64 const* offsets, u32 n) { u32 i = threadIdx.x; if (i < n) base[offsets[i]] = (u8)i; }

// ---- Numbers that index memory of no parameter.

__device__ u8 table[1024];
__constant__ float coefficients[256];
__device__ float* device_pointer;
// usize, u8
KERNEL put(size_t at, u8 value) { table[at] = value; }
// usize, &mut u8
KERNEL get(size_t at, u8* out) { out[0] = table[at] + table[at + 1]; }
// usize, &mut f32
KERNEL coefficient(size_t at, float* out) { out[0] = coefficients[at]; }
// usize, &mut u8
KERNEL local_bytes(size_t at, u8* out) { u8 buf[64]; for (int i = 0; i < 64; i++) buf[i] = out[i]; buf[at] = 1; for (int i = 0; i < 64; i++) out[i] = buf[i]; }
// usize, &mut u8
KERNEL shared_bytes(size_t at, u8* out) { __shared__ u8 buf[64]; buf[threadIdx.x] = out[threadIdx.x]; __syncthreads(); out[threadIdx.x] = buf[at]; }
// usize, &mut u8
KERNEL dynamic_shared(size_t at, u8* out) { extern __shared__ u8 dynamic[]; dynamic[at] = 1; __syncthreads(); out[0] = dynamic[threadIdx.x]; }
// usize, u8
KERNEL through_variable(size_t at, u8 value) { ((u8*)device_pointer)[at] = value; }
// i64, u32
KERNEL called_with_variable(i64 at, u32 value) { called_store((u32*)table, at, value); }
// i64, u32, &mut u32
KERNEL called_with_either(i64 at, u32 value, u32* out) { called_store(out, at, value); called_store((u32*)table, at, value); }

// ---- Copies, checksums, byte swaps.

// &u8, &mut u32, u32
KERNEL checksum(u8 const* x, u32* out, u32 n) { u32 sum = 0; for (u32 i = threadIdx.x; i < n; i += 32) sum = sum * 31 + x[i]; atomicAdd(out, sum); }
// &f32, &mut u32, u32
KERNEL crc_of_floats(float const* x, u32* out, u32 n) { u32 crc = ~0u; u8 const* p = (u8 const*)x; for (u32 i = 0; i < 4 * n; ++i) { crc ^= p[i]; for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0); } *out = ~crc; }
// &f64, &mut f64, u32
KERNEL swap_bytes(double const* x, double* out, u32 n) { u32 i = threadIdx.x; if (i < n) { u8 const* p = (u8 const*)(x + i); u8* q = (u8*)(out + i); for (int k = 0; k < 8; ++k) q[k] = p[7 - k]; } }
// &u32, &mut u32, u32
KERNEL swap_words(u32 const* x, u32* out, u32 n) { u32 i = threadIdx.x; if (i < n) out[i] = __byte_perm(x[i], 0, 0x0123); }
// &f32, &f32, &mut i32, u32
KERNEL same_bytes(float const* a, float const* b, int* out, u32 n) { u32 i = threadIdx.x; if (i < 4 * n && ((u8 const*)a)[i] != ((u8 const*)b)[i]) *out = 0; }
// &mut f64, u8, u64
KERNEL set_bytes(double* out, u8 value, u64 n) { for (u64 i = threadIdx.x; i < 8 * n; i += 32) ((u8*)out)[i] = value; }
// &f16, &mut u32, u32
KERNEL histogram(__half const* x, u32* counts, u32 n) { u32 i = threadIdx.x; if (i < n) atomicAdd(counts + (reinterpret_cast<u16 const*>(x)[i] >> 10 & 31), 1u); }
// &f32, &mut u32, u32
KERNEL hash_by_call(float const* x, u32* out, u32 n) { u32 i = threadIdx.x; if (i < n) called_store(out, i, called_hash(__float_as_uint(x[i]))); }
// &f32, &mut f32, u32
KERNEL copy_bytes(float const* from, float* to, u32 n) { memcpy(to + n, from, 64); }

// ---- Values that are assembled in local memory.

// u32, &u8, &mut f32
KERNEL scatter(u32 n, u8 const* bytes, float* out) { i64 index; memcpy(&index, bytes + 8 * threadIdx.x, 8); out[index] = 1.0f; }
// &u8, &mut f32
KERNEL copied_pointer(u8 const* x, float* out) { float* q; memcpy(&q, &out, 8); q[x[0]] = 1.0f; }
// &u8, &mut f32
KERNEL copied_bytes(u8 const* x, float* out) { u8 bytes[8]; for (int i = 0; i < 8; ++i) bytes[i] = ((u8 const*)&out)[i]; float* q; memcpy(&q, bytes, 8); q[x[0]] = 1.0f; }
// &u64, &mut f32
KERNEL in_a_union(u64 const* x, float* out) { union { float* pointer; u64 bits; } u; u.pointer = out; u.bits += x[0] & 12; *u.pointer = 1.0f; }
// &u32, &mut f32, i32
KERNEL variant(u32 const* tags, float* out, int n) { int i = threadIdx.x; if (i < n) { u32 t = tags[2 * i], v = tags[2 * i + 1]; out[i] = t == 0 ? (float)v : t == 1 ? __uint_as_float(v) : (float)(int)v; } }
// &f32, &mut u32, u32
KERNEL in_local_array(float const* x, u32* out, u32 n) { u32 bits[8]; for (int i = 0; i < 8; ++i) bits[i] = __float_as_uint(x[i]); out[0] = bits[n & 7] * 3; }
// &mut u32, &u32, u32
KERNEL pointer_in_array(u32* a, u32 const* b, u32 n) { u32 const* both[2] = {a, b}; a[threadIdx.x] = both[n & 1][threadIdx.x] + 1; }
