import Bluetooth
import Model
import Source

/// Values of all rooms, from which an exception can be found.
struct RoomEvidence {
  fileprivate var addresses: [(address: BluetoothAddress, range: SourceRange)] = []
  /// For each value of a setting that numbers devices its difference from the number in the room's name.
  fileprivate var numbers: [(difference: Int, setting: SettingName, number: Int, range: SourceRange)] = []

  /// The secrets that can be guessed, one for each room.
  var guessable: [(name: SettingName, range: SourceRange)] = []
  /// What has a room's device paired by Just Works, one for each room.
  var unprotected: [SourceRange] = []

  mutating func note(_ address: BluetoothAddress, at range: SourceRange?) {
    if let range { addresses.append((address, range)) }
  }

  /// Records the number of a room with exactly one number in its name.
  mutating func note(_ value: SettingValue, _ setting: SettingName, of room: String, at range: SourceRange?) {
    guard let range, case .integer(let value) = value, let number = room.onlyNumber else { return }
    numbers.append((value - number, setting, value, range))
  }
}

extension ManifestDecoder {
  /// Warns about a valid value that differs from those of nearly all other rooms: it may be a typing error.
  mutating func warnOfSuspicious() {
    warnOfNumbers()
    warnOfAddresses()
    warnOfGuessable()
    warnOfUnprotected()
  }

  /// One warning for all rooms: the labels decide how long these secrets are.
  private mutating func warnOfGuessable() {
    guard let first = evidence.guessable.first else { return }
    warning(
      .guessableSecret,
      "this `\(first.name)` has less than \(SecurityRule.bits) random bits: in security 1 it can be guessed\(Self.more(evidence.guessable.count))",
      at: first.range,
      advice:
        "if the device has security 2, give its `username` or `security: 2`; otherwise provision it where nobody can imitate it"
    )
  }

  /// One warning for all rooms: what it says is the same for each.
  private mutating func warnOfUnprotected() {
    guard let first = evidence.unprotected.first else { return }
    warning(
      .unprotectedPairing,
      "Just Works protects against nobody who listens or interferes while the device is paired\(Self.more(evidence.unprotected.count))",
      at: first,
      advice:
        "what is written is as safe as the device's own security makes it; without one, provision it where nobody else can listen"
    )
  }

  private static func more(_ rooms: Int) -> String {
    rooms == 1 ? "" : ", as in \(rooms - 1) other room\(rooms == 2 ? "" : "s")"
  }

  private mutating func warnOfNumbers() {
    guard let (usual, others) = Self.usual(of: evidence.numbers, by: \.difference) else { return }
    for other in others {
      let words = usual == 0 ? "equal to the number in the room's name" : "that number and \(usual)"
      warning(
        .suspiciousNumber, "the \(other.setting) \(other.number) does not fit this room's name",
        at: other.range,
        advice: "the \(other.setting)s of the other rooms are \(words)")
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

  /// The value that at least 90 % of the items share, with the items that differ; nil without such a value or
  /// without exceptions.
  private static func usual<Item, Value: Hashable>(
    of items: [Item], by value: (Item) -> Value
  ) -> (Value, others: [Item])? {
    var counts: [Value: Int] = [:]
    for item in items { counts[value(item), default: 0] += 1 }
    guard let usual = counts.first(where: { $0.value * 10 >= items.count * 9 })?.key else { return nil }
    let others = items.filter { value($0) != usual }
    return others.isEmpty ? nil : (usual, others)
  }
}

extension String {
  /// The number in a name with exactly one number, below a million.
  fileprivate var onlyNumber: Int? {
    let numbers = utf8.split { !$0.isDigit }
    guard numbers.count == 1 else { return nil }
    return Int(Substring(numbers[0]), in: 0...999_999)
  }
}
