import Model
import Source
import YAML

/// The sources of a manifest's passwords.
package struct ManifestPasswords: Hashable, Sendable {
  /// The names of the files that contain a password as text.
  package var files: Set<String> = []
  /// The environment variables of all passwords, also of unused networks.
  package var environment: Set<String> = []
}

/// The key `password`, and other keys of secrets: the text itself, or its source.
extension ManifestDecoder {
  /// Decodes a password. Nil when it is invalid, which has been reported.
  mutating func password(_ node: YAMLNode) -> Secret? { secret(node, "password") }

  /// Decodes a secret. Nil when it is invalid, which has been reported.
  /// - Parameters:
  ///   - isOnLabel: Whether it can come from a file of labels.
  ///   - isText: Whether another YAML reader must read it as text, too.
  mutating func secret(
    _ node: YAMLNode, _ key: String, isOnLabel: Bool = false, isText: Bool = true
  ) -> Secret? {
    if let entries = node.entries { return reference(node, entries, key, isOnLabel: isOnLabel) }
    hide(node)
    guard let text = node.text, !node.isNull else {
      return refused(
        .badSecretSource, "`\(key)` has no value, or more than one", at: node.range,
        advice: key == "password" ? "leave the key out for an open network" : "for none: \(key): \"\"")
    }
    if isInTypographicQuotes(node, key) { return nil }
    if let name = Self.placeholder(text) {
      return refused(
        .placeholderPassword, "`\(key)` is a placeholder, which roboprov does not replace", at: node.range,
        advice:
          "write the password itself, or where it comes from: \(key): { env: \(name ?? "WIFI_PASSWORD") }")
    }
    if !text.isEmpty { passwords.files.insert(texts.texts[node.range.text].name) }
    if isText { warnOfOtherMeaning(node, key) }
    return Secret(text)
  }

  /// Recognises a placeholder. The outer optional is nil for a text that may be a password; the inner one is
  /// the environment variable that the placeholder names, if it names one.
  private static func placeholder(_ text: String) -> String?? {
    func inside(_ start: String, _ end: String) -> String? {
      guard text.hasPrefix(start), text.hasSuffix(end) else { return nil }
      return String(text.dropFirst(start.count).dropLast(end.count))
    }
    if let name = inside("${", "}") { return SecretSource.isEnvironmentName(name) ? name : .some(nil) }
    if inside("{{", "}}") != nil || inside("<", ">") != nil { return .some(nil) }
    // `Changement` is a word, not a placeholder.
    let words = ["change-me", "changeme", "change_me", "change me"]
    let folded = text.lowercased()
    let isToBeChanged = words.contains {
      folded.hasPrefix($0) && folded.dropFirst($0.count).first?.isLetter != true
    }
    return isToBeChanged ? .some(nil) : nil
  }

  private mutating func reference(
    _ node: YAMLNode, _ entries: [YAMLNode.Entry], _ key: String, isOnLabel: Bool
  ) -> Secret? {
    let sources = isOnLabel ? Vocabulary.labelSources : Vocabulary.passwordSources
    guard
      let fields = fields(
        of: node, "a password's source", known: sources, isWiFi: true,
        elsewhere: { key in
          key != "labels"
            ? nil
            : (
              .badSecretSource, "a label does not have this secret",
              "`labels` is only for secrets on a device's label; the sources here: \(sources.listed)"
            )
        })
    else { return nil }
    let known = entries.filter { sources.contains($0.key) }
    guard let entry = known.first else {
      // The unknown keys have been reported.
      if entries.isEmpty {
        error(
          .badSecretSource, "`\(key)` has no source", at: node.range,
          advice: "for example: \(key): { env: WIFI_PASSWORD }")
      }
      for entry in entries { hideAll(entry.value) }
      return nil
    }
    if let second = known.first(where: { $0.key != entry.key }) {
      error(
        .badSecretSource, "`\(key)` has a source already", at: second.keyRange,
        notes: [.init("the first", at: entry.keyRange)], advice: "leave one of them out")
      for entry in known { hideAll(entry.value) }
      return nil
    }
    guard let source = source(entry, key), fields.all.count == entries.count else {
      hideAll(entry.value)
      return nil
    }
    let start = node.range.start
    return Secret(
      SecretReference(source, file: texts.texts[start.text].name, line: start.line, column: start.column))
  }

  private mutating func source(_ entry: YAMLNode.Entry, _ setting: String) -> SecretSource? {
    switch entry.key {
    case "env": environment(entry.value)
    case "file": path(entry, "./wifi.txt").map { .file($0) }
    case "labels":
      path(entry, "./labels.json").map { .labels($0, device: nil, setting: SettingName(rawValue: setting)) }
    case "command": command(entry.value)
    default: prompt(entry.value)
    }
  }

  private mutating func environment(_ node: YAMLNode) -> SecretSource? {
    // The text may be a password in the wrong place, so the message does not repeat it.
    guard let name = node.text, SecretSource.isEnvironmentName(name) else {
      return refused(
        .badSecretSource,
        "`env` takes the name of an environment variable: capital letters, digits and underscores",
        at: node.range, advice: "for example: password: { env: WIFI_PASSWORD }")
    }
    show(node.range)
    passwords.environment.insert(name)
    return .environment(name)
  }

  private mutating func path(_ entry: YAMLNode.Entry, _ example: String) -> String? {
    let node = entry.value
    guard let path = node.text, !node.isNull, !path.isEmpty, path.utf8.count < 4096, !path.contains("\0")
    else {
      return refused(
        .badSecretSource, "`\(entry.key)` takes the path of a file", at: node.range,
        advice: "for example: { \(entry.key): \(example) }; it is relative to this file")
    }
    // A text that does not look like a path may be a password in the wrong place.
    let isPath = ["/", "./", "../"].contains { path.hasPrefix($0) } && !path.contains(where: \.isWhitespace)
    if isPath { show(node.range) }
    return path
  }

  private mutating func command(_ node: YAMLNode) -> SecretSource? {
    guard let items = node.items, !items.isEmpty else {
      return refused(
        .badSecretSource, "`command` takes a list: a program and its arguments", at: node.range,
        advice: "for example: password: { command: [pass, show, wifi] }; no shell reads it")
    }
    var words: [String] = []
    for item in items {
      guard let word = item.text, !item.isNull, !word.contains("\0"), !words.isEmpty || !word.isEmpty else {
        return refused(
          .badSecretSource,
          words.isEmpty ? "this is not the name of a program" : "this is not an argument of a program",
          at: item.range, advice: "each item of `command` is a text")
      }
      words.append(word)
    }
    return .command(words)
  }

  private mutating func prompt(_ node: YAMLNode) -> SecretSource? {
    if node.text == "true" {
      show(node.range)
      return .prompt
    }
    let isMeant = node.text.flatMap(Self.meantTruth) == true
    return refused(
      .badSecretSource, "`prompt` takes `true` and nothing else", at: node.range,
      advice: isMeant
        ? "did you mean `true`?" : "without a prompt, use `env`, `file` or `command`")
  }

  /// Hides a text of at least 4 bytes in all messages, wherever it occurs.
  mutating func hide(_ node: YAMLNode) {
    if let text = node.text, text.utf8.count >= 4 { secrets.insert(text) }
  }

  mutating func hideAll(_ node: YAMLNode) {
    hide(node)
    for item in node.items ?? [] { hideAll(item) }
    for entry in node.entries ?? [] { hideAll(entry.value) }
  }
}
