/* SPDX-License-Identifier: Apache-2.0 */
/* The Warpwright runtime: opens an archive of ahead-of-time compiled operators and launches them. C99.
 *
 * Every function that can fail returns a ww_status_t and, where `message` is not NULL, leaves one sentence there that
 * names what, where and how much (an empty text on success). The library never prints, never ends the process and
 * lets no C++ exception out. Functions are thread-safe unless they say otherwise; results that point into an archive
 * live until wwArchiveClose. */
#ifndef WARPWRIGHT_WARPWRIGHT_H
#define WARPWRIGHT_WARPWRIGHT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WW_API __attribute__((visibility("default")))
#else
#define WW_API
#endif

#define WW_VERSION_MAJOR 0
#define WW_VERSION_MINOR 1
#define WW_VERSION_PATCH 0
#define WW_VERSION (WW_VERSION_MAJOR * 10000 + WW_VERSION_MINOR * 100 + WW_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* CUstream and cudaStream_t point to this */

typedef enum ww_status_t {
  WW_STATUS_OK = 0,
  WW_STATUS_INVALID_ARGUMENT = 1,    /* a null pointer, an index out of range, an unset struct_bytes */
  WW_STATUS_NOT_FOUND = 2,           /* no operator, tensor or variable of that name */
  WW_STATUS_OUT_OF_MEMORY = 3,
  WW_STATUS_INTERNAL = 4,            /* a bug in the runtime */
  WW_STATUS_FILE_UNREADABLE = 10,
  WW_STATUS_NOT_AN_ARCHIVE = 11,
  WW_STATUS_UNSUPPORTED_VERSION = 12,/* the archive's format is newer or older than this runtime's */
  WW_STATUS_CORRUPT_ARCHIVE = 13,    /* truncated, or a digest or an offset is wrong */
  WW_STATUS_INVALID_RECIPE = 14,     /* the archive's launch recipe cannot be evaluated */
  WW_STATUS_UNBOUND_VARIABLE = 20,
  WW_STATUS_SHAPE_REFUSED = 21,      /* the operator was not built for this shape */
  WW_STATUS_MISSING_TENSOR = 22,
  WW_STATUS_MISALIGNED_POINTER = 23,
  WW_STATUS_BUFFER_TOO_SMALL = 24,
  WW_STATUS_OVERLAPPING_TENSORS = 25,/* an output shares bytes with another tensor or with the workspace */
  WW_STATUS_NOT_DEVICE_MEMORY = 26,  /* a pointer into host memory, or one that CUDA does not know */
  WW_STATUS_NO_DRIVER = 30,          /* libcuda was not found */
  WW_STATUS_DRIVER_TOO_OLD = 31,     /* libcuda lacks a function */
  WW_STATUS_NO_DEVICE = 32,
  WW_STATUS_NO_CONTEXT = 33,         /* no CUDA context is current in this thread */
  WW_STATUS_UNSUPPORTED_DEVICE = 34, /* the archive has no image for the device's architecture */
  WW_STATUS_CUDA_ERROR = 35,         /* the driver refused; the message has its words */
  WW_STATUS_WRONG_DEVICE = 36,       /* a pointer, stream or call of another device or context */
  WW_STATUS_NOT_LOADED = 37          /* the stream is being captured and a kernel was not loaded before */
} ww_status_t;

/* A sentence for people; truncated to fit, always ended by a 0. */
typedef struct ww_message_t {
  char text[512];
} ww_message_t;

typedef struct ww_archive_t ww_archive_t;
typedef struct ww_operator_t ww_operator_t;
typedef struct ww_driver_t ww_driver_t;

/* WW_VERSION of the library, to compare with the header's. */
WW_API uint32_t wwRuntimeVersion(void);

/* The status in words: "unbound variable". Never NULL. */
WW_API const char *wwStatusText(ww_status_t status);

/* ---- Archives ---------------------------------------------------------------------------------------------------- */

/* Maps `path` and checks its header and manifest: signature, versions, digests, every offset and index.
 *
 * Ensures   nothing in the archive is trusted beyond these checks. A compiled kernel's digest is compared when the
 *           kernel is first loaded. Digests show integrity, not authenticity: load archives from those you trust.
 * Errors    FILE_UNREADABLE, NOT_AN_ARCHIVE, UNSUPPORTED_VERSION, CORRUPT_ARCHIVE.
 * Lifetime  the file may be renamed or replaced by renaming, but not written to, while the archive is open. */
WW_API ww_status_t wwArchiveOpen(const char *path, ww_archive_t **archive, ww_message_t *message);

/* The same from memory, which must be 8-byte aligned and stay unchanged until wwArchiveClose. */
WW_API ww_status_t wwArchiveOpenMemory(const void *bytes, size_t num_bytes, ww_archive_t **archive,
                                       ww_message_t *message);

/* Unloads the archive's kernels and unmaps it. NULL is allowed. Its handles, and those of its operators, are refused from
 * then on (INVALID_ARGUMENT).
 * Requires  no other call is using the archive, and its launches have completed. */
WW_API void wwArchiveClose(ww_archive_t *archive);

/* Compares every blob with its digest and checks that every launch recipe can be read.
 * Cost      reads the whole file. */
WW_API ww_status_t wwArchiveVerify(const ww_archive_t *archive, ww_message_t *message);

/* 0 for NULL. */
WW_API size_t wwArchiveCountOperators(const ww_archive_t *archive);

/* Operators are sorted by name. */
WW_API ww_status_t wwArchiveGetOperator(ww_archive_t *archive, size_t index, ww_operator_t **op,
                                        ww_message_t *message);
WW_API ww_status_t wwArchiveFindOperator(ww_archive_t *archive, const char *name, ww_operator_t **op,
                                         ww_message_t *message);

/* ---- Looking at an operator --------------------------------------------------------------------------------------
 * The caller sets `struct_bytes = sizeof(...)` in every struct that has it; later versions may append members. */

typedef struct ww_operator_info_t {
  size_t struct_bytes;
  const char *name;
  const char *family;
  const char *arch;               /* of the spec: "sm_100a" */
  const char *workspace_bytes;    /* expression */
  int32_t workspace_must_be_zero; /* 1: the runtime clears it in the stream before the first kernel */
  size_t num_variables;           /* to bind at launch come first, those fixed by the spec follow */
  size_t num_tensors;
  size_t num_kernels;
  size_t num_dispatch_rows;
  size_t num_facts;
} ww_operator_info_t;

typedef struct ww_variable_info_t {
  size_t struct_bytes;
  const char *name;
  int32_t is_fixed; /* 1: bound by the spec to `value` */
  int64_t value;
} ww_variable_info_t;

typedef struct ww_tensor_info_t {
  size_t struct_bytes;
  const char *name;
  const char *text;
  const char *format; /* "e2m1", "bf16", … */
  const char *layout; /* "row_major", … */
  const char *bytes;  /* expression */
  int32_t is_output;
  int64_t align_bytes;
  size_t num_dims;
} ww_tensor_info_t;

typedef struct ww_kernel_info_t {
  size_t struct_bytes;
  const char *name; /* also the entry symbol */
  uint32_t threads;
  uint32_t dynamic_smem_bytes;
  uint32_t cluster_x, cluster_y, cluster_z;
  int32_t programmatic_dependent_launch;
  size_t num_images; /* compiled forms */
} ww_kernel_info_t;

typedef struct ww_image_info_t {
  size_t struct_bytes;
  const char *arch;
  const char *tool_version;
  uint32_t registers;
  uint32_t spill_store_bytes;
  uint32_t spill_load_bytes;
  const void *cubin; /* inside the archive; not compared with its digest by this call */
  size_t cubin_bytes;
} ww_image_info_t;

WW_API ww_status_t wwOperatorDescribe(const ww_operator_t *op, ww_operator_info_t *info, ww_message_t *message);
WW_API ww_status_t wwOperatorDescribeVariable(const ww_operator_t *op, size_t index, ww_variable_info_t *info,
                                              ww_message_t *message);
WW_API ww_status_t wwOperatorDescribeTensor(const ww_operator_t *op, size_t index, ww_tensor_info_t *info,
                                            ww_message_t *message);
WW_API ww_status_t wwOperatorDescribeKernel(const ww_operator_t *op, size_t index, ww_kernel_info_t *info,
                                            ww_message_t *message);
WW_API ww_status_t wwOperatorDescribeImage(const ww_operator_t *op, size_t kernel_index, size_t image_index,
                                           ww_image_info_t *info, ww_message_t *message);
/* Facts are for people: formats, tile, depth, predicted bound. */
WW_API ww_status_t wwOperatorGetFact(const ww_operator_t *op, size_t index, const char **key, const char **value,
                                     ww_message_t *message);

/* ---- What a shape needs (no GPU) --------------------------------------------------------------------------------- */

/* A launch variable and its value. Every variable that is not fixed must be bound, once; one that the spec fixed may
 * be repeated with the same value. */
typedef struct ww_variable_t {
  const char *name;
  int64_t value;
} ww_variable_t;

/* A tensor's logical dims (outermost first) and bytes for these variables.
 * `dims` may be NULL; else it has room for `dims_capacity` numbers, and too few is BUFFER_TOO_SMALL. */
WW_API ww_status_t wwOperatorMeasureTensor(const ww_operator_t *op, const char *tensor, const ww_variable_t *variables,
                                           size_t num_variables, int64_t *dims, size_t dims_capacity,
                                           size_t *num_dims, uint64_t *num_bytes, ww_message_t *message);

/* Workspace bytes on a device of `num_sms` multiprocessors. */
WW_API ww_status_t wwOperatorMeasureWorkspace(const ww_operator_t *op, const ww_variable_t *variables,
                                              size_t num_variables, int64_t num_sms, uint64_t *num_bytes,
                                              ww_message_t *message);

/* One kernel of a launch. */
typedef struct ww_grid_t {
  size_t kernel_index;
  uint32_t x, y, z;
} ww_grid_t;

/* The kernels that a launch with these variables would run on a device of `num_sms` multiprocessors, in order.
 * Errors    SHAPE_REFUSED: no dispatch row holds, or a kernel's requirement does not. `*num_grids` is set even when
 *           `capacity` is too small (BUFFER_TOO_SMALL). */
WW_API ww_status_t wwOperatorChooseKernels(const ww_operator_t *op, const ww_variable_t *variables,
                                           size_t num_variables, int64_t num_sms, ww_grid_t *grids, size_t capacity,
                                           size_t *num_grids, ww_message_t *message);

/* ---- Devices and launches ---------------------------------------------------------------------------------------- */

/* Finds the CUDA driver at run time and initialises it. `path` NULL means $WARPWRIGHT_LIBCUDA if that is set (ignored
 * in set-user-ID programs), else libcuda.so.1.
 *
 * Errors    NO_DRIVER: no such library. DRIVER_TOO_OLD: "missing cuX" and the CUDA version that it supports.
 *           NO_DEVICE. */
WW_API ww_status_t wwDriverOpen(const char *path, ww_driver_t **driver, ww_message_t *message);

/* Kernels that were loaded through the driver keep it alive. NULL is allowed. */
WW_API void wwDriverClose(ww_driver_t *driver);

typedef struct ww_device_info_t {
  size_t struct_bytes;
  int32_t major, minor; /* compute capability */
  int32_t num_sms;
} ww_device_info_t;

WW_API ww_status_t wwDriverDescribeDevice(ww_driver_t *driver, int32_t device, ww_device_info_t *info,
                                          ww_message_t *message);

/* Loads every kernel of the operator for `device`. If a context of that device is current in the calling thread, the
 * kernels are also placed in it, so that a later launch loads nothing; do this before capturing a stream, in each context.
 * Disturbs no stream capture under way in another thread. A context that was reset or made anew needs it again.
 * Errors    UNSUPPORTED_DEVICE; CORRUPT_ARCHIVE: a compiled kernel does not match its digest; CUDA_ERROR. */
WW_API ww_status_t wwOperatorLoad(ww_operator_t *op, ww_driver_t *driver, int32_t device, ww_message_t *message);

/* Each kernel starts after all that is before it in the stream, even where the recipe allows an earlier start
 * (programmatic dependent launch): slower, the same values. To measure what the early start is worth. */
#define WW_LAUNCH_WHOLE 1u

/* A device buffer for one tensor. `num_bytes` 0 means that the caller vouches for the size. */
typedef struct ww_buffer_t {
  const char *tensor;
  void *pointer;
  uint64_t num_bytes;
} ww_buffer_t;

typedef struct ww_launch_t {
  size_t struct_bytes;
  const ww_variable_t *variables;
  size_t num_variables;
  const ww_buffer_t *buffers;
  size_t num_buffers;
  void *workspace; /* device memory, may be NULL if the operator needs none */
  uint64_t workspace_bytes;
  struct CUstream_st *stream; /* NULL: the default stream */
  int32_t num_sms;            /* multiprocessors to plan the grid for; 0: all of the device's */
  uint32_t flags;             /* WW_LAUNCH_… or 0 */
} ww_launch_t;

/* Chooses kernels by the dispatch table, encodes their tensor maps from the buffers and launches them in order.
 *
 * Requires  a CUDA context of the stream's device is current in the calling thread (checked). Each buffer is device or
 *           managed memory of that device, aligned as the tensor's description says (both checked) and large enough
 *           (checked where num_bytes is given). No output shares bytes with another tensor of the launch or with the
 *           workspace (checked by the sizes that the recipe states).
 * Ensures   either every kernel is launched, or none was because of a misuse; a driver's refusal in between is
 *           CUDA_ERROR. Returns without waiting for the device.
 * Capture   a stream that is being captured records the launch: nothing is allocated on the device, loaded or waited
 *           for, and the workspace is cleared by a node of the graph. Errors: NOT_LOADED.
 * Threads   any number of threads, on any streams and devices.
 * Cost      the first call per context loads the kernels. */
WW_API ww_status_t wwOperatorLaunch(ww_operator_t *op, ww_driver_t *driver, const ww_launch_t *launch,
                                    ww_message_t *message);

/* A launch that is checked, evaluated and encoded: what remains is to enqueue it, as often as wanted. */
typedef struct ww_call_t ww_call_t;

/* Everything that wwOperatorLaunch does but to launch. The launch's arrays are not needed afterwards; its buffers and the
 * workspace are, at the same addresses. Its stream only says whether loading is forbidden now.
 * Lifetime  until wwCallDestroy; of no use after wwArchiveClose. */
WW_API ww_status_t wwCallCreate(ww_operator_t *op, ww_driver_t *driver, const ww_launch_t *launch, ww_call_t **call,
                                ww_message_t *message);

/* Launches the call's kernels into `stream`.
 * Requires  the context in which the call was created is current, and the stream is one of its streams (both checked).
 * Capture   as wwOperatorLaunch; never NOT_LOADED.
 * Threads   any number at a time, though they share the call's buffers and workspace. */
WW_API ww_status_t wwCallLaunch(const ww_call_t *call, struct CUstream_st *stream, ww_message_t *message);

/* Before or after wwArchiveClose. NULL is allowed. Launches that were made go on. */
WW_API void wwCallDestroy(ww_call_t *call);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
