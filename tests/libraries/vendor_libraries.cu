/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA's libraries as they are: products of matrices (cuBLAS; f16 takes tensor cores and copies of boxes on sm_90), a sparse
 * product (cuSPARSE), a solved system (cuSOLVER), random numbers (cuRAND) and transforms (cuFFT, which calls the driver alone).
 * Small integers, so that sums are exact. */
#include <cmath>
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <vector>

/* Of cublas.h, which excludes cublas_v2.h: the interface without handles. */
#undef cublasDdot
extern "C" unsigned cublasInit(void);
extern "C" unsigned cublasShutdown(void);
extern "C" double cublasDdot(int n, const double *x, int stride_x, const double *y, int stride_y);

template <typename T> static T *to_gpu(const std::vector<T> &from)
{
    T *at;
    cudaMalloc(&at, from.size() * sizeof(T));
    cudaMemcpy(at, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
    return at;
}

template <typename T> static std::vector<T> from_gpu(const T *at, size_t count)
{
    std::vector<T> to(count);
    cudaMemcpy(to.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost);
    return to;
}

static double number(float x) { return x; }
static double number(double x) { return x; }
static double number(__half x) { return __half2float(x); }

template <typename T> static void product(cublasHandle_t handle, const char *name, cudaDataType type, cublasComputeType_t compute, int n)
{
    std::vector<T> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = T(float(i * 7 % 5 - 2)), b[i] = T(float(i * 3 % 7 - 3));
    T *da = to_gpu(a), *db = to_gpu(b), *dc = to_gpu(c);
    const float one = 1, zero = 0;
    const double one_double = 1, zero_double = 0;
    const bool is_double = type == CUDA_R_64F;
    const int code = cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, is_double ? (const void *)&one_double : &one, da, type, n,
                                  db, type, n, is_double ? (const void *)&zero_double : &zero, dc, type, n, compute,
                                  CUBLAS_GEMM_DEFAULT);
    c = from_gpu(dc, c.size());
    int wrong = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += number(a[i + k * n]) * number(b[j + k * n]);
            wrong += sum != number(c[i + j * n]);
        }
    printf("%s: status %d, %d wrong\n", name, code, wrong);
}

static void sparse()
{
    const int n = 300;
    std::vector<int> rows(n + 1), columns;
    std::vector<float> values, x(n), y(n);
    for (int i = 0; i < n; i++) {
        rows[i] = (int)columns.size();
        x[i] = float(i % 9);
        for (int j = i % 3; j < n; j += 31)
            columns.push_back(j), values.push_back(float(1 + (i + j) % 4));
    }
    rows[n] = (int)columns.size();
    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t in, out;
    float *dy = to_gpu(y);
    const float one = 1, zero = 0;
    size_t bytes = 0;
    void *room;
    cusparseCreate(&handle);
    cusparseCreateCsr(&matrix, n, n, (int64_t)columns.size(), to_gpu(rows), to_gpu(columns), to_gpu(values), CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnVec(&in, n, to_gpu(x), CUDA_R_32F);
    cusparseCreateDnVec(&out, n, dy, CUDA_R_32F);
    cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out, CUDA_R_32F,
                            CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    cudaMalloc(&room, bytes + 1);
    const int code = cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out, CUDA_R_32F,
                                  CUSPARSE_SPMV_ALG_DEFAULT, room);
    y = from_gpu(dy, y.size());
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = rows[i]; k < rows[i + 1]; k++)
            sum += values[k] * x[columns[k]];
        wrong += sum != y[i];
    }
    printf("sparse: status %d, %d wrong\n", code, wrong);
}

static void solve()
{
    const int n = 48;
    std::vector<double> a(n * n), x(n);
    for (int i = 0; i < n * n; i++)
        a[i] = i * 37 % 101 / 101.0 + (i % (n + 1) == 0) * n;
    double *da = to_gpu(a), *db = to_gpu(std::vector<double>(n, 1.0)), *room;
    int *pivots = to_gpu(std::vector<int>(n)), *info = to_gpu(std::vector<int>(1)), size = 0;
    cusolverDnHandle_t handle;
    cusolverDnCreate(&handle);
    cusolverDnDgetrf_bufferSize(handle, n, n, da, n, &size);
    cudaMalloc(&room, (size_t)size * sizeof *room);
    const int factored = cusolverDnDgetrf(handle, n, n, da, n, room, pivots, info);
    const int solved = cusolverDnDgetrs(handle, CUBLAS_OP_N, n, 1, da, n, pivots, db, n, info);
    x = from_gpu(db, x.size());
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[i + j * n] * x[j];
        worst = std::fmax(worst, std::fabs(sum - 1));
    }
    printf("solve: status %d %d, %s\n", factored, solved, worst < 1e-12 ? "right" : "wrong");
}

static void random_numbers()
{
    const int n = 4096;
    curandGenerator_t generator;
    float *at = to_gpu(std::vector<float>(n));
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    const int code = curandGenerateUniform(generator, at, n);
    double sum = 0;
    for (float x : from_gpu(at, n))
        sum += x;
    printf("random: status %d, %s\n", code, std::fabs(sum / n - 0.5) < 0.02 ? "even" : "not even");
}

/* Three waves: their transform has one peak of n / 2 in its first half, and back again it is them times n. */
// cuRAND has its generators for the host too: what the kernels leave is to be their bits.
static void generators()
{
    static const struct {
        const char *name;
        curandRngType_t type;
    } kinds[] = {{"xorwow", CURAND_RNG_PSEUDO_XORWOW}, {"mrg32k3a", CURAND_RNG_PSEUDO_MRG32K3A},
                 {"mtgp32", CURAND_RNG_PSEUDO_MTGP32}, {"philox", CURAND_RNG_PSEUDO_PHILOX4_32_10},
                 {"sobol32", CURAND_RNG_QUASI_SOBOL32}};
    const int n = 4096;
    for (const auto &kind : kinds) {
        curandGenerator_t here, there;
        std::vector<unsigned> wanted(n), found(n);
        unsigned *at = to_gpu(found);
        int code = curandCreateGenerator(&there, kind.type);
        code |= curandCreateGeneratorHost(&here, kind.type);
        code |= curandGenerate(there, at, n) | curandGenerate(here, wanted.data(), n);
        found = from_gpu(at, n);
        printf("%s: status %d, %s\n", kind.name, code, found == wanted ? "the host's bits" : "others");
        curandDestroyGenerator(there), curandDestroyGenerator(here);
    }
}

static void transform(const char *name, cufftType_t there, cufftType_t back, int n)
{
    const double turn = 2 * std::acos(-1.0) * 3 / n;
    std::vector<float> x(n);
    for (int i = 0; i < n; i++)
        x[i] = float(std::cos(turn * i));
    float *in = to_gpu(x);
    cufftComplex *out = to_gpu(std::vector<cufftComplex>(n / 2 + 1));
    cufftHandle plan, inverse;
    int code = cufftPlan1d(&plan, n, there, 1) | cufftPlan1d(&inverse, n, back, 1);
    code |= cufftExecR2C(plan, in, out) | cufftExecC2R(inverse, out, in);
    const std::vector<cufftComplex> peaks = from_gpu(out, n / 2 + 1);
    const std::vector<float> again = from_gpu(in, n);
    double worst = 0;
    for (int i = 0; i <= n / 2; i++)
        worst = std::fmax(worst, std::hypot(peaks[i].x - (i == 3 ? n / 2.0 : 0), peaks[i].y));
    for (int i = 0; i < n; i++)
        worst = std::fmax(worst, std::fabs(again[i] / n - x[i]));
    printf("%s: status %d, %s\n", name, code, worst < 1e-3 ? "right" : "wrong");
}

static void without_handles()
{
    const int started = (int)cublasInit();
    const double *x = to_gpu(std::vector<double>{1, 2, 3});
    const double product = cublasDdot(3, x, 1, x, 1);
    printf("without handles: status %d %d, %g\n", started, (int)cublasShutdown(), product);
}

int main()
{
    cublasHandle_t handle;
    printf("create: status %d\n", cublasCreate(&handle));
    product<float>(handle, "f32", CUDA_R_32F, CUBLAS_COMPUTE_32F, 72);
    product<double>(handle, "f64", CUDA_R_64F, CUBLAS_COMPUTE_64F, 40);
    product<float>(handle, "tf32", CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 64);
    product<__half>(handle, "f16", CUDA_R_16F, CUBLAS_COMPUTE_32F, 128);
    sparse();
    solve();
    random_numbers();
    generators();
    transform("transform of 64", CUFFT_R2C, CUFFT_C2R, 64);
    transform("transform of 1000", CUFFT_R2C, CUFFT_C2R, 1000);
    without_handles();
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
