/// A value that a device reports.
package enum StatusPattern: Hashable, Sendable {
  /// These bytes; of a refusal, their beginning.
  case bytes([UInt8])
  /// JSON whose first value names the message; the others are compared.
  case message([Expected])

  /// A value in JSON.
  package struct Expected: Hashable, Sendable {
    package var path: [String]
    package var value: Wanted

    package init(_ path: [String], _ value: Wanted) { (self.path, self.value) = (path, value) }
  }

  package enum Wanted: Hashable, Sendable {
    case text(String)
    /// That of the room.
    case setting(SettingName)
  }

  /// What a status is to a pattern.
  package enum Comparison: Hashable, Sendable {
    case other
    /// The named message with other values.
    case differs
    case equal
  }

  /// Compares a status.
  /// - Parameter settings: those of the room.
  package func compare(_ status: [UInt8], _ settings: [SettingName: SettingValue]) -> Comparison {
    switch self {
    case .bytes(let bytes): return status == bytes ? .equal : .other
    case .message(let expected):
      guard let message = JSONMessage(status), let name = expected.first, name.isMet(by: message, settings)
      else {
        return .other
      }
      return expected.allSatisfy { $0.isMet(by: message, settings) } ? .equal : .differs
    }
  }

  /// Whether a status is a refusal by this pattern.
  package func refuses(_ status: [UInt8], _ settings: [SettingName: SettingValue]) -> Bool {
    if case .bytes(let bytes) = self {
      status.starts(with: bytes)
    } else {
      compare(status, settings) == .equal
    }
  }

  package var literal: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}

extension StatusPattern.Expected {
  fileprivate func isMet(by message: JSONMessage, _ settings: [SettingName: SettingValue]) -> Bool {
    guard let held = message.value(at: path) else { return false }
    switch value {
    case .text(let text): return held == text
    case .setting(let name):
      if case .secret(let secret)? = settings[name] { return held == secret.reveal() }
      return held == settings[name]?.shown
    }
  }
}
