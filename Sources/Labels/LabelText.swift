public import Bluetooth

/// Finds the address in what a barcode scanner or a person types: a bare address, or the text of a QR code.
///
/// An address is six pairs of hex digits with the same separator between them (`:`, `-`, `.`, `_` or a space), three groups of
/// four (`C47C.8D00.0001`), or twelve digits without one, in either case; before and behind it is something else. Whatever says
/// of itself that it is a serial or article number is none.
public enum LabelText {
  /// The most bytes that are looked at: more than any QR code has.
  public static let maximumBytes = 4296

  /// The one address in a text.
  /// - Throws: why there is none, or why it is not certain which.
  public static func address(in text: String) throws(LabelProblem) -> BluetoothAddress {
    guard text.utf8.count <= maximumBytes else { throw .tooLong }
    let words = Words(text.replacingOccurrencesOfEncodedColons)
    guard !words.all.isEmpty else { throw .empty }
    let found = words.addresses
    guard let address = found.first else {
      throw .noAddress(digits: words.all.count == 1 ? words.all[0].hexDigits : nil)
    }
    guard found.count == 1 else { throw .several(found) }
    guard address.rawValue != 0, address.rawValue != 0xFFFF_FFFF_FFFF else { throw .notADevice(address) }
    return address
  }
}

/// Why no address was found in a text.
public enum LabelProblem: Error, Hashable, Sendable {
  /// There is nothing in it.
  case empty
  /// It is longer than any label.
  case tooLong
  /// There is none. `digits`: how many hex digits it has, where it has nothing else.
  case noAddress(digits: Int?)
  /// There are several, in the order of the text.
  case several([BluetoothAddress])
  /// It is the address of no device: all zeros, or all ones.
  case notADevice(BluetoothAddress)
}

/// A text as words of letters and digits, and what is between them.
private struct Words {
  struct Word {
    var text: Substring
    /// What is between the word before and this one.
    var separator: Substring

    /// How many hex digits it is; nil where it is something else.
    var hexDigits: Int? { text.allSatisfy { $0.isASCII && $0.isHexDigit } ? text.count : nil }

    var value: UInt64? { hexDigits == nil ? nil : UInt64(text, radix: 16) }
  }

  private(set) var all: [Word] = []

  init(_ text: String) {
    var rest = text[...]
    while true {
      let separator = rest.prefix { !$0.isWordCharacter }
      rest = rest[separator.endIndex...]
      let word = rest.prefix(while: \.isWordCharacter)
      if word.isEmpty { return }
      // `0xC47C8D000001`
      let isPrefixed = word.count == 14 && word.lowercased().hasPrefix("0x")
      all.append(Word(text: isPrefixed ? word.dropFirst(2) : word, separator: separator))
      rest = rest[word.endIndex...]
    }
  }

  /// Each address once, in the order of the text.
  var addresses: [BluetoothAddress] {
    var found: [BluetoothAddress] = []
    var index = 0
    while index < all.count {
      let group = self.group(at: index)
      guard let address = address(of: group), !isSomethingElse(group) else {
        index += 1
        continue
      }
      if !found.contains(address) { found.append(address) }
      index = group.upperBound
    }
    return found
  }

  /// The words from here on that are hex digits with one and the same separator between them, and equally many of them.
  private func group(at index: Int) -> Range<Int> {
    guard let digits = all[index].hexDigits, digits == 2 || digits == 4 else { return index..<index + 1 }
    var end = index + 1
    while end < all.count, all[end].hexDigits == digits, all[end].separator.isSeparator,
      end == index + 1 || all[end].separator == all[index + 1].separator
    {
      end += 1
    }
    return index..<end
  }

  private func address(of group: Range<Int>) -> BluetoothAddress? {
    let digits = all[group].reduce(0) { $0 + ($1.hexDigits ?? 100) }
    guard digits == 12 else { return nil }
    let bits = UInt64(48 / group.count)
    return BluetoothAddress(
      rawValue: all[group].reduce(0) { $0 << bits | ($1.value ?? 0) })
  }

  /// Whether digits are a part of something longer, or say that they are another number.
  private func isSomethingElse(_ group: Range<Int>) -> Bool {
    let isBare = group.count == 1
    if group.upperBound < all.count {
      let next = all[group.upperBound]
      if isJoined(next) || isBare && next.separator == "-" && next.hexDigits != nil { return true }
      if !isBare, goesOn(group, next.separator), next.hexDigits != nil { return true }
    }
    guard group.lowerBound > 0 else { return false }
    let previous = all[group.lowerBound - 1]
    let separator = all[group.lowerBound].separator
    // The end of a UUID.
    if isBare, separator == "-", (previous.hexDigits ?? 0) >= 4 { return true }
    if !isBare, separator == all[group.lowerBound + 1].separator,
      previous.hexDigits == all[group.lowerBound].hexDigits
        || goesOn(group, separator) && previous.hexDigits != nil
    {
      return true
    }
    return isKey(previous, before: separator)
  }

  /// Whether what is beside a group is joined to it as its own words are: the middle of a UUID is no address.
  private func goesOn(_ group: Range<Int>, _ separator: Substring) -> Bool {
    separator != " " && separator == all[group.lowerBound + 1].separator
  }

  /// Whether a word of hex digits goes on with those before it.
  private func isJoined(_ word: Word) -> Bool {
    [2, 4].contains(word.hexDigits) && [":", "-", "."].contains(word.separator)
  }

  /// Whether a word before a number says that it is no address.
  private func isKey(_ word: Word, before separator: Substring) -> Bool {
    guard separator.count <= 3, !separator.contains(where: { ";,&|\n".contains($0) }) else { return false }
    let keys = [
      "sn", "s", "n", "ser", "serial", "serialno", "serialnumber", "no", "nr", "lot", "batch", "ean", "upc",
      "gtin", "pn", "part", "imei", "date", "order",
    ]
    return keys.contains(word.text.lowercased())
  }
}

extension Character {
  fileprivate var isWordCharacter: Bool { isLetter || isNumber }
}

extension Substring {
  /// Whether it may be between the pairs of an address.
  fileprivate var isSeparator: Bool { [":", "-", ".", "_", " "].contains(self) }
}

extension String {
  /// Colons, as URLs may have them.
  fileprivate var replacingOccurrencesOfEncodedColons: String {
    replacing("%3A", with: ":").replacing("%3a", with: ":")
  }
}
