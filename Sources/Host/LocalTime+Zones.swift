import CGLib
import FoundationEssentials
package import Reporting

extension LocalTime {
  /// The time zone of this computer, for what a person reads on the terminal.
  package static let here = of(nil) ?? .utc

  /// The identifier of this computer's time zone: `Europe/Berlin`.
  package static let identifierHere = String(cString: cglib_identifier(cglib_zone(nil)))

  /// The time of a zone of the system's database; nil for an unknown one. GLib reads it: without ICU, which the program leaves
  /// out, Foundation knows only UTC.
  /// - Parameter identifier: nil for the zone of this computer.
  package static func of(_ identifier: String?) -> LocalTime? {
    let zone = cglib_zone(identifier)
    if zone == 0 { return nil }
    return LocalTime { Int(cglib_offset(zone, Int64($0.timeIntervalSince1970.rounded(.down)))) }
  }
}
