import Bluetooth
import Hex
package import Model

/// A value of a family's status characteristic.
package struct DeviceStatus: Hashable, Sendable {
  package enum Meaning: Hashable, Sendable {
    case ready
    case saved
    case refusal
    case other
  }

  package let meaning: Meaning
  /// The text for people and for the record: the value in hex, if its family's statuses are no text; of JSON only the
  /// values that the description names.
  package let text: String

  /// - Parameter room: that of the device; nil for one whose family compares no settings and has no secret.
  package init(_ value: [UInt8], by rule: StatusRule, in room: Room? = nil) {
    let settings = room?.settings ?? [:]
    // Compared byte by byte: in a String, a combining character after a prefix would be part of it.
    let comparisons = rule.saved.map { $0.compare(value, settings) }
    meaning =
      if rule.ready?.compare(value, settings) == .equal {
        .ready
      } else if comparisons.last == .equal {
        .saved
      } else if rule.refusals.contains(where: { $0.refuses(value, settings) }) {
        .refusal
      } else if !comparisons.contains(.equal), comparisons.contains(.differs) {
        .refusal
      } else {
        .other
      }
    text = rule.text(
      of: value, answers: room?.family.characteristics.compactMap(\.answer) ?? [],
      hidesBytes: room?.family.hidesBytes ?? false)
  }

  package var isRefusal: Bool { meaning == .refusal }

  /// The meaning before any write: a refusal or `saved` is left from an earlier attempt.
  var meaningBeforeWriting: StatusMeaning {
    switch meaning {
    case .ready: .ready
    case .saved, .refusal: .stale
    case .other: .other
    }
  }
}

extension StatusRule {
  /// - Parameter hidesBytes: whether only what the description has may be shown (`DeviceFamily.hidesBytes`).
  fileprivate func text(of value: [UInt8], answers: [StatusPattern], hidesBytes: Bool) -> String {
    let patterns = [ready].compactMap(\.self) + saved + refusals + answers
    // Whether all values with a meaning are printable ASCII.
    let isText = patterns.compactMap(\.literal).joined().allSatisfy { (0x20...0x7E).contains($0) }
    func text(_ value: some Collection<UInt8>) -> String {
      isText ? String(decoding: value, as: UTF8.self) : "0x\(value.hex())"
    }
    if let message = JSONMessage(value), patterns.contains(where: { $0.literal == nil }) {
      return message.text(of: patterns, hidesValues: hidesBytes)
    }
    guard hidesBytes else { return text(value) }
    let known =
      patterns.compactMap(\.literal).filter { value.starts(with: $0) }.max { $0.count < $1.count } ?? []
    return (known.isEmpty ? "" : text(known)) + (known.count < value.count ? Redactor.mark : "")
  }
}

extension JSONMessage {
  /// The values that patterns name.
  fileprivate func text(of patterns: [StatusPattern], hidesValues: Bool) -> String {
    var expected: [String: Set<String>] = [:]
    var paths: [[String]] = []
    for case .message(let all) in patterns {
      for one in all {
        let name = one.path.joined(separator: ".")
        if expected[name] == nil { paths.append(one.path) }
        if case .text(let text) = one.value {
          expected[name, default: []].insert(text)
        } else {
          expected[name, default: []] = []
        }
      }
    }
    let texts = paths.compactMap { path -> String? in
      let name = path.joined(separator: ".")
      return value(at: path).map { value in
        "\(name) \(hidesValues && expected[name]?.contains(value) != true ? Redactor.mark : value)"
      }
    }
    return texts.isEmpty ? "another message" : texts.joined(separator: ", ")
  }
}
