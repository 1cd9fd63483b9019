//! Small kernels and what they write.
