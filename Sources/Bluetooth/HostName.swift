/// The name of another computer whose adapters a run uses, as the manifest or an option gives it: `floor-3`.
///
/// At most 64 of a–z, 0–9 and hyphens between them; neither an adapter's name nor an address, so that a reference to an
/// adapter has one meaning.
package struct HostName: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let text: String

  /// Returns nil for any text that cannot be the name of a host.
  package init?(_ text: String) {
    let hyphen = UInt8(ascii: "-")
    var last = hyphen
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
      case hyphen where last != hyphen: break
      default: return nil
      }
      last = byte
    }
    let isAdapter =
      text.hasPrefix("hci") && Int(text.dropFirst(3)) != nil || BluetoothAddress(text) != nil
    guard last != hyphen, text.utf8.count <= 64, !isAdapter else { return nil }
    self.text = text
  }

  package static func < (a: Self, b: Self) -> Bool { a.text < b.text }

  package var description: String { text }
}

extension HostName: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let name = Self(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not the name of a host")
    }
    self = name
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
