extension Sequence<UInt8> {
  /// The bytes in hexadecimal, two digits per byte, without separators.
  package func hex(uppercase: Bool = false) -> String {
    Array(self).digits(uppercase: uppercase)
  }
}

extension Array<UInt8> {
  /// Not generic, for speed: the hash chain of a journal formats two hashes per event.
  fileprivate func digits(uppercase: Bool) -> String {
    let ten = uppercase ? UInt8(ascii: "A") : UInt8(ascii: "a")
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : ten + value - 10 }
    var text: [UInt8] = []
    text.reserveCapacity(2 * count)
    for byte in self {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension Array<UInt8> {
  /// Parses hexadecimal digits of either case, two per byte. Nil for any other character or an odd number of
  /// digits.
  package init?(hex text: some StringProtocol) {
    self.init(hexDigits: text.utf8)
  }

  /// As `init(hex:)`, from ASCII codes.
  package init?(hexDigits digits: some Sequence<UInt8>) {
    var bytes: [UInt8] = []
    var half: UInt8?
    for digit in digits {
      guard let value = UInt8(hexDigit: digit) else { return nil }
      if let high = half {
        bytes.append(high << 4 | value)
        half = nil
      } else {
        half = value
      }
    }
    if half != nil { return nil }
    self = bytes
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit, 0 to 15, from its ASCII code; nil for any other code.
  package init?(hexDigit code: UInt8) {
    switch code {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self = code - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self = code - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self = code - UInt8(ascii: "A") + 10
    default: return nil
    }
  }
}

extension BinaryInteger {
  /// The number in hexadecimal, padded with zeros to at least `least` digits.
  package func hex(digits least: Int, uppercase: Bool = false) -> String {
    let text = String(self, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: Swift.max(0, least - text.count)) + text
  }
}
