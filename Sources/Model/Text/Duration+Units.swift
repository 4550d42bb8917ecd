extension Duration {
  /// Whole microseconds, rounded down.
  package var inMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }

  /// The value in seconds, to the microsecond, for records and reports.
  package var inSeconds: Double {
    Double(inMicroseconds) / 1_000_000
  }

  /// A duration in the format of manifests and scenarios: a whole number without leading zero and `ms`, `s`
  /// or `m`, like `500ms`, `15s` or `2m`. Nil for any other text. A number beyond 10⁹ is read as 10⁹: no value may be
  /// so long, and the caller, which knows the range, refuses it.
  package init?(written text: String) {
    let number = text.utf8.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    let digits = number.first == UInt8(ascii: "-") ? number.dropFirst() : number
    guard !digits.isEmpty, digits.allSatisfy({ $0 != UInt8(ascii: "-") }),
      digits.count == 1 || digits.first != UInt8(ascii: "0")
    else { return nil }
    let most = 1_000_000_000
    let size = Int(Substring(digits), in: 0...most) ?? most
    let count = digits.count < number.count ? -size : size
    switch Substring(text.utf8[number.endIndex...]) {
    case "ms": self = .milliseconds(count)
    case "s": self = .seconds(count)
    case "m": self = .seconds(count * 60)
    default: return nil
    }
  }

  /// The text format: `15s`, `500ms`, or `100.625ms` for a fraction of a millisecond.
  package var written: String {
    let microseconds = inMicroseconds
    if microseconds % 1_000_000 == 0 { return "\(microseconds / 1_000_000)s" }
    let fraction = microseconds % 1000
    if fraction == 0 { return "\(microseconds / 1000)ms" }
    let digits = "\(1000 + fraction)".dropFirst()
    return "\(microseconds / 1000).\(digits)ms"
  }
}
