/* SPDX-License-Identifier: Apache-2.0
 * Attributes of kernels' nodes: what the engine obeys is in the node's operation, the rest is kept
 * for who asks. */
#include "device/shared_size.h"
#include "standin/device_node.h"
#include "standin/graph_node.h"
#include "standin/launch_call.h"
#include "standin/served.h"

#include <string.h>

/* cudaLaunchAttributeID */
enum {
    L2_WINDOW = 1,
    COOPERATIVE = 2,
    CLUSTER = 4,
    CLUSTER_POLICY = 5,
    PRIORITY = 8,
    DOMAIN_MAP = 9,
    DOMAIN = 10,
    PREFERRED_CLUSTER = 11,
    CARVEOUT = 14
};

/* Bytes of the union that the attribute has; 0: it is none of a kernel's node. */
static size_t bytes_of(int attribute)
{
    static const uint8_t bytes[] = {[L2_WINDOW] = 32,
                                    [COOPERATIVE] = 4,
                                    [CLUSTER] = 12,
                                    [CLUSTER_POLICY] = 4,
                                    [PRIORITY] = 4,
                                    [DOMAIN_MAP] = 2,
                                    [DOMAIN] = 4,
                                    [CARVEOUT] = 4,
                                    [PREFERRED_CLUSTER] = 12,
                                    [IFL_ATTRIBUTE_UPDATABLE] = 16};
    return attribute >= 0 && (size_t)attribute < sizeof bytes ? bytes[attribute] : 0;
}

static ifl_node *kernel_node(const void *handle)
{
    ifl_node *node = ifl_node_of(handle);
    return node && node->op.kind == IFL_DO_KERNEL ? node : NULL;
}

static ifl_node_attribute *find(ifl_node *node, int attribute)
{
    for (size_t i = 0; i < node->attributes.count; i++)
        if (node->attributes.at[i].number == attribute)
            return &node->attributes.at[i];
    return NULL;
}

static ifl_cuda_error keep(ifl_node *node, int attribute, const void *value)
{
    ifl_node_attribute *kept = find(node, attribute);
    if (!kept && !ifl_vec_push(&node->attributes, ((ifl_node_attribute){.number = attribute})))
        return ifl_cudaErrorMemoryAllocation;
    kept = kept ? kept : &node->attributes.at[node->attributes.count - 1];
    memcpy(kept->is, value, bytes_of(attribute));
    return ifl_cudaSuccess;
}

/* The launch again, with what the attribute says of it. */
static ifl_cuda_error relaunch(ifl_session *session, ifl_node *node, const ifl_dim3 *cluster,
                               bool cooperative)
{
    ifl_op_kernel *k = &node->op.of.kernel;
    const ifl_launch_call call = {.grid = {k->grid[0], k->grid[1], k->grid[2]},
                                  .block = {k->block[0], k->block[1], k->block[2]},
                                  .shared_bytes = k->shared_bytes,
                                  .arguments = ifl_op_arguments(k),
                                  .cooperative = cooperative,
                                  .cluster = *cluster};
    ifl_op op;
    const ifl_cuda_error code = ifl_launch_op(session, ifl_function_find(k->function), &call, &op);
    if (code != ifl_cudaSuccess)
        return code;
    k->asked_cluster = *cluster;
    k->cooperative = cooperative;
    memcpy(k->cluster, op.of.kernel.cluster, sizeof k->cluster);
    ifl_op_clear(&op);
    return ifl_cudaSuccess;
}

static ifl_cuda_error set(ifl_session *session, ifl_node *node, int attribute, void *value)
{
    if (!node || !value || !bytes_of(attribute))
        return ifl_cudaErrorInvalidValue;
    if (attribute == IFL_ATTRIBUTE_UPDATABLE)
        return ifl_device_node_set(node, value);
    ifl_op_kernel *k = &node->op.of.kernel;
    int number;
    memcpy(&number, value, sizeof number);
    if (attribute == CLUSTER)
        return relaunch(session, node, value, k->cooperative);
    if (attribute == COOPERATIVE)
        return relaunch(session, node, &k->asked_cluster, number != 0);
    if (attribute == CARVEOUT && number > 100)
        return ifl_cudaErrorInvalidValue;
    if (attribute == CARVEOUT)
        k->shared_preference = number < 0 ? IFL_SHARED_DEFAULT : 1 + number;
    return keep(node, attribute, value);
}

IFL_SERVED ifl_cuda_error cudaGraphKernelNodeSetAttribute(const void *node, int attribute,
                                                          void *value)
{
    SERVE(set(session, kernel_node(node), attribute, value));
}

static ifl_cuda_error get(ifl_node *node, int attribute, void *value)
{
    if (!node || !value || !bytes_of(attribute))
        return ifl_cudaErrorInvalidValue;
    const ifl_op_kernel *k = &node->op.of.kernel;
    const ifl_node_attribute *kept = find(node, attribute);
    const int cooperative = k->cooperative, none = -1;
    const ifl_updatable updatable = {node->device_number != 0, node->device_number};
    memset(value, 0, bytes_of(attribute));
    if (attribute == CLUSTER)
        memcpy(value, k->cluster, sizeof k->cluster);
    else if (attribute == COOPERATIVE)
        memcpy(value, &cooperative, sizeof cooperative);
    else if (attribute == IFL_ATTRIBUTE_UPDATABLE)
        memcpy(value, &updatable, sizeof updatable);
    else if (kept)
        memcpy(value, kept->is, bytes_of(attribute));
    else if (attribute == CARVEOUT)
        memcpy(value, &none, sizeof none);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphKernelNodeGetAttribute(const void *node, int attribute,
                                                          void *value)
{
    SERVE(get(kernel_node(node), attribute, value));
}

static ifl_cuda_error copy(ifl_session *session, ifl_node *to, ifl_node *from)
{
    if (!to || !from)
        return ifl_cudaErrorInvalidValue;
    if (to->device_number || from->device_number)
        return ifl_cudaErrorNotSupported;
    const ifl_op_kernel *k = &from->op.of.kernel;
    ifl_cuda_error code = relaunch(session, to, &k->asked_cluster, k->cooperative);
    for (size_t i = 0; code == ifl_cudaSuccess && i < from->attributes.count; i++)
        code = set(session, to, from->attributes.at[i].number, from->attributes.at[i].is);
    return code;
}

/* The headers before CUDA 13 name the source first, but the runtimes of 12.0 and 12.6 hand both on to
 * the driver's call as they are, which takes the destination first. */
IFL_SERVED ifl_cuda_error cudaGraphKernelNodeCopyAttributes(const void *to, const void *from)
{
    SERVE(copy(session, kernel_node(to), kernel_node(from)));
}
