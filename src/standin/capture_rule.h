/* SPDX-License-Identifier: Apache-2.0
 * What calls may not do while streams are captured (CUDA Runtime API, cudaStreamBeginCapture and
 * cudaThreadExchangeStreamCaptureMode; CUDA C++ Programming Guide, "Prohibited and Unhandled
 * Operations"). Which call is of which kind is what an H200 (driver 580) says. A call that is not
 * allowed spoils the captures that forbid it. */
#ifndef IFL_STANDIN_CAPTURE_RULE_H
#define IFL_STANDIN_CAPTURE_RULE_H

#include "standin/stream.h"

/* cudaStreamCaptureMode */
enum { IFL_CAPTURE_GLOBAL, IFL_CAPTURE_OF_THREAD, IFL_CAPTURE_RELAXED, IFL_CAPTURE_MODES };

/* This thread's own mode from now on; gives the one before. */
int ifl_capture_exchange_mode(int mode);
/* A call that may do something behind the capture's back, as one that allocates memory or asks
 * whether work is done. */
ifl_cuda_error ifl_capture_allow_unsafe(void);
/* One that waits for all that the GPU was given. */
ifl_cuda_error ifl_capture_allow_wait(int gpu);
/* Work for the legacy stream of the GPU, which a capturing stream that is not cudaStreamNonBlocking
 * would have to wait for. */
ifl_cuda_error ifl_capture_allow_legacy(int gpu);
/* The same without spoiling anything. */
bool ifl_capture_forbids_legacy(int gpu);
/* A call about an event that was recorded last in a stream that is captured. */
ifl_cuda_error ifl_capture_allow_event(const ifl_event *event);

/* The stream waits for the event: a capture takes no work from outside, and no other capture's. */
ifl_cuda_error ifl_capture_allow_dependency(const ifl_stream *stream, const ifl_event *event);

#endif
