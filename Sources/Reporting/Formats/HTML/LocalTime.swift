public import FoundationEssentials

/// Times as the people of one place read them, with the place's distance from UTC.
public struct LocalTime: Sendable {
  private let secondsFromUTC: @Sendable (Date) -> Int
  private static let style = Date.ISO8601FormatStyle()

  /// The time of a place.
  /// - Parameter secondsFromUTC: How many seconds the place's clocks are ahead of UTC at a time.
  public init(secondsFromUTC: @escaping @Sendable (Date) -> Int) {
    self.secondsFromUTC = secondsFromUTC
  }

  /// The time of a zone.
  public init(_ zone: TimeZone) {
    self.init { zone.secondsFromGMT(for: $0) }
  }

  /// Coordinated universal time.
  public static let utc = LocalTime { _ in 0 }

  /// Day: `2026-11-21`.
  func day(_ at: Date) -> String { String(local(at).prefix(10)) }

  /// Day and minute: `2026-11-21 10:00`.
  func minute(_ at: Date) -> String { "\(day(at)) \(local(at).dropFirst(11).prefix(5))" }

  /// Time of the day to the second: `10:00:12`.
  func second(_ at: Date) -> String { String(local(at).dropFirst(11).prefix(8)) }

  /// How far its clocks are ahead of UTC: `UTC+01:00`.
  func offset(_ at: Date) -> String {
    let minutes = secondsFromUTC(at) / 60
    if minutes == 0 { return "UTC" }
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "UTC\(minutes < 0 ? "-" : "+")\(digits(abs(minutes) / 60)):\(digits(abs(minutes) % 60))"
  }

  /// In UTC, to the second: `2026-11-21 09:00:12 UTC`.
  func universal(_ at: Date) -> String {
    let text = Self.style.format(at)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
  }

  private func local(_ at: Date) -> String {
    Self.style.format(at.addingTimeInterval(Double(secondsFromUTC(at))))
  }
}
