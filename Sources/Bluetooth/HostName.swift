import Synchronization

/// The name of another computer whose adapters a run uses, as the manifest or an option gives it: `floor-3`.
///
/// At most 64 of a–z, 0–9 and hyphens between them; neither an adapter's name nor an address, so that a reference to an
/// adapter has one meaning.
package struct HostName: Hashable, Sendable, CustomStringConvertible {
  /// The names that this process has met. A name is its place here, so that an adapter's identity, of which there are
  /// millions, is as small as an address.
  private struct Known {
    var texts: [String] = []
    var places: [String: UInt16] = [:]
  }

  private static let known = Mutex(Known())

  /// Its place among the known names, from 1.
  let number: UInt16

  init?(number: UInt16) {
    guard number > 0 else { return nil }
    self.number = number
  }

  package var text: String { Self.known.withLock { $0.texts[Int(number) - 1] } }

  /// Returns nil for any text that cannot be the name of a host, and for the 65,536th name of a process.
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
      text.hasPrefix("hci") && UInt16(text.dropFirst(3)) != nil || BluetoothAddress(text) != nil
    guard last != hyphen, text.utf8.count <= 64, !isAdapter else { return nil }
    let number = Self.known.withLock { known -> UInt16? in
      if let number = known.places[text] { return number }
      guard known.texts.count < UInt16.max else { return nil }
      known.texts.append(text)
      known.places[text] = UInt16(known.texts.count)
      return UInt16(known.texts.count)
    }
    guard let number else { return nil }
    self.number = number
  }

  package var description: String { text }
}

extension HostName: Comparable {
  package static func < (a: Self, b: Self) -> Bool { a.text < b.text }
}

extension HostName: WrittenAsText {
  package static let nounForErrors = "the name of a host"
}
