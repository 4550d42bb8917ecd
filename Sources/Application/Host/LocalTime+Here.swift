import Foundation
package import Reporting

extension LocalTime {
  /// The time zone of this computer, for what a person reads on the terminal.
  package static var here: LocalTime { LocalTime(.current) }
}
