// SPDX-License-Identifier: Apache-2.0
// The two passes over a checkpoint, slab by slab.
#include "tools/pack/job.h"

#include "generator/families/w4a8_gemm/pack.h"
#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/support/digest.h"
#include "tools/pack/output.h"
#include "tools/pack/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <set>

namespace warpwright::pack {
namespace {

using w4a8_gemm::kPerChannel;
using w4a8_gemm::kSlabRows;
using w4a8_gemm::QuantisedWeight;

void add(support::Diagnostics &diagnostics, support::Severity severity, const char *slug, const std::string &file,
         const std::string &path, const std::string &message) {
  support::Diagnostic d;
  d.severity = severity;
  d.slug = slug;
  d.where.file = file;
  d.path = path;
  d.message = message;
  diagnostics.add(std::move(d));
}

/// SHA-256 of every file, beside the first pass, which reads the same bytes; given up when the object goes.
class Digests {
 public:
  explicit Digests(const Checkpoint &checkpoint)
      : future_(std::async(std::launch::async, [this, &checkpoint] { return make(checkpoint); })) {}
  ~Digests() {
    is_given_up_ = true;
    if (future_.valid()) future_.wait();
  }
  Digests(const Digests &) = delete;
  Digests &operator=(const Digests &) = delete;
  std::vector<std::string> get() { return future_.get(); }

 private:
  std::vector<std::string> make(const Checkpoint &checkpoint) const {
    constexpr int64_t kPieceBytes = int64_t{1} << 20;
    std::string piece(kPieceBytes, '\0');
    std::vector<std::string> out;
    for (const SafetensorsFile &file : checkpoint.files) {
      support::Sha256 digest;
      support::Diagnostics found;  // by the passes as well
      for (int64_t at = 0; at < file.bytes() && !found.has_errors() && !is_given_up_; at += kPieceBytes) {
        const int64_t count = std::min(kPieceBytes, file.bytes() - at);
        if (file.read(at, count, piece.data(), found)) digest.add(std::string_view(piece).substr(0, static_cast<size_t>(count)));
      }
      out.push_back(found.has_errors() ? "" : digest.hex());
    }
    return out;
  }

  std::atomic<bool> is_given_up_{false};
  std::future<std::vector<std::string>> future_;  // last: its thread reads the flag
};

/// Columns `first` … of every row, for one rank of a row split. Requires whole groups.
QuantisedWeight slice_columns(const QuantisedWeight &whole, int64_t first, int64_t count) {
  QuantisedWeight out = w4a8_gemm::make_weight(whole.rows, count, whole.group);
  out.channel_scale = whole.channel_scale;
  out.zero = whole.zero;
  const auto take = [&](const std::vector<uint8_t> &from, int64_t per_byte, std::vector<uint8_t> &to) {
    for (int64_t row = 0; row < whole.rows; ++row)
      std::copy_n(from.begin() + (row * whole.k + first) / per_byte, count / per_byte, to.begin() + row * count / per_byte);
  };
  take(whole.q4, 2, out.q4);
  if (whole.group == kPerChannel) return out;
  take(whole.group_scale, whole.group, out.group_scale);
  take(whole.group_offset, whole.group, out.group_offset);
  return out;
}

class Job {
 public:
  Job(const Checkpoint &checkpoint, const SafetensorsFile *smooth, const Options &options,
      const std::function<bool()> &is_interrupted)
      : checkpoint_(checkpoint), smooth_(smooth), options_(options), is_interrupted_(is_interrupted) {}

  /// Census of every layer. False if a value is not finite, or reading failed.
  bool check(const std::vector<Layer> &layers, support::Diagnostics &diagnostics) {
    bool is_good = true;
    for (const Layer &layer : layers) {
      w4a8_gemm::Census census(layer.scheme.group);
      const bool was_read = for_slabs(layer, diagnostics, [&](int64_t, const w4a8_gemm::MatrixView &rows) {
        census.add(rows);
        return true;
      });
      if (was_interrupted()) return false;
      is_good = was_read && census.report(layer.name, diagnostics) && is_good;
    }
    return is_good;
  }

  bool write(const Layer &layer, LayerReport &report, Output &output, support::Diagnostics &diagnostics) {
    const auto [n, k] = extent_of(layer, options_.ranks);
    if (options_.check) report.errors.emplace();
    std::vector<float> smooth;
    const bool was_written = for_slabs(
        layer, diagnostics,
        [&](int64_t first, const w4a8_gemm::MatrixView &rows) {
          const QuantisedWeight weight = w4a8_gemm::quantise_rows(rows, layer.scheme);
          for (int64_t rank = 0; rank < options_.ranks; ++rank) {
            Destination to{rank, first};
            if (layer.split == Split::kColumn) to = destination_of(layer, first, options_.ranks);
            if (to.rank != rank) continue;
            const bool is_row_split = layer.split == Split::kRow;
            const QuantisedWeight slice = is_row_split ? slice_columns(weight, rank * k, k) : QuantisedWeight();
            if (!write_slab(layer, is_row_split ? slice : weight, to, output, diagnostics)) return false;
          }
          if (report.errors) report.errors->add(rows, as_a_kernel_reads(weight));
          return true;
        },
        &smooth);
    for (int64_t rank = 0; rank < options_.ranks && was_written && layer.smooth; ++rank) {
      const float *from = smooth.data() + (layer.split == Split::kRow ? rank * k : 0);
      const int64_t count = k * static_cast<int64_t>(sizeof(float));
      if (!output.writer(rank, layer.weight).write(layer.name + ".smooth", 0, from, count, diagnostics)) return false;
    }
    return was_written;
  }

  bool was_interrupted() const { return was_interrupted_; }

 private:
  /// What the packed bytes say, so that an error of the layout would show as an error of values.
  static QuantisedWeight as_a_kernel_reads(const QuantisedWeight &weight) {
    const std::vector<uint8_t> bytes = w4a8_gemm::pack(weight);
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    QuantisedWeight read = w4a8_gemm::unpack(text, weight.rows, weight.k, weight.group);
    read.channel_scale = weight.channel_scale;
    read.zero = weight.zero;
    return read;
  }

  template <typename Visit>
  bool for_slabs(const Layer &layer, support::Diagnostics &diagnostics, Visit visit, std::vector<float> *smooth = nullptr) {
    RowReader reader(checkpoint_, smooth_, layer);
    if (!reader.open(diagnostics)) return false;
    if (smooth != nullptr) *smooth = reader.smooth();
    rows_.resize(static_cast<size_t>(kSlabRows * layer.k));
    for (int64_t first = 0; first < layer.n; first += kSlabRows) {
      was_interrupted_ = was_interrupted_ || is_interrupted_();
      if (was_interrupted_ || !reader.read(first, kSlabRows, rows_.data(), diagnostics)) return false;
      if (!visit(first, w4a8_gemm::MatrixView{rows_.data(), kSlabRows, layer.k})) return false;
    }
    return true;
  }

  bool write_slab(const Layer &layer, const QuantisedWeight &weight, const Destination &to, Output &output,
                  support::Diagnostics &diagnostics) {
    SafetensorsWriter &writer = output.writer(to.rank, layer.weight);
    const auto put = [&](const char *end, int64_t row_bytes, const void *bytes) {
      return writer.write(layer.name + end, to.row * row_bytes, bytes, kSlabRows * row_bytes, diagnostics);
    };
    const int64_t groups = w4a8_gemm::groups_along_k(weight.k, weight.group);
    if (!put(".channel_scale", sizeof(float), weight.channel_scale.data())) return false;
    if (weight.group == kPerChannel && !put(".zero", 1, weight.zero.data())) return false;
    if (output.has_canonical()) {
      if (!put(".q4", weight.k / 2, weight.q4.data())) return false;
      if (groups > 0 && !put(".group_scale", groups, weight.group_scale.data())) return false;
      if (groups > 0 && !put(".group_offset", groups, weight.group_offset.data())) return false;
    }
    if (!output.has_packed()) return true;
    const std::vector<uint8_t> bytes = w4a8_gemm::pack(weight);
    const auto count = static_cast<int64_t>(bytes.size());
    return writer.write(layer.name + ".packed", to.row / kSlabRows * count, bytes.data(), count, diagnostics);
  }

  const Checkpoint &checkpoint_;
  const SafetensorsFile *smooth_;
  const Options &options_;
  const std::function<bool()> &is_interrupted_;
  std::vector<float> rows_;
  bool was_interrupted_ = false;
};

/// Every `<layer>.smooth` of the calibration file to its layer.
bool find_smooth(const SafetensorsFile &file, std::vector<Layer> &layers, support::Diagnostics &diagnostics) {
  std::set<std::string> used;
  for (Layer &layer : layers) {
    const TensorEntry *entry = file.find(layer.name + ".smooth");
    if (entry == nullptr) continue;
    used.insert(entry->name);
    const bool is_float = entry->dtype == "F32" || entry->dtype == "F16" || entry->dtype == "BF16";
    if (!is_float || entry->shape != std::vector<int64_t>{layer.k}) {
      add(diagnostics, support::Severity::kError, "pack.smooth", file.path(), entry->name,
          fmt::format("{} {}, where a layer of K = {} has as many floating-point factors", entry->dtype,
                      shape_text(entry->shape), layer.k));
      continue;
    }
    layer.smooth = TensorRef{0, entry};
  }
  for (const TensorEntry &entry : file.tensors())
    if (used.count(entry.name) == 0)
      add(diagnostics, support::Severity::kError, "pack.smooth", file.path(), entry.name, "belongs to no layer that is quantised");
  return !diagnostics.has_errors();
}

bool check_biases(const Checkpoint &checkpoint, const std::vector<Layer> &layers, support::Diagnostics &diagnostics) {
  for (const Layer &layer : layers)
    if (layer.bias && layer.bias->entry->shape != std::vector<int64_t>{layer.n})
      add(diagnostics, support::Severity::kError, "pack.shape", checkpoint.files[layer.bias->file].path(), layer.bias->entry->name,
          fmt::format("{} is no bias of {} channels", shape_text(layer.bias->entry->shape), layer.n));
  return !diagnostics.has_errors();
}

void tell_requantised(const std::vector<Layer> &layers, support::Diagnostics &diagnostics) {
  std::map<SourceFormat, int64_t> counts;
  for (const Layer &layer : layers) ++counts[layer.format];
  for (const auto &[format, count] : counts)
    if (format != SourceFormat::kFloat)
      add(diagnostics, support::Severity::kNote, "pack.requantised", "", "",
          fmt::format("{} layers are {}: dequantised and quantised again, onto integer group scales, which costs accuracy; "
                      "--check says how much", count, name_of(format)));
}

}  // namespace

std::optional<Report> run(const Options &options, const std::function<bool()> &is_interrupted, support::Diagnostics &diagnostics) {
  if (!Output::is_free(options, diagnostics)) return std::nullopt;
  const std::optional<Checkpoint> checkpoint = open_checkpoint(options.input, diagnostics);
  if (!checkpoint) return std::nullopt;
  std::optional<std::vector<Layer>> layers = find_layers(*checkpoint, options, diagnostics);
  if (!layers) return std::nullopt;
  std::optional<SafetensorsFile> smooth;
  if (!options.smooth.empty()) {
    if (auto opened = SafetensorsFile::open(options.smooth, diagnostics)) smooth.emplace(std::move(*opened));
    if (!smooth || !find_smooth(*smooth, *layers, diagnostics)) return std::nullopt;
  }
  if (!check_biases(*checkpoint, *layers, diagnostics)) return std::nullopt;
  tell_requantised(*layers, diagnostics);

  Report report;
  std::set<std::string> of_layers;
  for (const Layer &layer : *layers) {
    const std::string source = layer.format == SourceFormat::kFloat ? layer.weight.entry->dtype : name_of(layer.format);
    report.layers.push_back({layer.name, source, layer.n, layer.k, layer.scheme.group, layer.split, std::nullopt});
    of_layers.insert(layer.tensors.begin(), layer.tensors.end());
  }
  report.other_tensors = checkpoint->tensors.size() - of_layers.size();
  if (options.dry_run) return report;

  Digests digests(*checkpoint);
  Job job(*checkpoint, smooth ? &*smooth : nullptr, options, is_interrupted);
  const bool is_good = job.check(*layers, diagnostics);
  report.is_interrupted = job.was_interrupted();
  if (report.is_interrupted) return report;
  if (!is_good) return std::nullopt;
  Output output(*checkpoint, *layers, options, is_interrupted);
  if (!output.create(digests.get(), diagnostics)) return std::nullopt;
  for (size_t i = 0; i < layers->size(); ++i)
    if (!job.write((*layers)[i], report.layers[i], output, diagnostics)) break;
  const bool is_whole = !job.was_interrupted() && !diagnostics.has_errors() && output.copy_others(diagnostics);
  report.is_interrupted = !is_whole && !diagnostics.has_errors();
  if (report.is_interrupted) return report;
  if (!is_whole || !output.publish(diagnostics)) return std::nullopt;
  return report;
}

}  // namespace warpwright::pack
