import Hex

/// Replaces each Bluetooth address with a pseudonym, the same in every file: `00:00:00:00:00:17`.
///
/// An address is six pairs of hex digits separated by `:`, `-` or `_` (a D-Bus path has `dev_C4_7C_…`). Any
/// twelve digits could be an address without separators, so only those are replaced that occur elsewhere with
/// separators.
struct AddressPseudonyms {
  private var numbers: [UInt64: Int] = [:]

  /// The number of addresses.
  var count: Int { numbers.count }

  /// Adds the addresses in a text.
  mutating func learn(_ text: [UInt8]) {
    Self.visit(text) { found in
      if case .separated(let values) = found.form, values.count == 1 { note(values[0]) }
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
      switch found.form {
      case .separated(let values):
        var index = 0
        while index < values.count {
          guard let number = numbers[values[index]] else {
            index += 1
            continue
          }
          Self.write(number, into: &result, at: found.start + 3 * index, stride: 3)
          index += 6
        }
      case .bare(let length):
        var index = found.start
        while index + 12 <= found.start + length {
          guard let number = numbers[Self.value(text, index)] else {
            index += 1
            continue
          }
          Self.write(number, into: &result, at: index, stride: 2)
          index += 12
        }
      }
    }
    return result
  }

  // MARK: Finding

  private struct Found {
    enum Form {
      /// Pairs of digits with one separator: the values of every six consecutive pairs.
      case separated([UInt64])
      /// A sequence of this many digits, at least twelve.
      case bare(Int)
    }

    var start: Int
    var form: Form
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
      if digits >= 12, digits != hashDigits { body(Found(start: start, form: .bare(digits))) }
      guard digits == 2, index < text.count, ":-_".utf8.contains(text[index]) else { continue }
      let separator = text[index]
      var pairs = 1
      while index < text.count, text[index] == separator, run(text, index + 1) == 2 {
        pairs += 1
        index += 3
      }
      guard pairs >= 6 else { continue }
      body(Found(start: start, form: .separated((0...(pairs - 6)).map { six(text, start + 3 * $0) })))
    }
  }

  private static let isDigit: [Bool] = (0...255).map { UInt8(hexDigit: $0) != nil }

  /// The number of consecutive digits from `start`.
  private static func run(_ text: [UInt8], _ start: Int) -> Int {
    var end = start
    while end < text.count, isDigit[Int(text[end])] { end += 1 }
    return end - start
  }

  private static func six(_ text: [UInt8], _ start: Int) -> UInt64 {
    (0..<6).reduce(0) {
      $0 << 8 | hexValue(text, start + 3 * $1) << 4 | hexValue(text, start + 3 * $1 + 1)
    }
  }

  private static func value(_ text: [UInt8], _ start: Int) -> UInt64 {
    (0..<12).reduce(0) { $0 << 4 | hexValue(text, start + $1) }
  }

  /// The value of a hex digit.
  private static func hexValue(_ text: [UInt8], _ index: Int) -> UInt64 {
    UInt64(UInt8(hexDigit: text[index]) ?? 0)
  }

  /// Writes decimal digits, which do not depend on the case.
  private static func write(_ number: Int, into text: inout [UInt8], at start: Int, stride: Int) {
    var rest = number
    for pair in (0..<6).reversed() {
      for place in [1, 0] {
        text[start + stride * pair + place] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
    }
  }
}
