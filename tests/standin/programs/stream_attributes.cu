// SPDX-License-Identifier: Apache-2.0
// Attributes of streams are kept and given back; nothing here obeys them.
#include "check.h"

int main()
{
    cudaStream_t a, b;
    cudaStreamAttrValue window = {}, got = {};
    int gpu = -1, priority = 0;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    window.accessPolicyWindow.num_bytes = 4096;
    window.accessPolicyWindow.hitRatio = 0.5f;
    window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    CHECK(cudaStreamSetAttribute(a, cudaStreamAttributeAccessPolicyWindow, &window));
    CHECK(cudaStreamCopyAttributes(b, a));
    CHECK(cudaStreamGetAttribute(b, cudaStreamAttributeAccessPolicyWindow, &got));
    printf("%zu %g %d\n", got.accessPolicyWindow.num_bytes, got.accessPolicyWindow.hitRatio, got.accessPolicyWindow.hitProp);
    window.priority = -1;
    CHECK(cudaStreamSetAttribute(b, cudaStreamAttributePriority, &window));
    CHECK(cudaStreamGetPriority(b, &priority));
    CHECK(cudaStreamGetDevice(b, &gpu));
    printf("%d %d\n", priority, gpu);
    printf("%s\n", cudaGetErrorName(cudaStreamGetAttribute(b, cudaLaunchAttributeClusterDimension, &got)));
    return 0;
}
