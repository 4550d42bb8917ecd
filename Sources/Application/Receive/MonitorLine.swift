import Bluetooth
import Engine
package import FoundationEssentials
import Reporting

/// A line of `roboprov monitor`.
package struct MonitorLine {
  /// Version of the JSON form.
  package static let schema = "roboprov/monitor/1"

  /// The raw values are frozen.
  package enum Event: String, CaseIterable {
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
  package var text: String { Self.form.value(self).line }

  static let form = OutputForm<MonitorLine>(
    "monitor", "A line of `roboprov monitor`: a device was received, or has left."
  ) {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("event", "What happened.") { $0.event }
    Field("at", "When it was noticed.") { $0.at }
    Field("adapter", "The adapter that scans, or that received the device last: `hci0`.") { $0.adapter }
    Field("address", "The device; null if the event is about none.") { $0.device?.address }
    Field("room", "The room that it belongs to; null if it belongs to none, or without a manifest.") {
      $0.device?.owner?.room
    }
    Field("room_name", "The name of that room.") { $0.device?.owner?.name }
    Field("room_basis", "The reason why it belongs to that room.") { $0.device?.owner?.basis }
    Field("profile", "Its family; null when it was not recognised.") { $0.device?.profile }
    Field("state", "Whether it waits to be provisioned; null when it was not recognised.") {
      $0.device?.state
    }
    Field("rssi", "RSSI last reported in dBm.") { $0.device?.rssi }
    Field("last_received", "When its last advertisement was received.") { $0.device?.lastReceived }
  }
}

extension MonitorLine.Event: OutputNames {
  package static let definition = "monitor_event"
  package static let about = "What happened."
  package var documentation: String {
    switch self {
    case .scanStarted: "An adapter scans from now on."
    case .scanEnded:
      """
      The scan of an adapter has ended by itself. Until its `scan_started` it receives nothing, and no device that it received \
      last leaves.
      """
    case .enter: "A device was received for the first time, or again after it had left."
    case .leave: "Nothing was received of the device for `--leave-after` seconds of scanning."
    }
  }
}
