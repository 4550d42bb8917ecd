import Families
import Model
import Source
import YAML

/// Walks the tree and collects: what is wrong, what may be shown, what must never be.
///
/// No message quotes the file. What it says is shown by the line below the message, where everything is hidden
/// that was not recognised here as harmless.
struct ManifestDecoder {
  var findings: [Diagnostic] = []
  /// Every text that was read; the manifest is the first.
  var texts = TextCollection()
  /// Texts that must not be shown, wherever they are.
  var secrets: Set<String> = []
  /// What is known of the passwords.
  var passwords = ManifestPasswords()
  /// The names of networks that may be shown, sorted, once they were asked for.
  var networkNames: [String]?
  /// What the manifest says of adapters.
  var adapters: [AdapterDescription] = []
  /// The places that rooms share: the top first, then each floor and group.
  var scopes: [RoomScope] = []
  /// What rooms are in, in the order of reading.
  var lists: [RoomList] = []
  /// The rooms as they are written, in the building's order.
  var drafts: [RoomDraft] = []
  /// What rooms have in common.
  var evidence = RoomEvidence()
  /// Timeouts that were told to be too short.
  var tooShort: Set<SourceRange> = []
  /// What was said already: rooms of a range share their places.
  private var reported: Set<Report> = []

  private struct Report: Hashable {
    var place: Mark
    var message: String
  }

  init(files: ManifestFiles? = nil) {
    texts.files = files
  }

  mutating func error(
    _ code: DiagnosticCode, _ message: String, at range: SourceRange, notes: [Diagnostic.Note] = [],
    advice: String? = nil, fix: Diagnostic.Fix? = nil
  ) {
    report(Diagnostic(.error, code, message, at: range, notes: notes, advice: advice, fix: fix))
  }

  mutating func warning(
    _ code: DiagnosticCode, _ message: String, at range: SourceRange, notes: [Diagnostic.Note] = [],
    advice: String? = nil, fix: Diagnostic.Fix? = nil
  ) {
    report(Diagnostic(.warning, code, message, at: range, notes: notes, advice: advice, fix: fix))
  }

  private mutating func report(_ finding: Diagnostic) {
    guard reported.insert(Report(place: finding.range.start, message: finding.message)).inserted else {
      return
    }
    findings.append(finding)
  }

  /// Says that what is there may be shown: it was recognised as harmless.
  mutating func show(_ range: SourceRange) { texts.show(range) }

  /// What is said of a key that is known, but not here; nil of any other.
  typealias Elsewhere = (_ key: String) -> (code: DiagnosticCode, message: String, advice: String)?

  /// A mapping's known keys; whatever else it has is an error. Nil, and an error, when it is no mapping.
  mutating func fields(
    of node: YAMLNode, _ thing: String, known: [String], isWiFi: Bool = false,
    elsewhere: Elsewhere = { _ in nil }
  ) -> Fields? {
    guard let entries = node.entries else {
      error(
        .wrongStructure, "\(thing) is a mapping of keys and values", at: node.range,
        advice: "its keys: \(known.listed)")
      return nil
    }
    let head = entries.first?.keyRange ?? node.range
    if let fields = Fields(head: head, entries, known: known) {
      for entry in entries { show(entry.keyRange) }
      return fields
    }
    var fields = Fields(head: head)
    for entry in entries {
      if known.contains(entry.key) {
        show(entry.keyRange)
        fields.add(entry)
      } else if let (code, message, advice) = elsewhere(entry.key) {
        show(entry.keyRange)
        error(code, message, at: entry.keyRange, advice: advice)
      } else {
        unknown(entry, of: thing, known: known, isWiFi: isWiFi)
      }
    }
    return fields
  }

  private mutating func unknown(_ entry: YAMLNode.Entry, of thing: String, known: [String], isWiFi: Bool) {
    if entry.key == "<<" {
      show(entry.keyRange)
      error(
        .mergeKey, "merge keys are not supported", at: entry.keyRange,
        advice: "put what rooms share under `defaults`, a floor or a group")
      return
    }
    if let key = Vocabulary.otherSpelling(of: entry.key, among: known) {
      show(entry.keyRange)
      error(
        .unknownKey, "unknown key in \(thing)", at: entry.keyRange, advice: "it is spelt `\(key)`",
        fix: .replace(entry.keyRange, with: key))
      return
    }
    let nearest = Vocabulary.nearest(to: entry.key, of: known)
    // A key that is like none of ours may be a secret without its key. It is shown only where it looks like a
    // key, is used like one, and no network is near.
    if nearest != nil || !isWiFi && !entry.value.isNull && entry.key.looksLikeKey {
      show(entry.keyRange)
    }
    let advice = nearest.map { "did you mean `\($0)`?" } ?? "the keys of \(thing): \(known.listed)"
    error(.unknownKey, "unknown key in \(thing)", at: entry.keyRange, advice: advice)
  }

  /// The text of a value that must have one; it may be shown. Nil, and an error, when it has none.
  mutating func text(_ node: YAMLNode, _ key: String) -> String? {
    guard let text = node.text else {
      error(.wrongStructure, "`\(key)` takes a single value", at: node.range)
      return nil
    }
    guard !node.isNull else {
      error(
        .missingValue, "`\(key)` has no value", at: node.range, advice: "give it one, or leave the key out")
      return nil
    }
    if !Vocabulary.speaksOfSecrets(text) { show(node.range) }
    return text
  }

  /// A whole number within bounds; an error otherwise.
  mutating func integer(_ node: YAMLNode, _ key: String, in bounds: ClosedRange<Int>) -> Int? {
    guard let text = text(node, key) else { return nil }
    if let number = Written.integer(text), bounds.contains(number) { return number }
    if let number = Written.integer(text) {
      error(
        .outOfRange, "`\(key)` is \(number), outside of \(bounds.lowerBound)…\(bounds.upperBound)",
        at: node.range)
    } else if Written.isDecimal(text) {
      error(
        .outOfRange, "`\(key)` is outside of \(bounds.lowerBound)…\(bounds.upperBound)", at: node.range)
    } else {
      error(
        .notANumber, "`\(key)` is not a whole number", at: node.range,
        advice: "write it in decimal digits, without leading zeros: \(bounds.lowerBound)…\(bounds.upperBound)"
      )
    }
    return nil
  }

  /// A profile by its name.
  mutating func profile(_ node: YAMLNode) -> (any DeviceFamily)? {
    guard let text = text(node, "profile") else { return nil }
    if let profile = DeviceProfiles[ProfileID(rawValue: text)] { return profile }
    let known = DeviceProfiles.all.map(\.id.rawValue)
    error(
      .unknownValue, "unknown profile", at: node.range,
      advice: Vocabulary.nearest(to: text, of: known).map { "did you mean `\($0)`?" }
        ?? "known profiles: \(known.listed)")
    return nil
  }

  /// A stable name that the manifest gives.
  mutating func slug(_ node: YAMLNode) -> String? {
    guard let text = text(node, "id") else { return nil }
    if Slug.isValid(text) { return text }
    error(
      .badIdentifier,
      "`id` has other characters than a–z, 0–9 and hyphens between them, or more than \(Slug.maximumLength)",
      at: node.range, advice: Slug.make(of: text).flatMap { presentable($0).map { "for example: `\($0)`" } })
    return nil
  }

  private func holdsSecret(_ text: String) -> Bool {
    let length = text.utf8.count
    return secrets.contains { $0.utf8.count <= length && text.contains($0) }
  }

  /// A text for a message, if it holds no secret and nothing that speaks of one. Nil too when there are so many
  /// findings that nobody will read this one: the search through all secrets is not free.
  func presentable(_ text: String) -> String? {
    if findings.count > ManifestReader.maximumFindings { return nil }
    return Vocabulary.speaksOfSecrets(text) || holdsSecret(text) ? nil : text
  }
}

extension [String] {
  /// `a, b, c`.
  var listed: String { joined(separator: ", ") }
}

extension String {
  /// Whether it is of the form of our keys.
  fileprivate var looksLikeKey: Bool {
    utf8.count <= 24 && !Vocabulary.speaksOfSecrets(self)
      && utf8.allSatisfy { Character(Unicode.Scalar($0)).isLetter || $0 == UInt8(ascii: "_") }
  }
}
