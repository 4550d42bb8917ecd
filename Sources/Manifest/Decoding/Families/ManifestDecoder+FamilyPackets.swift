import Bluetooth
import Model
import Source
import YAML

/// What is written to a device and what it answers: packets, texts and JSON.
extension ManifestDecoder {
  typealias Part = CharacteristicDescription.Field

  /// Decodes the only one of `holds`, `text` and `json`.
  mutating func contents(_ fields: Fields, _ thing: String, _ settings: FamilySettings) -> [Part]? {
    let given = Vocabulary.contents.filter { fields[$0] != nil }
    guard given.count == 1, let node = fields[given[0]] else {
      return refused(
        given.isEmpty ? .missingKey : .misplacedKey,
        given.isEmpty ? "\(thing) without `holds`" : "\(thing) has only one of `holds`, `text` and `json`",
        at: given.last.flatMap { fields.entry($0)?.keyRange } ?? fields.head)
    }
    let parts: [Part]? =
      switch given[0] {
      case "text": text(node, "text").flatMap { self.parts(ofText: $0, at: node.range, settings) }
      case "json": json(node, settings)
      default: packet(node, settings)
      }
    guard let parts else { return nil }
    return checkLength(of: parts, settings, at: fields.entry(given[0])?.keyRange ?? node.range) ? parts : nil
  }

  // MARK: Packets

  /// Decodes the parts of a packet, in the order of the bytes: a mapping, or a list of mappings and constants.
  private mutating func packet(_ node: YAMLNode, _ settings: FamilySettings) -> [Part]? {
    var parts: [(part: Part, range: SourceRange)] = []
    var isComplete = true
    for item in node.items ?? [node] {
      if node.items != nil, item.text != nil {
        guard let constant = value(item, "holds") else { return nil }
        parts.append((.constant(constant), item.range))
        continue
      }
      guard
        let entries = entries(
          of: item, "`holds` is a mapping of settings and their encodings, in the order of the bytes",
          canBeEmpty: false, advice: "for example { minor: uint16_be }")
      else { return nil }
      for entry in entries {
        show(entry.keyRange)
        if settings.faulty.contains(entry.key) {
          isComplete = false
        } else {
          guard let part = part(entry, settings) else { return nil }
          parts.append((part, entry.keyRange))
        }
      }
    }
    let last = parts.count - 1
    for (index, (part, range)) in parts.enumerated() {
      if case .value(let name, let encoding) = part, let setting = settings[name.rawValue] {
        let isLast = index == last || index == last - 1 && parts[last].part.isCheck
        checkEncoding(of: setting, encoding, isLast: isLast, at: range)
      } else if part.isCheck, index < last {
        error(
          .badFamily, "a check can only be the last part of a value", at: range,
          advice: "it is of all bytes before it")
      }
    }
    return isComplete ? parts.map(\.part) : nil
  }

  private mutating func part(_ entry: YAMLNode.Entry, _ settings: FamilySettings) -> Part? {
    if let setting = settings[entry.key] {
      guard setting.isWritten else {
        return refused(
          .badFamily, "this setting has `written: false`", at: entry.keyRange,
          advice: "leave one of the two out")
      }
      guard var encoding = encoding(entry.value, entry.key) else { return nil }
      if encoding == .bytes(nil), case .bytes(let bounds) = setting.bytesKind, bounds.count == 1 {
        encoding = .bytes(bounds.lowerBound)
      }
      return .value(setting.name, encoding)
    }
    switch entry.key {
    case "padding":
      return integer(entry.value, "padding", in: 1...CharacteristicDescription.longest).map { .padding($0) }
    case "check": return word(entry.value, "check", FamilyForm.checks).map { .check($0) }
    case "length", "total":
      guard let encoding = encoding(entry.value, entry.key) else { return nil }
      guard case .number(_, false, _) = encoding else {
        return refused(
          .unknownValue, "`\(entry.key)` is none of the possible values", at: entry.value.range,
          advice: "it is a number: uint8, or uint16_le")
      }
      return entry.key == "length" ? .following(encoding) : .whole(encoding)
    default:
      return refused(
        .unknownValue, "there is no setting of this name", at: entry.keyRange,
        advice: known(settings) + "; besides them: \(Vocabulary.parts.listed)")
    }
  }

  /// Reports a value that cannot be built for each room.
  private mutating func checkLength(
    of parts: [Part], _ settings: FamilySettings, at range: SourceRange
  ) -> Bool {
    let before = errorCount
    func longest(_ part: Part) -> Int {
      guard case .value(let name, let encoding) = part, let setting = settings[name.rawValue] else {
        return part.length ?? 0
      }
      return setting.kind.extremes.compactMap { setting.encode($0, encoding)?.count }.max() ?? 0
    }
    let total = parts.map(longest).reduce(0, +)
    if total > CharacteristicDescription.longest {
      error(
        .badFamily, "this value can have \(total) bytes", at: range,
        advice: "a characteristic has at most \(CharacteristicDescription.longest)")
    }
    for (index, part) in parts.enumerated() {
      let counted: (encoding: WireEncoding, count: Int)? =
        switch part {
        case .following(let own):
          (own, parts[(index + 1)...].filter { !$0.isCheck }.map(longest).reduce(0, +))
        case .whole(let own): (own, total)
        default: nil
        }
      if let (encoding, count) = counted, encoding.length == 1, count > UInt8.max {
        error(
          .unencodableSetting, "this value can have \(count) bytes after its length", at: range,
          advice: "give the length more than one byte")
      }
    }
    return errorCount == before
  }

  // MARK: Commands

  /// Decodes a text in which `$name` is the value of a setting, and `$$` a dollar.
  private mutating func parts(
    ofText text: String, at range: SourceRange, _ settings: FamilySettings
  ) -> [Part]? {
    var parts: [Part] = []
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      parts.append(constant: rest[..<dollar])
      rest = rest[rest.index(after: dollar)...]
      if rest.first == "$" {
        rest = rest.dropFirst()
        parts.append(constant: "$")
        continue
      }
      let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      rest = rest[name.endIndex...]
      if settings.faulty.contains(String(name)) { return nil }
      guard let setting = settings[String(name)], setting.isWritten else {
        return refused(
          .unknownValue, "`$\(name)` is no setting", at: range,
          advice: known(settings) + "; `$$` is a dollar")
      }
      // Settings have no control characters, so these end any text.
      let isEnded = rest.isEmpty || rest.unicodeScalars.first.map { $0.value < 0x20 } == true
      if setting.isFreeText, !isEnded {
        return refused(
          .unencodableSetting, "text can only be the last part of a line", at: range,
          advice: "what follows `$\(name)` could also be in its value")
      }
      if rest.first == "$", !rest.hasPrefix("$$") {
        return refused(.badFamily, "there is nothing between two settings", at: range)
      }
      parts.append(.value(setting.name, .written))
    }
    parts.append(constant: rest)
    return parts
  }

  /// Decodes JSON whose values are constants or settings (`$name`).
  private mutating func json(_ node: YAMLNode, _ settings: FamilySettings) -> [Part]? {
    guard let entries = node.entries, !entries.isEmpty else {
      return jsonValue(node, settings)
    }
    var parts: [Part] = []
    for (index, entry) in entries.enumerated() {
      show(entry.keyRange)
      guard isText(entry.key, "json", of: 1...100, at: entry.keyRange) else { return nil }
      let name = String(decoding: JSONMessage.quoted(entry.key), as: UTF8.self)
      parts.append(constant: (index == 0 ? "{" : ",") + name + ":")
      guard let value = json(entry.value, settings) else { return nil }
      for part in value {
        if case .constant(let bytes) = part {
          parts.append(constant: String(decoding: bytes, as: UTF8.self)[...])
        } else {
          parts.append(part)
        }
      }
    }
    parts.append(constant: "}")
    return parts
  }

  private mutating func jsonValue(_ node: YAMLNode, _ settings: FamilySettings) -> [Part]? {
    guard let value = wanted(node, "json", settings) else { return nil }
    switch value {
    case .setting(let name): return [.value(name, .json)]
    case .text(let text):
      guard case .scalar(_, isPlain: true) = node.content,
        Written.integer(text) != nil || ["true", "false"].contains(text)
      else { return [.constant(JSONMessage.quoted(text))] }
      return [.constant(Array(text.utf8))]
    }
  }

  // MARK: Answers

  /// Decodes a status: bytes or text, or for JSON its values by their names.
  mutating func pattern(_ node: YAMLNode, _ key: String, _ settings: FamilySettings) -> StatusPattern? {
    guard node.entries != nil else { return value(node, key).map { .bytes($0) } }
    return expected(node, key, [], settings).map { .message($0) }
  }

  private mutating func expected(
    _ node: YAMLNode, _ key: String, _ path: [String], _ settings: FamilySettings
  ) -> [StatusPattern.Expected]? {
    guard let entries = node.entries, !entries.isEmpty else {
      return wanted(node, key, settings).map { [.init(path, $0)] }
    }
    var all: [StatusPattern.Expected] = []
    for entry in entries {
      show(entry.keyRange)
      guard let own = expected(entry.value, key, path + [entry.key], settings) else { return nil }
      all += own
    }
    return all
  }

  /// Decodes a value of JSON: a constant, or `$name` for a setting.
  private mutating func wanted(
    _ node: YAMLNode, _ key: String, _ settings: FamilySettings
  ) -> StatusPattern.Wanted? {
    guard let text = text(node, key) else { return nil }
    guard text.hasPrefix("$") else {
      return isText(text, key, of: 0...100, at: node.range) ? .text(text) : nil
    }
    let name = String(text.dropFirst())
    if name.hasPrefix("$") { return .text(name) }
    if settings.faulty.contains(name) { return nil }
    guard let setting = settings[name], setting.isWritten else {
      return refused(
        .unknownValue, "`\(text)` is no setting", at: node.range,
        advice: known(settings) + "; `$$` is a dollar")
    }
    return .setting(setting.name)
  }
}

extension CharacteristicDescription.Field {
  fileprivate var isCheck: Bool { if case .check = self { true } else { false } }
}

extension SettingDescription {
  /// Its kind, also if it is secret.
  fileprivate var bytesKind: Kind { if case .secret(let kind) = kind { kind } else { kind } }

  /// Whether its values can have any characters.
  fileprivate var isFreeText: Bool {
    switch bytesKind {
    case .text, .wifiPassword, .wifiPassphrase: true
    default: false
    }
  }
}

extension [CharacteristicDescription.Field] {
  /// Adds a constant to the last one, if that is one.
  fileprivate mutating func append(constant text: some StringProtocol) {
    let bytes = Array<UInt8>(text.utf8)
    if bytes.isEmpty { return }
    if case .constant(let before)? = last {
      self[count - 1] = .constant(before + bytes)
    } else {
      append(.constant(bytes))
    }
  }
}
