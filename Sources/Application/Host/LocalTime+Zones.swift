import CGLib
import FoundationEssentials
package import Reporting

extension LocalTime {
  /// The time zone of this computer, for what a person reads on the terminal.
  package static let here = of(nil) ?? .utc

  /// The identifier of this computer's time zone: `Europe/Berlin`.
  static let identifierHere: String = {
    let zone = cglib_zone(nil)
    return zone == 0 ? "UTC" : String(cString: cglib_identifier(zone))
  }()

  /// The time of a zone of the system's database; nil for an unknown one. GLib reads it: without ICU, which the program leaves
  /// out, Foundation knows only UTC.
  /// - Parameter identifier: nil for the zone of this computer.
  static func of(_ identifier: String?) -> LocalTime? {
    let zone = identifier.map { cglib_zone($0) } ?? cglib_zone(nil)
    if zone == 0 { return nil }
    return LocalTime { Int(cglib_offset(zone, Int64($0.timeIntervalSince1970.rounded(.down)))) }
  }
}
