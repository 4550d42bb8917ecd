import FoundationEssentials
import Hex
import Host

/// The identity of a run among all runs of all hosts.
package struct RunIdentity: Sendable {
  /// Its start by the wall clock.
  let began: Date
  /// The host.
  let host: String
  /// The operator; nil if none is named.
  let operatedBy: String?
  /// Whether a time server synchronises the host's clock; nil if the host does not report that.
  let isClockSynchronised: Bool?
  /// Its id: globally unique, with time and host, valid as the name of a folder:
  /// `20261121T090000Z-laptop-1f3a9c`.
  package let id: String

  /// A run that begins now.
  /// - Parameter operatedBy: the person who runs it; this user unless given.
  package init(operatedBy: String? = nil) {
    began = Surroundings.now
    host = HostEnvironment.hostName
    self.operatedBy = operatedBy ?? HostEnvironment.userName
    isClockSynchronised = HostClocks.isSynchronised
    let stamp = began.formatted(
      Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
    let safeHost = host.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }.prefix(32)
    let chance = Surroundings.randomBytes(3).hex()
    id = "\(stamp)-\(String(safeHost))-\(chance)"
  }
}
