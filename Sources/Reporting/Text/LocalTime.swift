package import FoundationEssentials
import Model

/// Local times, with their distance from UTC.
package struct LocalTime: Sendable {
  private let secondsFromUTC: @Sendable (Date) -> Int
  /// The zone after a time in a sentence; empty for local times, whose zone a page says once.
  private var zone = ""
  /// The instant whose day a sentence calls today; nil in files, which are read on other days.
  private var now: Date?
  private static let style = Date.ISO8601FormatStyle()

  /// A local time.
  /// - Parameter secondsFromUTC: How many seconds the local clock is ahead of UTC at an instant.
  package init(secondsFromUTC: @escaping @Sendable (Date) -> Int) {
    self.secondsFromUTC = secondsFromUTC
  }

  /// Coordinated universal time.
  package static let utc: LocalTime = {
    var times = LocalTime { _ in 0 }
    times.zone = " UTC"
    return times
  }()

  /// The same, for sentences that are read at this instant.
  package func read(at now: Date) -> LocalTime {
    var times = self
    times.now = now
    return times
  }

  /// Day: `2026-11-21`.
  package func day(_ at: Date) -> String { String(local(at).prefix(10)) }

  /// Day and minute: `2026-11-21 10:00`.
  package func minute(_ at: Date) -> String { "\(day(at)) \(local(at).dropFirst(11).prefix(5))" }

  /// The minute in a sentence: `today 10:00`, `2026-11-21 10:00`, or in UTC `2026-11-21 09:00 UTC`.
  func moment(_ at: Date) -> String {
    let minute = minute(at)
    return (now.map(day) == day(at) ? "today \(minute.suffix(5))" : minute) + zone
  }

  /// Time of the day to the second: `10:00:12`.
  func second(_ at: Date) -> String { String(local(at).dropFirst(11).prefix(8)) }

  /// Day and time to the millisecond: `2026-11-21 10:00:12.250`.
  func millisecond(_ at: Date) -> String {
    let text = RunEvent.timestamp(at.addingTimeInterval(Double(secondsFromUTC(at))))
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(12))"
  }

  /// The distance from UTC at an instant: `UTC+01:00`.
  package func offset(_ at: Date) -> String {
    let minutes = secondsFromUTC(at) / 60
    if minutes == 0 { return "UTC" }
    func digits(_ number: UInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "UTC\(minutes < 0 ? "-" : "+")\(digits(minutes.magnitude / 60)):\(digits(minutes.magnitude % 60))"
  }

  /// Day and time to the second, with the distance from UTC: `2026-11-21 10:00:12 UTC+01:00`.
  package func instant(_ at: Date) -> String { "\(day(at)) \(second(at)) \(offset(at))" }

  /// In UTC, to the second: `2026-11-21 09:00:12 UTC`.
  func universal(_ at: Date) -> String {
    let text = Self.style.format(at)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
  }

  private func local(_ at: Date) -> String {
    Self.style.format(at.addingTimeInterval(Double(secondsFromUTC(at))))
  }
}
