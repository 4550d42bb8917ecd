import Bluetooth
import Engine
package import FoundationEssentials
import Reporting

/// A line of `roboprov monitor`.
package struct MonitorLine {
  /// The raw values are names in JSON.
  package enum Event: String {
    case scanStarted = "scan_started"
    case scanEnded = "scan_ended"
    case enter
    case leave
  }

  let event: Event
  let at: Date
  let adapter: String?
  let device: Presence.Device?

  package init(event: Event, at: Date, adapter: String?, device: Presence.Device?) {
    (self.event, self.at, self.adapter, self.device) = (event, at, adapter, device)
  }

  /// The line, without its end.
  package var text: String {
    let line = JSONValue.values([
      "schema": "roboprov/monitor/1", "event": event.rawValue, "at": at, "adapter": adapter,
      "address": device?.address, "room": device?.owner?.room, "room_name": device?.owner?.name,
      "room_basis": device?.owner?.basis, "profile": device?.profile, "state": device?.state,
      "rssi": device?.rssi, "last_received": device?.lastReceived,
    ])
    return line.line
  }
}
