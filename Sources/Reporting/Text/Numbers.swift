/// Numbers in reports, independent of any language.
enum Decimal {
  /// A number with exactly `places` (1…6) decimals, rounded; nil for a value that is no number or too large
  /// for a report.
  static func fixed(_ value: Double, places: Int) -> String? {
    guard value.isFinite, value.magnitude < 1e12 else { return nil }
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = Int64((value.magnitude * scale).rounded())
    let digits = String(scaled)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    let sign = value < 0 && scaled != 0 ? "-" : ""
    return sign + padded.dropLast(places) + "." + padded.suffix(places)
  }

  /// A number to the thousandth without trailing zeros: `12.5`, `0.013`, `3`.
  static func short(_ value: Double) -> String? {
    guard var text = fixed(value, places: 3) else { return nil }
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
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
