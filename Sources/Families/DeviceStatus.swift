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
  /// The text for people and for the record: the value in hex, if its family's statuses are no text.
  package let text: String

  package init(_ value: [UInt8], by rule: StatusRule) {
    // Compared byte by byte: in a String, a combining character after a prefix would be part of it.
    meaning =
      if value == rule.ready {
        .ready
      } else if value == rule.saved {
        .saved
      } else if rule.refusals.contains(where: value.starts(with:)) {
        .refusal
      } else {
        .other
      }
    text = rule.isText ? String(decoding: value, as: UTF8.self) : "0x\(value.hex())"
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
  /// Whether all values with a meaning are printable ASCII.
  fileprivate var isText: Bool {
    ([ready, saved].compactMap(\.self) + refusals).joined().allSatisfy { (0x20...0x7E).contains($0) }
  }
}
