/// A machine name with a type of its own, so that the compiler keeps the names of rooms and profiles apart.
/// Frozen once released. It is no `RawRepresentable`, which the standard library hashes and compares far more slowly.
package struct Identifier<Subject>: Hashable, Sendable, Codable, Comparable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
  package init(stringLiteral value: String) { rawValue = value }
  package var description: String { rawValue }

  /// A recorded name. Ids become names of files, so one that could not be a file's name is an error where it is read.
  package init?(recorded text: String) {
    guard text.isFileName else { return nil }
    rawValue = text
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = Self(recorded: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "an id that cannot be a file's name")
    }
    self = id
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }

  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The machine name of a setting, in snake_case: `minor`, `wifi_ssid`.
package typealias SettingName = Identifier<SettingDescription>

extension String {
  /// Whether it is safe as a file name: 1 to 200 bytes of letters, digits, `-`, `_` and `.`, not beginning with a
  /// dot.
  package var isFileName: Bool {
    !isEmpty && utf8.count <= 200 && utf8.first != UInt8(ascii: ".")
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}
