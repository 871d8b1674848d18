/* SPDX-License-Identifier: Apache-2.0 */
/* Lists an archive, or says why not: consumer_c ARCHIVE. */
#include <warpwright/warpwright.h>

#include <stdio.h>
#include <string.h>

static int fail(const char *what, ww_status_t status, const ww_message_t *message) {
  printf("%s: %s: %s\n", what, wwStatusText(status), message->text);
  return 1;
}

int main(int argc, char **argv) {
  ww_archive_t *archive = NULL;
  ww_message_t message;
  ww_status_t status;
  size_t i;
  if (argc != 2) return 2;
  if (wwRuntimeVersion() != WW_VERSION) return 3;
  status = wwArchiveOpen(argv[1], &archive, &message);
  if (status != WW_STATUS_OK) return fail("open", status, &message);
  status = wwArchiveVerify(archive, &message);
  if (status != WW_STATUS_OK) return fail("verify", status, &message);
  for (i = 0; i < wwArchiveCountOperators(archive); ++i) {
    ww_operator_t *op = NULL;
    ww_operator_info_t info;
    size_t k;
    memset(&info, 0, sizeof(info));
    info.struct_bytes = sizeof(info);
    status = wwArchiveGetOperator(archive, i, &op, &message);
    if (status == WW_STATUS_OK) status = wwOperatorDescribe(op, &info, &message);
    if (status != WW_STATUS_OK) return fail("describe", status, &message);
    printf("%s: %zu tensors, %zu kernels\n", info.name, info.num_tensors, info.num_kernels);
    for (k = 0; k < info.num_kernels; ++k) {
      ww_kernel_info_t kernel;
      memset(&kernel, 0, sizeof(kernel));
      kernel.struct_bytes = sizeof(kernel);
      status = wwOperatorDescribeKernel(op, k, &kernel, &message);
      if (status != WW_STATUS_OK) return fail("kernel", status, &message);
      printf("  %s: %u threads\n", kernel.name, (unsigned)kernel.threads);
    }
  }
  wwArchiveClose(archive);
  return 0;
}
