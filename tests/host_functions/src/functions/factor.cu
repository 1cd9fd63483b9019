// Relocatable device code of `scale.cu`.

#ifdef __CUDACC_RDC__
__device__ float factor(float alpha) { return alpha + 1; }
#endif
