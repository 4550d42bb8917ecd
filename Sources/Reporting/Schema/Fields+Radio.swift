package import Bluetooth
package import Model

extension AdapterAwaited: RecordedObject {
  package static let definition = "adapter_awaited"
  package static let about = "Why no adapter could be used yet."
  package static let fields = [
    "cause":
      "Why the best adapter cannot be used; absent while there is no Bluetooth stack.",
    "adapter": "The name of that adapter, if there is one: `hci0`.",
    "seconds": "How long the run will wait, in seconds.",
  ]
}

extension AdapterSelected: RecordedObject {
  package static let definition = "adapter_selected"
  package static let about = "The adapter in use."
  package static let fields = [
    "adapter": "The adapter.",
    "name": "Its name on the host: `hci0`.",
    "alias": "Its name in the manifest; absent if it has none.",
    "place": "Its place in the manifest; absent if it has none.",
    "stack": "Name and version of the Bluetooth stack.",
    "hardware": "Its controller; absent if the host does not report it, as in a virtual building.",
    "slots": "How many links it may hold at once at the start; absent if the run did not use it.",
  ]
}

extension AdapterHardware: RecordedObject {
  package static let definition = "adapter_hardware"
  package static let about = "The controller of an adapter, as far as its host reports it."
  package static let fields = [
    "manufacturer": "The company that made it, by the Bluetooth SIG's number.",
    "core_version": "The version of its core specification, by number: 9 is Bluetooth 5.0.",
    "bus": "The bus that it is on: `usb`, `serial`.",
    "id": "Vendor and product on that bus, lower-case hex: `0bda:8771`.",
    "product": "Its own name.",
    "driver": "The kernel's driver: `btusb`.",
    "path": "Where it is plugged in: `usb1/1-3/1-3:1.0`.",
  ]
}

extension AdapterFault: RecordedObject {
  package static let definition = "adapter_fault"
  package static let about = "What is wrong with an adapter that is there and powered."
  package static let fields = [
    "adapter": "The adapter.",
    "fault": "What is wrong.",
    "power_cycled": "True when it was switched off and on because of that.",
    "stack_text": "The stack's error message, where it gave one.",
  ]
}

extension LinkReleased: RecordedObject {
  package static let definition = "link_released"
  package static let about = "A link that an earlier run, which was killed, had left behind."
  package static let fields = [
    "address": "The device at its other end.",
    "adapter": "The adapter that held it.",
  ]
}

extension ForeignScanDetected: RecordedObject {
  package static let definition = "foreign_scan_detected"
  package static let about =
    "Another program that scans with an adapter in use: BlueZ then takes up to 10 s longer to connect."
  package static let fields = [
    "adapter": "The adapter.",
    "clients":
      "The programs that may have scanned, for people: `bluetoothctl (pid 812)`. Empty if unknown.",
  ]
}

extension ScanPeriod: RecordedObject {
  package static let definition = "scan_window"
  package static let about = "An adapter, and what it scans for."
  package static let fields = [
    "adapter": "The adapter.",
    "purpose": "The purpose of the scan.",
    "room": "The room, when it is for one room.",
  ]
}

extension DeviceSighted: RecordedObject {
  package static let definition = "device_sighted"
  package static let about = "A device, and whether it waits to be provisioned or is at work."
  package static let fields = [
    "address": "The device.",
    "adapter": "The adapter that received it.",
    "profile":
      "The family it was recognised as; absent for a beacon of no family that has the identity of a room.",
    "rssi": "RSSI in dBm.",
    "identity": "Its identity when it is at work; absent while it waits to be provisioned.",
  ]
}

extension DeviceUnclaimed: RecordedObject {
  package static let definition = "device_unclaimed"
  package static let about = "A device that could be provisioned, and that belong to no room of the building."
  package static let fields = [
    "address": "The device.",
    "adapter": "The adapter that received it last.",
    "profile": "Its family.",
    "rssi": "RSSI in dBm.",
  ]
}
