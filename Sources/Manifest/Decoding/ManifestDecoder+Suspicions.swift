import Bluetooth
import Model
import Source

/// What rooms have in common, so that the one that differs can be found.
struct RoomEvidence {
  fileprivate var addresses: [(address: BluetoothAddress, range: SourceRange)] = []
  /// How far each minor is from the number in its room's name.
  fileprivate var minors: [(difference: Int, minor: Int, range: SourceRange)] = []

  /// Takes note of an address that a room gives.
  mutating func note(_ address: BluetoothAddress, at range: SourceRange?) {
    if let range { addresses.append((address, range)) }
  }

  /// Takes note of the minor of a room that has a number in its name.
  mutating func note(_ minor: SettingValue, of room: String, at range: SourceRange?) {
    guard let range, case .integer(let minor) = minor, let number = room.onlyNumber else { return }
    minors.append((minor - number, minor, range))
  }
}

extension ManifestDecoder {
  /// How many rooms are needed before one of them can be suspicious.
  private static let fewest = 8

  /// Warns of what is possible, but differs from nearly all other rooms: a mistake in typing looks so.
  mutating func warnOfSuspicious() {
    warnOfMinors()
    warnOfAddresses()
  }

  private mutating func warnOfMinors() {
    guard let (usual, others) = Self.usual(of: evidence.minors, by: \.difference) else { return }
    for other in others {
      let words = usual == 0 ? "equal to the number in the room's name" : "that number and \(usual)"
      warning(
        .suspiciousMinor, "the minor \(other.minor) does not fit this room's name", at: other.range,
        advice: "the minors of the other rooms are \(words)")
    }
  }

  private mutating func warnOfAddresses() {
    guard let (usual, others) = Self.usual(of: evidence.addresses, by: \.address.manufacturer) else { return }
    for other in others {
      warning(
        .suspiciousAddress, "this address does not begin like those of the other rooms", at: other.range,
        advice:
          "theirs begin with \(BluetoothAddress(rawValue: usual << 24).description.prefix(8)): compare it with the label"
      )
    }
  }

  /// What nine of ten have in common, and those that differ; nil where there is nothing of that kind.
  private static func usual<Item, Value: Hashable>(
    of items: [Item], by value: (Item) -> Value
  ) -> (Value, others: [Item])? {
    guard items.count >= fewest else { return nil }
    var counts: [Value: Int] = [:]
    for item in items { counts[value(item), default: 0] += 1 }
    guard let usual = counts.first(where: { $0.value * 10 >= items.count * 9 })?.key else { return nil }
    let others = items.filter { value($0) != usual }
    return others.isEmpty ? nil : (usual, others)
  }
}

extension BluetoothAddress {
  /// Its first three bytes, which tell the manufacturer.
  fileprivate var manufacturer: UInt64 { rawValue >> 24 }
}

extension String {
  /// The number in a name that has exactly one.
  fileprivate var onlyNumber: Int? {
    let numbers = utf8.split { !(0x30...0x39).contains($0) }
    guard numbers.count == 1, numbers[0].count <= 6 else { return nil }
    return Int(Substring(numbers[0]))
  }
}
