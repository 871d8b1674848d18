// SPDX-License-Identifier: Apache-2.0
// From a launch description's JSON to its records.
#include "tools/cli/launch_description.h"

#include "generator/support/files.h"
#include "generator/support/similar.h"
#include "tools/cli/launch_object.h"
#include "tools/cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpwright::cli {
namespace {

using Kind = spec::JsonNode::Kind;
using emulator::tma::TensorMap;

/// Longest description that is read.
constexpr int64_t kDescriptionLimitBytes = int64_t{4} << 20;
/// Of one buffer: far above a layer's weights, far below what a host has.
constexpr int64_t kBufferLimitBytes = int64_t{1} << 33;
/// Source: CUDA C++ Programming Guide 13.0, "Function Parameters": 32,764 bytes from compute capability 7.0 on.
constexpr int64_t kArgumentLimitBytes = 32764;
/// Source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability".
constexpr int64_t kGridLimit = 2147483647, kBlockLimit = 1024, kClusterLimit = 16, kSharedLimitBytes = 227 * 1024;
constexpr int64_t kWordLimit = int64_t{1} << 40;
constexpr size_t kChoicesLimit = 65536;

// In the order of the enumerators of tma::ElementType and its neighbours.
const std::vector<std::string> kMapTypes = {"u8",  "u16",  "u32",     "s32",  "u64",      "s64",            "f16",             "f32",
                                            "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz", "16u4_align8b", "16u4_align16b", "16u6_align16b"};
const std::vector<std::string> kSwizzles = {"none", "32B", "64B", "128B", "128B_atom_32B", "128B_atom_32B_flip_8B", "128B_atom_64B"};
const std::vector<std::string> kInterleaves = {"none", "16B", "32B"}, kPromotions = {"none", "64B", "128B", "256B"}, kFills = {"zero", "nan"};

class LaunchReader {
 public:
  LaunchReader(const LaunchText &text, std::string folder) : text_(text), folder_(std::move(folder)) {}

  LaunchDescription read() {
    const LaunchObject root(text_, text_.document.root, "",
                            {"ptx", "entry", "arch", "grid", "block", "cluster", "dynamic_shared_bytes", "buffers", "tensor_maps",
                             "arguments", "schedules", "waivers", "$schema"});
    if (!root.is_object()) return result_;
    read_kernel(root);
    if (const auto *waivers = items(root, "waivers", Presence::kOptional))
      for (size_t i = 0; i < waivers->size(); ++i) read_waiver((*waivers)[i], fmt::format("waivers[{}]", i));
    if (const auto *buffers = members(root, "buffers"))
      for (const spec::JsonMember &member : *buffers) read_buffer(member);
    if (const auto *maps = members(root, "tensor_maps"))
      for (const spec::JsonMember &member : *maps) read_tensor_map(member);
    if (const auto *list = items(root, "arguments", Presence::kRequired)) {
      result_.arguments_where = text_.document.locate(*root.node().find("arguments"));
      for (size_t i = 0; i < list->size(); ++i) read_argument((*list)[i], fmt::format("arguments[{}]", i));
    }
    return result_;
  }

 private:
  std::string path_of_file(const std::string &file) const {
    return file.empty() || file.front() == '/' ? file : folder_ + file;
  }

  const std::vector<spec::JsonMember> *members(const LaunchObject &root, const std::string &key) {
    const spec::JsonNode *found = root.find(key, Presence::kOptional);
    if (!found || found->kind == Kind::kObject) return found ? &found->members : nullptr;
    text_.fail("run.wrong-type", *found, key,
               fmt::format("expected an object whose keys are names, found {}", text_.document.literal(*found)));
    return nullptr;
  }

  const std::vector<spec::JsonNode> *items(const LaunchObject &object, const std::string &key, Presence presence) {
    const spec::JsonNode *found = object.find(key, presence);
    if (!found || found->kind == Kind::kList) return found ? &found->items : nullptr;
    text_.fail("run.wrong-type", *found, object.path_of(key),
               fmt::format("expected a list, found {}", text_.document.literal(*found)));
    return nullptr;
  }

  void read_shape(const LaunchObject &root, const std::string &key, int64_t limit, Presence presence, std::array<uint32_t, 3> &to) {
    const auto values = root.integers(key, 1, 3, {1, limit}, presence);
    if (!values) return;
    to = {1, 1, 1};
    for (size_t i = 0; i < values->size(); ++i) to[i] = static_cast<uint32_t>((*values)[i]);
  }

  void read_kernel(const LaunchObject &root) {
    if (const auto file = root.word("ptx", Presence::kRequired)) {
      result_.ptx_file = path_of_file(*file);
      result_.ptx_where = text_.document.locate(*root.node().find("ptx"));
    }
    if (const auto entry = root.word("entry", Presence::kOptional)) {
      result_.entry = *entry;
      result_.entry_where = text_.document.locate(*root.node().find("entry"));
    }
    const std::vector<std::string> archs = {"sm_90a", "sm_100a", "sm_103a"};
    if (const auto arch = root.choice("arch", archs, Presence::kOptional)) result_.arch = archs[*arch];
    read_shape(root, "grid", kGridLimit, Presence::kRequired, result_.grid);
    read_shape(root, "block", kBlockLimit, Presence::kRequired, result_.block);
    read_shape(root, "cluster", kClusterLimit, Presence::kOptional, result_.cluster);
    if (const auto bytes = root.integer("dynamic_shared_bytes", {0, kSharedLimitBytes}, Presence::kOptional))
      result_.dynamic_shared_bytes = static_cast<uint32_t>(*bytes);
    if (const auto *list = items(root, "schedules", Presence::kOptional)) {
      result_.schedules.clear();
      for (const spec::JsonNode &item : *list) {
        if (item.kind == Kind::kText) result_.schedules.push_back(item.text);
        else text_.fail("run.wrong-type", item, "schedules", "expected \"lazy\", \"eager\" or \"random:SEED\"");
      }
      if (list->empty()) text_.fail("run.out-of-range", *root.node().find("schedules"), "schedules", "expected at least one");
    }
  }

  /// Findings that a kernel survives on hardware, each with the reason why it may have them.
  void read_waiver(const spec::JsonNode &node, const std::string &path) {
    const std::vector<std::string> slugs = {"async.after-exit",    "async.undrained",        "ldst.lane-window",   "order.no-init-fence",
                                            "order.no-proxy-fence", "order.no-tcgen05-fence", "order.tensor-pipe", "race.shared",
                                            "race.tensor-memory"};
    const LaunchObject object(text_, node, path, {"finding", "text", "reason"});
    const auto slug = object.choice("finding", slugs, Presence::kRequired);
    object.word("reason", Presence::kRequired);
    if (slug) result_.waivers.push_back({slugs[*slug], object.word("text", Presence::kOptional).value_or("")});
  }

  void read_buffer(const spec::JsonMember &member) {
    const LaunchObject object(text_, member.value, "buffers." + member.key,
                              {"bytes", "contents", "expected", "compared_as", "absolute_tolerance", "relative_tolerance", "output"});
    LaunchBuffer buffer;
    buffer.name = member.key;
    buffer.where = text_.document.locate_key(member);
    if (const auto bytes = object.integer("bytes", {1, kBufferLimitBytes}, Presence::kRequired))
      buffer.bytes = static_cast<uint64_t>(*bytes);
    if (const spec::JsonNode *node = object.find("contents", Presence::kOptional))
      buffer.contents = read_contents(*node, object.path_of("contents"));
    if (const spec::JsonNode *node = object.find("expected", Presence::kOptional)) {
      buffer.expected = read_contents(*node, object.path_of("expected"));
      buffer.compared_as = buffer.expected->format;
    }
    if (const auto format = object.choice("compared_as", element_names(), Presence::kOptional))
      buffer.compared_as = static_cast<ElementFormat>(*format);
    read_tolerance(object, "absolute_tolerance", buffer.absolute_tolerance);
    read_tolerance(object, "relative_tolerance", buffer.relative_tolerance);
    if (const auto output = object.word("output", Presence::kOptional)) buffer.output = path_of_file(*output);
    check_whole_elements(buffer, object);
    result_.buffers.push_back(std::move(buffer));
  }

  void read_tolerance(const LaunchObject &object, const std::string &key, double &to) {
    const auto value = object.number(key, Presence::kOptional);
    if (!value) return;
    to = *value;
    if (*value < 0) text_.fail("run.out-of-range", *object.node().find(key), object.path_of(key), "a tolerance is not negative");
    if (!object.node().find("expected"))
      text_.fail("run.missing-key", object.node(), object.path_of("expected"), "missing: what the tolerance is for");
  }

  void check_whole_elements(const LaunchBuffer &buffer, const LaunchObject &object) {
    const auto check = [&](ElementFormat format, const std::string &key) {
      if (buffer.bytes * 8 % bits_of(format) == 0) return;
      text_.fail("run.out-of-range", *object.node().find("bytes"), object.path_of("bytes"),
                 fmt::format("{} bytes are no whole number of {} elements, which {} has", buffer.bytes,
                             element_names()[static_cast<size_t>(format)], key));
    };
    check(buffer.contents.format, "contents");
    if (buffer.expected) check(buffer.expected->format, "expected"), check(buffer.compared_as, "compared_as");
  }

  bool has_one_of(const spec::JsonNode &node, const std::vector<std::string> &ways, const std::string &path) const {
    const auto given = std::count_if(ways.begin(), ways.end(), [&](const std::string &way) { return node.find(way) != nullptr; });
    if (given == 1) return true;
    text_.fail(given ? "run.unknown-key" : "run.missing-key", node, path,
               fmt::format("expected one of {}, found {}", quoted_choices(ways), given));
    return false;
  }

  BufferContents read_contents(const spec::JsonNode &node, const std::string &path) {
    BufferContents contents;
    contents.where = text_.document.locate(node);
    const LaunchObject object(text_, node, path, {"file", "constant", "iota", "random", "type"});
    if (!object.is_object()) return contents;
    const std::vector<std::string> ways = {"file", "constant", "iota", "random"};
    if (!has_one_of(node, ways, path)) return contents;
    if (const auto format = object.choice("type", element_names(), Presence::kOptional))
      contents.format = static_cast<ElementFormat>(*format);
    if (const auto file = object.word("file", Presence::kOptional)) {
      contents.kind = BufferContents::Kind::kFile;
      contents.file = path_of_file(*file);
      contents.where = text_.document.locate(*node.find("file"));
    }
    if (const auto value = object.number("constant", Presence::kOptional)) {
      contents.kind = BufferContents::Kind::kConstant;
      contents.start = *value;
    }
    if (const spec::JsonNode *iota = object.find("iota", Presence::kOptional)) read_iota(*iota, object.path_of("iota"), contents);
    if (const spec::JsonNode *random = object.find("random", Presence::kOptional))
      read_random(*random, object.path_of("random"), contents);
    return contents;
  }

  void read_iota(const spec::JsonNode &node, const std::string &path, BufferContents &contents) {
    const LaunchObject object(text_, node, path, {"start", "step"});
    contents.kind = BufferContents::Kind::kIota;
    contents.start = object.number("start", Presence::kOptional).value_or(0);
    contents.step = object.number("step", Presence::kOptional).value_or(1);
  }

  void read_random(const spec::JsonNode &node, const std::string &path, BufferContents &contents) {
    const LaunchObject object(text_, node, path, {"seed", "min", "max", "step", "values"});
    contents.kind = BufferContents::Kind::kRandom;
    contents.seed = static_cast<uint64_t>(object.integer("seed", {0, INT64_MAX}, Presence::kRequired).value_or(0));
    if (node.find("values")) {
      for (const char *key : {"min", "max", "step"})
        if (const spec::JsonNode *other = node.find(key))
          text_.fail("run.unknown-key", *other, object.path_of(key), "\"values\" has taken its place");
      if (const auto *list = items(object, "values", Presence::kRequired))
        for (const spec::JsonNode &item : *list)
          if (const auto value = LaunchObject::number_of(text_, item, object.path_of("values"))) contents.values.push_back(*value);
      if (contents.values.empty() && node.find("values")->items.empty())
        text_.fail("run.out-of-range", *node.find("values"), object.path_of("values"), "expected at least one value");
      return;
    }
    const auto min = object.number("min", Presence::kRequired), max = object.number("max", Presence::kRequired);
    const double step = object.number("step", Presence::kOptional).value_or(1);
    if (!min || !max) return;
    if (!(step > 0) || *max < *min || (*max - *min) / step >= static_cast<double>(kChoicesLimit)) {
      text_.fail("run.out-of-range", node, path,
                 fmt::format("from {} to {} in steps of {}: expected 1 to {} values", *min, *max, step, kChoicesLimit));
      return;
    }
    for (size_t i = 0; *min + static_cast<double>(i) * step <= *max; ++i)
      contents.values.push_back(*min + static_cast<double>(i) * step);
  }

  /// The index of the record of that name.
  template <class Record>
  std::optional<size_t> find_name(const LaunchObject &object, const std::string &key, const std::vector<Record> &records) {
    const auto name = object.word(key, Presence::kRequired);
    if (!name) return std::nullopt;
    std::vector<std::string> names;
    for (const Record &record : records) names.push_back(record.name);
    const auto found = std::find(names.begin(), names.end(), *name);
    if (found != names.end()) return static_cast<size_t>(found - names.begin());
    const auto meant = support::most_similar(*name, names);
    text_.fail("run.unknown-name", *object.node().find(key), object.path_of(key),
               fmt::format("there is no {} \"{}\"{}", key == "buffer" ? "buffer" : "tensor map", *name,
                           meant ? fmt::format("; did you mean \"{}\"?", *meant)
                                 : names.empty() ? "" : "; there are " + quoted_choices(names)));
    return std::nullopt;
  }

  uint64_t offset_in_buffer(const LaunchObject &object, size_t buffer) {
    const auto offset = object.integer("offset_bytes", {0, static_cast<int64_t>(result_.buffers[buffer].bytes)}, Presence::kOptional);
    return static_cast<uint64_t>(offset.value_or(0));
  }

  void read_tensor_map(const spec::JsonMember &member) {
    const LaunchObject object(text_, member.value, "tensor_maps." + member.key,
                              {"buffer", "offset_bytes", "type", "dims", "strides_bytes", "box", "element_strides", "interleave",
                               "swizzle", "l2_promotion", "oob_fill"});
    LaunchTensorMap record;
    record.name = member.key;
    record.where = text_.document.locate_key(member);
    TensorMap &map = record.map;
    const int before = text_.found.error_count();
    if (const auto buffer = find_name(object, "buffer", result_.buffers)) {
      record.buffer = *buffer;
      map.address = offset_in_buffer(object, *buffer);
    }
    if (const auto type = object.choice("type", kMapTypes, Presence::kRequired))
      map.type = static_cast<emulator::tma::ElementType>(*type);
    if (const auto dims = object.integers("dims", 1, 5, {1, kWordLimit}, Presence::kRequired)) {
      map.rank = static_cast<uint32_t>(dims->size());
      std::copy(dims->begin(), dims->end(), map.dims.begin());
    }
    const size_t rank = map.rank;
    if (const auto strides = object.integers("strides_bytes", rank - 1, rank - 1, {0, kWordLimit},
                                             rank > 1 ? Presence::kRequired : Presence::kOptional))
      std::copy(strides->begin(), strides->end(), map.strides_bytes.begin());
    if (const auto box = object.integers("box", rank, rank, {1, 65536}, Presence::kRequired))
      std::transform(box->begin(), box->end(), map.box.begin(), [](int64_t v) { return static_cast<uint32_t>(v); });
    if (const auto steps = object.integers("element_strides", rank, rank, {1, 65536}, Presence::kOptional))
      std::transform(steps->begin(), steps->end(), map.element_strides.begin(), [](int64_t v) { return static_cast<uint32_t>(v); });
    if (const auto choice = object.choice("interleave", kInterleaves, Presence::kOptional))
      map.interleave = static_cast<emulator::tma::Interleave>(*choice);
    if (const auto choice = object.choice("swizzle", kSwizzles, Presence::kOptional))
      map.swizzle = static_cast<emulator::tma::Swizzle>(*choice);
    if (const auto choice = object.choice("l2_promotion", kPromotions, Presence::kOptional))
      map.l2_promotion = static_cast<emulator::tma::L2Promotion>(*choice);
    if (const auto choice = object.choice("oob_fill", kFills, Presence::kOptional))
      map.oob_fill = static_cast<emulator::tma::OobFill>(*choice);
    // Every rule but that of the address, which is known once the buffer is placed: it is aligned to more than a map needs.
    if (text_.found.error_count() == before)
      if (const emulator::Error broken = emulator::tma::validate(map))
        text_.fail("run.bad-tensor-map", record.where, object.path(), fmt::format("{}: {}", broken.slug, broken.text));
    result_.tensor_maps.push_back(std::move(record));
  }

  void read_argument(const spec::JsonNode &node, const std::string &path) {
    LaunchArgument argument;
    argument.where = text_.document.locate(node);
    if (node.kind != Kind::kObject || !node.find("struct")) {
      if (auto part = read_part(node, path, false)) {
        argument.bytes = bytes_of(*part);
        argument.parts.push_back(std::move(*part));
      }
      result_.arguments.push_back(std::move(argument));
      return;
    }
    const LaunchObject object(text_, node, path, {"struct", "bytes"});
    if (const auto bytes = object.integer("bytes", {1, kArgumentLimitBytes}, Presence::kRequired))
      argument.bytes = static_cast<uint64_t>(*bytes);
    if (const auto *list = items(object, "struct", Presence::kRequired))
      for (size_t i = 0; i < list->size(); ++i) {
        auto part = read_part((*list)[i], fmt::format("{}.struct[{}]", path, i), true);
        if (!part) continue;
        if (part->offset_bytes + bytes_of(*part) > argument.bytes && argument.bytes)
          text_.fail("run.out-of-range", (*list)[i], fmt::format("{}.struct[{}]", path, i),
                     fmt::format("ends at byte {} of {}", part->offset_bytes + bytes_of(*part), argument.bytes));
        argument.parts.push_back(std::move(*part));
      }
    result_.arguments.push_back(std::move(argument));
  }

  static uint64_t bytes_of(const ArgumentPart &part) {
    return part.tensor_map ? 128 /* CUDA Driver API 13.0, CUtensorMap */ : part.buffer ? sizeof(uint64_t) : part.bytes.size();
  }

  std::optional<ArgumentPart> read_part(const spec::JsonNode &node, const std::string &path, bool is_member) {
    std::vector<std::string> ways = {"buffer", "tensor_map"};
    for (const char *name : {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"}) ways.emplace_back(name);
    std::vector<std::string> keys = ways;
    keys.emplace_back("offset_bytes");
    if (is_member) keys.emplace_back("at");
    const LaunchObject object(text_, node, path, keys);
    if (!object.is_object()) return std::nullopt;
    if (!has_one_of(node, ways, path)) return std::nullopt;
    const auto way = std::find_if(ways.begin(), ways.end(), [&](const std::string &key) { return node.find(key) != nullptr; });
    ArgumentPart part;
    if (is_member) part.offset_bytes = static_cast<uint64_t>(object.integer("at", {0, kArgumentLimitBytes}, Presence::kRequired).value_or(0));
    if (*way == "buffer") {
      part.buffer = find_name(object, "buffer", result_.buffers);
      if (part.buffer) part.buffer_offset_bytes = offset_in_buffer(object, *part.buffer);
      return part.buffer ? std::optional(part) : std::nullopt;
    }
    if (*way == "tensor_map") {
      part.tensor_map = find_name(object, "tensor_map", result_.tensor_maps);
      return part.tensor_map ? std::optional(part) : std::nullopt;
    }
    return read_scalar(object, *way, part) ? std::optional(part) : std::nullopt;
  }

  bool read_scalar(const LaunchObject &object, const std::string &type, ArgumentPart &part) {
    const auto &names = element_names();
    const auto format = static_cast<ElementFormat>(std::find(names.begin(), names.end(), type) - names.begin());
    const uint32_t bits = bits_of(format);
    uint64_t value = 0;
    if (type.front() == 'u' || type.front() == 's') {
      const bool is_signed = type.front() == 's';
      const int64_t most = bits == 64 ? INT64_MAX : (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
      const auto given = object.integer(type, {is_signed ? -most - 1 : 0, most}, Presence::kRequired);
      if (!given) return false;
      value = static_cast<uint64_t>(*given);
    } else {
      const auto given = object.number(type, Presence::kRequired);
      if (!given) return false;
      value = encode(format, *given);
    }
    part.bytes.resize(bits / 8);
    std::memcpy(part.bytes.data(), &value, part.bytes.size());
    return true;
  }

  const LaunchText &text_;
  std::string folder_;
  LaunchDescription result_;
};

}  // namespace

std::optional<LaunchDescription> read_launch(const std::string &file, support::Diagnostics &diagnostics) {
  std::string why;
  auto bytes = support::read_file(file, why, kDescriptionLimitBytes);
  if (!bytes) {
    support::Diagnostic d = error("run.unreadable", "cannot read the launch description: " + why);
    d.where.file = file;
    diagnostics.add(std::move(d));
    return std::nullopt;
  }
  const auto document = spec::parse_json(file, std::move(*bytes), "run", diagnostics);
  if (!document) return std::nullopt;
  const size_t slash = file.rfind('/');
  const LaunchText text{*document, diagnostics};
  LaunchDescription description = LaunchReader(text, slash == std::string::npos ? "" : file.substr(0, slash + 1)).read();
  return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(description));
}

}  // namespace warpwright::cli
