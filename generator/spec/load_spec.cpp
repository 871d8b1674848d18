// SPDX-License-Identifier: Apache-2.0
// From a spec's text and overrides to checked values; every problem in one pass.
#include "generator/spec/family_spec.h"
#include "generator/spec/field_check.h"
#include "generator/support/files.h"
#include "generator/support/json_text.h"
#include "generator/support/similar.h"
#include "generator/support/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <tuple>

namespace warpwright::spec {
namespace {

using support::Diagnostic;

/// Longest spec that is read; the longest shipped one has about a kilobyte.
constexpr int64_t kSpecLimitBytes = int64_t{1} << 20;

/// A node that the user wrote, in the file or in an override.
struct Written {
  const JsonDocument *document = nullptr;
  const JsonNode *node = nullptr;

  support::SourceLocation where() const { return document->locate(*node); }
};

bool is_header_key(const std::string &path) {
  return path == "edition" || path == "family" || path == "arch" || path == "$schema";
}

/// Keys that stand directly in `section` ("" is the top level): fields and deeper sections, in the table's order.
std::vector<std::string> keys_of(const FamilySpec &family, const std::string &section) {
  std::vector<std::string> keys;
  if (section.empty()) keys = {"edition", "family", "arch"};
  const std::string prefix = section.empty() ? "" : section + ".";
  for (const Field &field : family.fields) {
    if (field.path.rfind(prefix, 0) != 0) continue;
    const std::string rest = field.path.substr(prefix.size());
    const std::string key = rest.substr(0, rest.find('.'));
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

bool is_section(const FamilySpec &family, const std::string &path) {
  return std::any_of(family.fields.begin(), family.fields.end(),
                     [&](const Field &field) { return field.path.rfind(path + ".", 0) == 0; });
}

std::vector<std::string> quoted(const std::vector<std::string> &words) {
  std::vector<std::string> out;
  for (const std::string &word : words) out.push_back(support::json_quote(word));
  return out;
}

/// A word that a shell leaves without quotes: taken for a JSON string.
bool is_bare_word(const std::string &text) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  return !text.empty() && letters.find(text[0]) != std::string::npos &&
         text.find_first_not_of(letters + "0123456789-") == std::string::npos;
}

/// The overrides as a text of one line each.
std::string lines_of(const std::vector<std::string> &overrides) {
  std::string out;
  for (std::string line : overrides) {
    std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    out += line + "\n";
  }
  return out;
}

class Loader {
 public:
  Loader(const std::vector<const FamilySpec *> &families, support::Diagnostics &found)
      : families_(families), found_(found) {}

  std::optional<KernelSpec> load(const std::string &file, const std::string &text,
                                 const std::vector<std::string> &overrides) {
    KernelSpec spec;
    spec.file = file;
    spec.source_text = text;
    if (!parse(file, text)) return std::nullopt;
    read_overrides(overrides, spec);
    const FamilySpec *family = choose_family();
    if (family == nullptr) return std::nullopt;
    spec.family = family->name;
    collect(*family);
    read_edition(*family, spec);
    read_arch(*family, spec);
    for (const Field &field : family->fields) spec.values[field.path] = read_field(field);
    if (family->check) family->check(spec, found_);
    return spec;
  }

 private:
  struct Override {
    std::string path;
    Written value;
    support::SourceLocation path_where;
  };

  void add(const std::string &slug, support::SourceLocation where, const std::string &path, std::string message,
           std::vector<std::string> notes = {}, std::vector<std::string> hints = {}) {
    Diagnostic d;
    d.slug = slug;
    d.where = std::move(where);
    d.path = path;
    d.message = std::move(message);
    d.notes = std::move(notes);
    d.hints = std::move(hints);
    found_.add(std::move(d));
  }

  bool parse(const std::string &file, const std::string &text) {
    std::optional<JsonDocument> document = parse_json(file, text, "spec", found_);
    if (!document) return false;
    documents_.push_back(std::move(*document));
    const JsonDocument &stored = documents_.back();
    root_ = {&stored, &stored.root};
    if (stored.root.kind == JsonNode::Kind::kObject) return true;
    add("spec.not-object", stored.locate(stored.root), "",
        fmt::format("a spec is an object {{ \"family\": …, … }}; found {}", stored.literal(stored.root)));
    return false;
  }

  /// All overrides together are a text of one line each, so that findings in them have a place and a caret.
  void read_overrides(const std::vector<std::string> &overrides, KernelSpec &spec) {
    spec.overrides_text = lines_of(overrides);
    size_t begin = 0;
    for (int line = 1; begin < spec.overrides_text.size(); ++line) {
      const size_t end = spec.overrides_text.find('\n', begin);
      read_override(spec.overrides_text, begin, end, line);
      begin = end + 1;
    }
  }

  void read_override(const std::string &all, size_t begin, size_t end, int line) {
    const std::string text = all.substr(begin, end - begin);
    const size_t equals = text.find('=');
    support::SourceLocation where{kOverridesFile, line, 1, std::max(1, static_cast<int>(support::utf8_chars(text)))};
    const std::string form = "--set takes a dotted path and a JSON value: --set lora.rank=64";
    if (equals == std::string::npos || equals == 0) {
      add("spec.bad-override", where, "", equals == 0 ? "no path before '='" : "no '='", {}, {form});
      return;
    }
    Override item;
    item.path = text.substr(0, equals);
    item.path_where = where;
    item.path_where.width_chars = static_cast<int>(support::utf8_chars(item.path));
    // Blank everything else: the value's offsets are then those in the whole text.
    const std::string value = text.substr(equals + 1);
    const bool is_word = is_bare_word(value) && value != "true" && value != "false" && value != "null";
    std::string blanked(all.size(), ' ');
    blanked.replace(begin + equals + 1, value.size(), value);
    if (is_word) blanked.replace(begin + equals, value.size() + 2, "\"" + value + "\"");
    support::Diagnostics value_found;
    std::optional<JsonDocument> document = parse_json(kOverridesFile, blanked, "spec", value_found);
    if (!document || value_found.has_errors()) {
      const std::string &why = value_found.all().front().message;
      add("spec.bad-override", where, item.path,
          fmt::format("the value is not JSON: {}", value.empty() ? "it is empty" : why), {},
          {form, "quote what the shell would take apart: --set 'cluster=[2, 1]'"});
      return;
    }
    document->text = all;
    document->line_begins = line_begins_of(all);
    if (is_word) {
      document->root.begin += 1;
      document->root.end -= 1;
    }
    documents_.push_back(std::move(*document));
    item.value = {&documents_.back(), &documents_.back().root};
    overrides_.push_back(std::move(item));
  }

  static std::vector<size_t> line_begins_of(const std::string &text) {
    std::vector<size_t> begins = {0};
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\n') begins.push_back(at + 1);
    }
    return begins;
  }

  /// The last thing written for a header key.
  std::optional<Written> header(const std::string &key) const {
    for (auto item = overrides_.rbegin(); item != overrides_.rend(); ++item) {
      if (item->path == key) return item->value;
    }
    const JsonNode *node = root_.node->find(key);
    return node == nullptr ? std::nullopt : std::optional<Written>({root_.document, node});
  }

  const FamilySpec *choose_family() {
    std::vector<std::string> names;
    for (const FamilySpec *family : families_) names.push_back(family->name);
    const std::string legal = support::join_words(quoted(names), "or");
    const std::optional<Written> written = header("family");
    if (!written) {
      add("spec.missing-key", root_.where(), "family", fmt::format("missing; write {}", legal), {},
          {"`warpwright list families` describes them"});
      return nullptr;
    }
    if (written->node->kind != JsonNode::Kind::kText) {
      add("spec.wrong-type", written->where(), "family",
          fmt::format("expected {}, found {}", legal, written->document->literal(*written->node)));
      return nullptr;
    }
    for (const FamilySpec *family : families_) {
      if (family->name == written->node->text) return family;
    }
    const auto meant = support::most_similar(written->node->text, names);
    add("spec.unknown-family", written->where(), "family",
        fmt::format("{} is not {}{}", written->document->literal(*written->node), legal,
                    meant && names.size() > 1 ? "; did you mean \"" + *meant + "\"?" : ""),
        {}, {"`warpwright list families` describes them"});
    return nullptr;
  }

  /// Sorts every key of file and overrides into fields, sections and unknown ones.
  void collect(const FamilySpec &family) {
    sections_[""] = root_;
    collect_object(family, root_, "");
    for (const Override &item : overrides_) {
      collect_member(family, item.path, item.value, item.path_where);
    }
  }

  void collect_object(const FamilySpec &family, const Written &object, const std::string &section) {
    for (const JsonMember &member : object.node->members) {
      if (member.key == "$comment") continue;
      // A dot in a key would look like a path; no key of ours has one.
      const bool has_dot = member.key.find('.') != std::string::npos;
      const std::string path = section.empty() ? member.key : section + "." + member.key;
      const support::SourceLocation where = object.document->locate_key(member);
      if (has_dot) {
        add_unknown(family, path, where, section);
      } else {
        collect_member(family, path, {object.document, &member.value}, where);
      }
    }
  }

  void collect_member(const FamilySpec &family, const std::string &path, const Written &value,
                      const support::SourceLocation &key_where) {
    if (path == "$schema" && value.node->kind != JsonNode::Kind::kText) {
      add("spec.wrong-type", value.where(), path,
          fmt::format("expected the path of a schema, found {}", value.document->literal(*value.node)));
    } else if (is_header_key(path) || family.find(path) != nullptr) {
      written_[path] = value;
    } else if (!is_section(family, path)) {
      const size_t dot = path.rfind('.');
      add_unknown(family, path, key_where, dot == std::string::npos ? "" : path.substr(0, dot));
    } else if (value.node->kind == JsonNode::Kind::kObject) {
      sections_[path] = value;
      collect_object(family, value, path);
    } else {
      add("spec.wrong-type", value.where(), path,
          fmt::format("expected an object with {}, found {}", support::join_words(quoted(keys_of(family, path)), "or"),
                      value.document->literal(*value.node)));
    }
  }

  void add_unknown(const FamilySpec &family, const std::string &path, const support::SourceLocation &where,
                   const std::string &section) {
    const std::string key = path.substr(section.empty() ? 0 : section.size() + 1);
    const std::vector<std::string> known = keys_of(family, section);
    std::string message = "unknown key";
    std::vector<std::string> hints;
    if (const auto meant = support::most_similar(key, known)) {
      message += fmt::format("; did you mean \"{}\"?", *meant);
    } else if (const Field *elsewhere = field_elsewhere(family, key)) {
      message += fmt::format("; the field is {}", elsewhere->path);
      const size_t dot = elsewhere->path.find('.');
      if (dot != std::string::npos) {
        hints.push_back(fmt::format("write \"{}\": {{\"{}\": …}}", elsewhere->path.substr(0, dot),
                                    elsewhere->path.substr(dot + 1)));
      }
    }
    std::vector<std::string> notes;
    if (!known.empty()) notes.push_back("known keys here: " + support::join_words(known));
    add("spec.unknown-key", where, support::shortened(path, 80), message, std::move(notes), std::move(hints));
  }

  /// The only field whose last word is `key`, or whose path is.
  static const Field *field_elsewhere(const FamilySpec &family, const std::string &key) {
    const Field *found = nullptr;
    for (const Field &field : family.fields) {
      const bool matches = field.path == key || field.path.substr(field.path.rfind('.') + 1) == key;
      if (matches && found != nullptr) return nullptr;
      if (matches) found = &field;
    }
    return found;
  }

  void read_edition(const FamilySpec &family, KernelSpec &spec) {
    spec.edition = family.edition;
    const auto written = written_.find("edition");
    if (written == written_.end()) {
      add("spec.missing-key", root_.where(), "edition", fmt::format("missing; write \"edition\": {}", family.edition));
    } else if (const JsonNode &node = *written->second.node; node.kind != JsonNode::Kind::kInteger) {
      add("spec.wrong-type", written->second.where(), "edition",
          fmt::format("expected an integer, found {}", written->second.document->literal(node)));
    } else if (node.integer != family.edition) {
      add("spec.unknown-edition", written->second.where(), "edition",
          fmt::format("this warpwright reads edition {} of {}, not {}", family.edition, family.name, node.integer));
    }
  }

  void read_arch(const FamilySpec &family, KernelSpec &spec) {
    spec.arch = family.archs.front();
    const auto written = written_.find("arch");
    if (written == written_.end()) return;
    const JsonNode &node = *written->second.node;
    const std::string legal = support::join_words(quoted(family.archs), "or");
    const std::string literal = written->second.document->literal(node);
    if (node.kind != JsonNode::Kind::kText) {
      add("spec.wrong-type", written->second.where(), "arch", fmt::format("expected {}, found {}", legal, literal));
    } else if (node.text == "auto") {
      return;
    } else if (std::find(family.archs.begin(), family.archs.end(), node.text) == family.archs.end()) {
      add("spec.unknown-arch", written->second.where(), "arch",
          fmt::format("{} does not build for {}; it builds for {}", family.name, literal, legal));
    } else {
      spec.arch = node.text;
    }
  }

  FieldValue read_field(const Field &field) {
    const auto written = written_.find(field.path);
    FieldValue value = field.default_value;
    value.is_default = true;
    value.where = owner_of(field.path);
    if (written == written_.end()) {
      if (field.required) {
        add("spec.missing-key", value.where, field.path,
            fmt::format("missing; it needs {}: {}", type_words(field), legal_values(field)));
      }
      return value;
    }
    std::optional<FieldValue> read =
        value_from_json(field, *written->second.node, *written->second.document, found_);
    if (!read || !check_value(field, *read, found_)) {
      FieldValue failed;
      failed.where = written->second.where();
      failed.is_invalid = true;
      return failed;
    }
    if (!read->is_auto()) return *read;
    value.is_default = false;
    value.where = written->second.where();
    return value;
  }

  /// The innermost object of the file that would hold `path`.
  support::SourceLocation owner_of(std::string path) const {
    while (!path.empty()) {
      const size_t dot = path.rfind('.');
      path = dot == std::string::npos ? "" : path.substr(0, dot);
      const auto found = sections_.find(path);
      if (found != sections_.end()) return found->second.where();
    }
    return root_.where();
  }

  const std::vector<const FamilySpec *> &families_;
  support::Diagnostics &found_;
  std::deque<JsonDocument> documents_;
  Written root_;
  std::vector<Override> overrides_;
  std::map<std::string, Written> written_;
  std::map<std::string, Written> sections_;
};

/// File before overrides, then by place: the order in which a person works through them.
std::vector<Diagnostic> by_place(std::vector<Diagnostic> all) {
  std::stable_sort(all.begin(), all.end(), [](const Diagnostic &a, const Diagnostic &b) {
    const auto key = [](const Diagnostic &d) {
      return std::make_tuple(d.where.file == kOverridesFile, d.where.line, d.where.column);
    };
    return key(a) < key(b);
  });
  return all;
}

}  // namespace

std::optional<KernelSpec> load_spec_text(const std::string &file, const std::string &text,
                                         const std::vector<std::string> &overrides,
                                         const std::vector<const FamilySpec *> &families,
                                         support::Diagnostics &diagnostics) {
  support::Diagnostics found;
  std::optional<KernelSpec> spec = Loader(families, found).load(file, text, overrides);
  diagnostics.add_source(file, text);
  if (!overrides.empty()) diagnostics.add_source(kOverridesFile, lines_of(overrides));
  for (Diagnostic &d : by_place(found.all())) diagnostics.add(std::move(d));
  return found.has_errors() ? std::nullopt : std::move(spec);
}

std::optional<KernelSpec> load_spec(const std::string &file, const std::vector<std::string> &overrides,
                                    const std::vector<const FamilySpec *> &families,
                                    support::Diagnostics &diagnostics) {
  std::string why;
  const std::optional<std::string> text = support::read_file(file, why, kSpecLimitBytes);
  if (text) return load_spec_text(file, *text, overrides, families, diagnostics);
  Diagnostic d;
  d.slug = "spec.unreadable";
  d.where.file = file;
  d.message = fmt::format("cannot read the spec: {}", why);
  diagnostics.add(std::move(d));
  return std::nullopt;
}

}  // namespace warpwright::spec
