import Model
import Source
import YAML

/// Decodes the tree and collects findings, the places that may be shown, and the texts that must never be
/// shown.
///
/// Messages do not quote the file. The source line below a message shows it, with everything hidden that the
/// decoder did not recognise as harmless.
struct ManifestDecoder {
  /// The keys and families: those of the program, then also those that the manifest describes.
  var vocabulary: Vocabulary
  var families: FamilyCatalogue { vocabulary.families }
  /// The families of the program.
  let givenFamilies: FamilyCatalogue
  var findings: [Diagnostic] = []
  /// The number of errors that the decoder has found.
  private(set) var errorCount = 0
  /// The texts that were read; the manifest is the first.
  var texts: TextCollection
  /// Texts that must not be shown anywhere.
  var secrets: Set<String> = []
  var passwords = ManifestPasswords()
  /// The names of networks that may be shown, sorted; nil until they are needed.
  var networkNames: [String]?
  var hosts: [HostDescription] = []
  /// The floors of the hosts, with their places.
  var hostFloors: [(floor: String, range: SourceRange)] = []
  var adapters: [AdapterDescription] = []
  var adapterAliases: [String: AdapterReference] = [:]
  /// The outermost scope first, then each floor and group.
  var scopes: [RoomScope] = []
  /// The lists and tables of rooms, in the order of reading.
  var lists: [RoomList] = []
  /// The rooms before decoding, in the building's order.
  var drafts: [RoomDraft] = []
  var evidence = RoomEvidence()
  /// The timeouts that were reported as too short.
  var tooShort: Set<SourceRange> = []
  /// Whether rooms may lack their addresses because the labels are read now.
  let labelsFollow: Bool
  /// The findings so far, without duplicates: rooms of a range share their places.
  private var reported: Set<Report> = []

  private struct Report: Hashable {
    var place: Mark
    var message: String
  }

  init(_ families: FamilyCatalogue, files: ManifestFiles? = nil, labelsFollow: Bool = false) {
    self.labelsFollow = labelsFollow
    givenFamilies = families
    vocabulary = Vocabulary(families)
    texts = TextCollection(vocabulary)
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

  /// Reports an error, and returns nil in place of a value.
  mutating func refused<Value>(
    _ code: DiagnosticCode, _ message: String, at range: SourceRange, advice: String? = nil,
    fix: Diagnostic.Fix? = nil
  ) -> Value? {
    error(code, message, at: range, advice: advice, fix: fix)
    return nil
  }

  private mutating func report(_ finding: Diagnostic) {
    guard reported.insert(Report(place: finding.range.start, message: finding.message)).inserted else {
      return
    }
    findings.append(finding)
    if finding.severity == .error { errorCount += 1 }
  }

  /// Marks a place as harmless, so that it may be shown.
  mutating func show(_ range: SourceRange) { texts.show(range) }

  /// Marks the place of a text as harmless, unless the text has a word for a secret.
  mutating func show(_ range: SourceRange, of text: String) {
    if !Vocabulary.mentionsSecrets(text) { show(range) }
  }

  /// The finding for a key that is known, but not allowed here; nil for any other key.
  typealias Elsewhere = (_ key: String) -> (code: DiagnosticCode, message: String, advice: String)?

  /// The known keys of a mapping; every other key is an error. Nil, with an error, when the node is not a
  /// mapping.
  mutating func fields(
    of node: YAMLNode, _ thing: String, known: [String], isWiFi: Bool = false,
    elsewhere: Elsewhere = { _ in nil }
  ) -> Fields? {
    guard let entries = node.entries else {
      return refused(
        .wrongStructure, "\(thing) is a mapping of keys and values", at: node.range,
        advice: "its keys: \(known.listed)")
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
        if fields.entry(entry.key) != nil { showValue(of: entry, as: entry.key) }
        fields.add(entry)
      } else if let meant = corrected(entry, of: thing, among: known, in: entries) {
        if !entries.contains(where: { $0.key == meant.key }) { fields.add(meant) }
      } else if let (code, message, advice) = elsewhere(entry.key) {
        show(entry.keyRange)
        showValue(of: entry, as: entry.key)
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
    if continuesNumber(entry) {
      show(entry.keyRange)
      let duration = Duration(written: entry.key) == nil ? "" : "; a duration has no fraction: 2500ms"
      error(
        .unknownKey, "the comma before this begins a new key", at: entry.keyRange,
        advice: "write the number without a comma\(duration)")
      return
    }
    let nearest = nearest(to: entry.key, of: known)
    // An unknown key may be a secret without its key. It is shown only when it looks like a key, has a value,
    // and is not in a network.
    if nearest != nil || !isWiFi && !entry.value.isNull && entry.key.looksLikeKey {
      show(entry.keyRange)
    }
    if let nearest { showValue(of: entry, as: nearest) }
    let advice = nearest.map { "did you mean `\($0)`?" } ?? "the keys of \(thing): \(known.listed)"
    error(.unknownKey, "unknown key in \(thing)", at: entry.keyRange, advice: advice)
  }

  /// Whether a comma made the end of a number a key: `5s` of `{ connect: 2,5s }`.
  private func continuesNumber(_ entry: YAMLNode.Entry) -> Bool {
    let bytes = texts.texts[entry.keyRange.text].source.bytes[..<entry.keyRange.start.offset]
    return entry.key.wholeMatch(of: /[0-9]{1,3}(ms|s|m)?/) != nil && bytes.last == UInt8(ascii: ",")
      && bytes.dropLast().last?.isDigit == true
  }

  /// Marks a value that is not decoded as harmless, if its key is not one of a secret.
  private mutating func showValue(of entry: YAMLNode.Entry, as key: String) {
    guard vocabulary.openValues.contains(key), let text = entry.value.text else { return }
    show(entry.value.range, of: text)
  }

  /// The text of a scalar, which is marked as harmless. Nil, with an error, without a text.
  mutating func text(_ node: YAMLNode, _ key: String) -> String? {
    guard let text = node.text else {
      return refused(.wrongStructure, "`\(key)` takes a single value", at: node.range)
    }
    guard !node.isNull else {
      return refused(
        .missingValue, "`\(key)` has no value", at: node.range, advice: "give it one, or leave the key out")
    }
    show(node.range, of: text)
    return isInTypographicQuotes(node, key) ? nil : text
  }

  /// Decodes an integer within bounds; nil, with an error, otherwise.
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
      let usual =
        "write only decimal digits, without leading zeros: \(bounds.lowerBound)…\(bounds.upperBound)"
      let odd = OddCharacter(in: text) { $0.isASCII && $0.isNumber || $0 == "-" }
      let corrected = odd.flatMap { odd in
        Written.integer(odd.corrected).flatMap { bounds.contains($0) ? odd.corrected : nil }
      }
      error(
        .notANumber, "`\(key)` is not a whole number", at: node.range,
        advice: odd.map { "\($0.words): \(usual)" } ?? usual,
        fix: corrected.flatMap { replace(node, with: $0) })
    }
    return nil
  }

  mutating func profile(_ node: YAMLNode) -> Shared<DeviceFamily>? {
    guard let text = text(node, "profile") else { return nil }
    if let profile = vocabulary.shared[FamilyID(rawValue: text)] { return profile }
    let known = families.all.map(\.id.rawValue)
    return refused(
      .unknownValue, "unknown profile", at: node.range,
      advice: suggestion(for: text, of: known, or: "known profiles: \(known.listed)"))
  }

  mutating func slug(_ node: YAMLNode, _ key: String = "id") -> String? {
    guard let text = text(node, key) else { return nil }
    if Slug.isValid(text) { return text }
    return refused(
      .badIdentifier,
      "`\(key)` has other characters than a–z, 0–9 and hyphens between them, or more than \(Slug.maximumLength)",
      at: node.range, advice: Slug.make(of: text).flatMap { presentable($0).map { "for example: `\($0)`" } })
  }

  /// The most similar known word, for an error; nil if none is similar. Also nil once there are more errors
  /// than are shown, because the search through all known words is slow.
  func nearest(to word: String, of known: @autoclosure () -> [String]) -> String? {
    if errorCount > DiagnosticFormatter.maximumFindings { return nil }
    return Vocabulary.nearest(to: word, of: known())
  }

  /// Advice for an unknown word: the most similar known one, else `other`.
  func suggestion(
    for word: String, of known: @autoclosure () -> [String], or other: String? = nil
  ) -> String? {
    nearest(to: word, of: known()).map { "did you mean `\($0)`?" } ?? other
  }

  private func holdsSecret(_ text: String) -> Bool {
    let length = text.utf8.count
    return secrets.contains { $0.utf8.count <= length && text.contains($0) }
  }

  /// The text if it holds no secret and no word for one, else nil. Also nil beyond the maximum number of
  /// findings: the message would not be shown, and the search through all secrets is slow.
  func presentable(_ text: String) -> String? {
    if findings.count > DiagnosticFormatter.maximumFindings { return nil }
    return Vocabulary.mentionsSecrets(text) || holdsSecret(text) ? nil : text
  }
}

extension String {
  /// Whether the text has the form of a key of the manifest.
  fileprivate var looksLikeKey: Bool {
    utf8.count <= 24 && !Vocabulary.mentionsSecrets(self)
      && utf8.allSatisfy { $0.isLetter || $0 == UInt8(ascii: "_") }
  }
}
