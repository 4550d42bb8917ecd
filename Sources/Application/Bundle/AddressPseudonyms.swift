import Hex

/// Replaces each Bluetooth address with a pseudonym, the same in every file: `00:00:00:00:00:17`.
///
/// An address is written as `BluetoothAddress` reads it. Any twelve digits, and three groups of four, could be
/// something else, so they and pairs with other separators than `:`, `-` and `_` are only replaced if the address
/// is known.
struct AddressPseudonyms {
  private var numbers: [UInt64: Int] = [:]

  /// The number of addresses.
  var count: Int { numbers.count }

  /// Adds the addresses in a text.
  mutating func learn(_ text: [UInt8]) {
    Self.visit(text) { found in
      if found.group == 2, found.places.count == 1, ":-_".utf8.contains(text[found.start + 2]) {
        note(Self.value(text, found.start, found.group))
      }
    }
  }

  /// Adds an address.
  mutating func note(_ address: UInt64) {
    if numbers[address] == nil { numbers[address] = numbers.count + 1 }
  }

  /// The text with pseudonyms and unchanged separators.
  func replacing(_ text: [UInt8]) -> [UInt8] {
    var result = text
    Self.visit(text) { found in
      var end = 0
      for place in found.places where place >= end {
        guard let number = numbers[Self.value(text, place, found.group)] else { continue }
        Self.write(number, into: &result, at: place, found.group)
        end = place + 12 + (12 / found.group - 1)
      }
    }
    return result
  }

  // MARK: Finding

  /// Consecutive digits, or groups of 2 or 4 digits with one separator.
  private struct Found {
    var start: Int
    /// The number of digits in a group; 12 without separators.
    var group: Int
    /// The places at which an address can begin.
    var places: [Int]
  }

  /// The number of digits of a hash in the record, which contains no address.
  private static let hashDigits = 64

  private static func visit(_ text: [UInt8], _ body: (Found) -> Void) {
    var index = 0
    while index < text.count {
      guard isDigit[Int(text[index])] else {
        index += 1
        continue
      }
      let start = index
      let digits = run(text, start)
      index = start + digits
      if digits >= 12, digits != hashDigits {
        body(Found(start: start, group: 12, places: Array(start...index - 12)))
      }
      guard digits == 2 || digits == 4, index < text.count, ":-_. ".utf8.contains(text[index]) else {
        continue
      }
      let separator = text[index]
      var groups = 1
      var end = index
      while end < text.count, text[end] == separator, run(text, end + 1) == digits {
        groups += 1
        end += digits + 1
      }
      guard groups * digits >= 12 else { continue }
      let places = (0...(groups - 12 / digits)).map { start + (digits + 1) * $0 }
      body(Found(start: start, group: digits, places: places))
      // The last group may be the first one of an address with another separator.
      index = end - digits
    }
  }

  private static let isDigit: [Bool] = (0...255).map { UInt8(hexDigit: $0) != nil }

  /// The number of consecutive digits from `start`.
  private static func run(_ text: [UInt8], _ start: Int) -> Int {
    var end = start
    while end < text.count, isDigit[Int(text[end])] { end += 1 }
    return end - start
  }

  /// The value of the twelve digits from `start`, in groups of this many.
  private static func value(_ text: [UInt8], _ start: Int, _ group: Int) -> UInt64 {
    (0..<12).reduce(0) { $0 << 4 | hexValue(text, start + $1 + $1 / group) }
  }

  /// The value of a hex digit.
  private static func hexValue(_ text: [UInt8], _ index: Int) -> UInt64 {
    UInt64(UInt8(hexDigit: text[index]) ?? 0)
  }

  /// Writes decimal digits, which do not depend on the case.
  private static func write(_ number: Int, into text: inout [UInt8], at start: Int, _ group: Int) {
    var rest = number
    for place in (0..<12).reversed() {
      text[start + place + place / group] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
  }
}
