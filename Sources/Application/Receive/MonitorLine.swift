package import FoundationEssentials
import Reporting
import Engine

/// A line of `roboprov monitor`.
package enum MonitorLine {
  /// The raw values are names in JSON.
  package enum Event: String {
    case scanStarted = "scan_started"
    case scanEnded = "scan_ended"
    case enter
    case leave
  }

  /// The line, without its end.
  package static func text(
    _ event: Event, at time: Date, on adapter: String?, _ device: Presence.Device?
  ) -> String {
    JSONValue.values([
      "schema": "roboprov/monitor/1", "event": event.rawValue, "at": time, "adapter": adapter,
      "address": device?.address, "room": device?.owner?.room, "room_name": device?.owner?.name,
      "room_basis": device?.owner?.basis, "profile": device?.profile, "state": device?.state,
      "rssi": device?.rssi, "last_received": device?.lastReceived,
    ]).line
  }
}
