import Bluetooth
import Engine
import FoundationEssentials
import Model
import Reporting

/// A line of `roboprov monitor`.
struct MonitorLine {
  /// Version of the JSON form.
  static let schema = "roboprov/monitor/1"

  /// The raw values are frozen.
  enum Event: String, CaseIterable {
    case scanStarted = "scan_started"
    case scanEnded = "scan_ended"
    case enter
    case leave
  }

  let event: Event
  let at: Date
  let adapter: Adapter?
  let device: Presence.Device?

  /// The line, without its end.
  var text: String { Self.form.value(self).line }

  static let form = OutputForm<MonitorLine>(
    "monitor", "A line of `roboprov monitor`: a device was received, or has left."
  ) {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("event", "What happened.") { $0.event }
    Field("at", "When it was noticed.") { $0.at }
    Field("adapter", "The adapter that scans: `hci0`; null while none does.") { $0.adapter?.name }
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
  static let definition = "monitor_event"
  static let about = "What happened."
  var documentation: String {
    switch self {
    case .scanStarted: "An adapter scans from now on."
    case .scanEnded:
      "The scan has ended by itself. Until `scan_started` nothing can be received, and no device leaves."
    case .enter: "A device was received for the first time, or again after it had left."
    case .leave: "Nothing was received of the device for `--leave-after` seconds of scanning."
    }
  }
}
