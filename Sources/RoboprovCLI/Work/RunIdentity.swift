import Foundation
import Hex

/// Who a run is, among all runs of all hosts.
struct RunIdentity: Sendable {
  /// When it began, by the wall clock.
  let began: Date
  /// The host.
  let host: String
  /// Its id: globally unique, naming time and host, fit for a folder: `20261121T090000Z-laptop-1f3a9c`.
  let id: String

  /// A run that begins now.
  init() {
    began = Date()
    host = HostEnvironment.hostName
    let stamp = began.formatted(
      Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
    let safeHost = host.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }.prefix(32)
    let chance = UInt32.random(in: 0...0xFFFFFF).hex(digits: 6)
    id = "\(stamp)-\(String(safeHost))-\(chance)"
  }
}
