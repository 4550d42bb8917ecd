/// Numbers in reports, independent of any language.
enum Decimal {
  /// A number with exactly `places` (1…6) decimals, rounded; nil for a value that is no number or too large
  /// for a report.
  static func fixed(_ value: Double, places: Int) -> String? {
    guard value.isFinite, value.magnitude < 1e12 else { return nil }
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    return text(value < 0, UInt64((value.magnitude * scale).rounded()), places: places)
  }

  /// A number to the thousandth without trailing zeros: `12.5`, `0.013`, `3`.
  static func short(_ value: Double) -> String? {
    guard value.isFinite, value.magnitude < 1e12 else { return nil }
    var (digits, places) = (UInt64((value.magnitude * 1000).rounded()), 3)
    while places > 0, digits.isMultiple(of: 10) { (digits, places) = (digits / 10, places - 1) }
    return text(value < 0, digits, places: places)
  }

  /// A number from its digits, with its point before the last `places` of them; zero has no sign.
  private static func text(_ isNegative: Bool, _ digits: UInt64, places: Int) -> String {
    // From the last byte to the first: 18 digits, a leading zero, the point and the sign at most.
    var bytes = [UInt8](repeating: 0, count: 24)
    var (begin, rest, written) = (bytes.count, digits, 0)
    func put(_ byte: UInt8) {
      begin -= 1
      bytes[begin] = byte
    }
    repeat {
      if written == places, places > 0 { put(UInt8(ascii: ".")) }
      put(UInt8(ascii: "0") + UInt8(rest % 10))
      (rest, written) = (rest / 10, written + 1)
    } while rest > 0 || written <= places
    if isNegative, digits != 0 { put(UInt8(ascii: "-")) }
    return String(decoding: bytes[begin...], as: UTF8.self)
  }
}

extension Double {
  /// Seconds for a sentence: `0.3 s`, `15 s`, `2 min 5 s`.
  package var asSeconds: String {
    guard isFinite, magnitude < 1e12 else { return "? s" }
    if self < 60 { return (Decimal.short((self * 10).rounded() / 10) ?? "?") + " s" }
    let whole = Int(self.rounded())
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60)
    return hours > 0 ? "\(hours) h \(minutes) min" : "\(minutes) min \(seconds) s"
  }
}

extension Int {
  /// `1 room`, `2 rooms`.
  package var rooms: String { counted("room") }

  /// The count with a noun of regular plural: `1 link`, `2 links`.
  package func counted(_ noun: String) -> String { "\(self) \(noun)" + (self == 1 ? "" : "s") }
}
