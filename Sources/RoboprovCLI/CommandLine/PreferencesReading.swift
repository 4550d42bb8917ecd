import Application
import Manifest
import Source
import YAML

/// The values of a configuration file, or the findings in it.
///
/// ```yaml
/// reports: ~/provisioning/reports   # as --reports; paths are relative to the file, and `~/` is the home directory
/// mirror: /media/stick/reports      # as --mirror
/// operator: R. Keller               # as --operator
/// adapter: [hci1, hci2]             # as --adapter; one, or a list
/// site_key: site.key                # as --site-key
/// ```
struct PreferencesReading {
  private(set) var preferences = Preferences()
  /// The findings, by place. The preferences are valid only without findings.
  private(set) var findings: [Diagnostic] = []
  private let file: String
  private let home: String
  private let source: SourceText

  /// The keys of the format.
  private static let keys = ["reports", "mirror", "operator", "adapter", "site_key"]

  /// Reads a file.
  /// - Parameters:
  ///   - file: Its path, to which paths in it are relative.
  ///   - home: The directory that replaces `~`.
  init(_ bytes: [UInt8], file: String, home: String) {
    (self.file, self.home) = (file, home)
    source = SourceText(bytes)
    do throws(YAMLError) {
      let document = try YAMLParser.read(source)
      findings = document.problems.map(Diagnostic.init)
      if let root = document.root, !root.isNull { read(root) }
    } catch {
      findings = [Diagnostic(error)]
    }
    findings = findings.sortedByPlace()
  }

  /// The findings for a person, each with its line and a caret.
  func rendered(isColored: Bool) -> String {
    DiagnosticFormatter([SourceExcerpt(open: source, file: file)], isColored: isColored).text(of: findings)
  }

  // MARK: Keys and values

  private mutating func read(_ root: YAMLNode) {
    guard let entries = root.entries else {
      return find(.wrongStructure, "a configuration is keys and values", at: root.range, advice: known)
    }
    for entry in entries { read(entry) }
  }

  private mutating func read(_ entry: YAMLNode.Entry) {
    switch entry.key {
    case "reports": path(entry).map { preferences.reports = $0 }
    case "mirror": path(entry).map { preferences.mirror = $0 }
    case "site_key": path(entry).map { preferences.siteKey = $0 }
    case "operator": text(entry.value, of: entry.key).map { preferences.operatedBy = $0 }
    case "adapter":
      let values = entry.value.items ?? [entry.value]
      if values.isEmpty { find(.missingValue, "`adapter` names no adapter", at: entry.value.range) }
      for value in values { text(value, of: entry.key).map { preferences.adapters.append($0) } }
    default:
      let nearest =
        Vocabulary.nearest(to: entry.key.replacing("-", with: "_"), of: Self.keys)
        .map { "did you mean `\($0)`?" }
      find(.unknownKey, "unknown key in the configuration", at: entry.keyRange, advice: nearest ?? known)
    }
  }

  private var known: String { "the keys: \(Self.keys.joined(separator: ", "))" }

  private mutating func text(_ value: YAMLNode, of key: String) -> String? {
    guard let text = value.text else {
      find(.wrongStructure, "`\(key)` takes a text", at: value.range)
      return nil
    }
    guard text.contains(where: { !$0.isWhitespace }) else {
      find(.missingValue, "`\(key)` has no value", at: value.range, advice: "give one, or leave the key out")
      return nil
    }
    guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      find(.controlCharacter, "`\(key)` has a control character", at: value.range)
      return nil
    }
    return text
  }

  /// A path as this process opens it.
  private mutating func path(_ entry: YAMLNode.Entry) -> String? {
    guard let text = text(entry.value, of: entry.key) else { return nil }
    if text == "~" || text.hasPrefix("~/") { return home + text.dropFirst() }
    return InputFile.path(text, beside: file)
  }

  private mutating func find(
    _ code: DiagnosticCode, _ message: String, at range: SourceRange, advice: String? = nil
  ) {
    findings.append(Diagnostic(.error, code, message, at: range, advice: advice))
  }
}
