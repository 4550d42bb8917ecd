package import Bluetooth
package import Model

extension AdapterAwaited: ExplainedKeys {
  package static let fields = [
    "cause":
      "Why the best adapter cannot be used; absent while there is no Bluetooth stack or its host cannot be reached.",
    "adapter": "The name of that adapter, if there is one: `hci0`.",
    "seconds": "How long the run will wait, in seconds.",
  ]
}

extension HostUnavailable: ExplainedKeys {
  package static let fields = [
    "host": "The name of the host.",
    "cause": "Why its adapters cannot be used.",
    "stack_text": "What ssh, the bus or the stack said.",
  ]
}

extension AdapterSelected: ExplainedKeys {
  package static let fields = [
    "name": "Its name on the host: `hci0`; with the host if that is another computer: `floor-3/hci0`.",
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

extension AdapterFault: ExplainedKeys {
  package static let fields = [
    "fault": "What is wrong.",
    "address": "The device that it concerns; absent if it concerns all.",
    "power_cycled": "True when it was switched off and on because of that.",
    "stack_text": "The stack's error message, where it gave one.",
  ]
}

extension LinksHeld: ExplainedKeys {
  package static let fields = [
    "adapter": "The adapter.",
    "links": "How many links it held at once.",
    "full": "True when it refused a further one.",
  ]
}

extension LinkReleased: ExplainedKeys {
  package static let fields = [
    "address": "The device at its other end.",
    "adapter": "The adapter that held it.",
  ]
}

extension ForeignScanDetected: ExplainedKeys {
  package static let fields = [
    "clients": "The programs that may have scanned, for people: `bluetoothctl (pid 812)`. Empty if unknown."
  ]
}

extension ScanPeriod: ExplainedKeys {
  package static let fields = [
    "purpose": "The purpose of the scan.",
    "room": "The room, when it is for one room.",
  ]
}

extension DeviceSighted: ExplainedKeys {
  package static let fields = [
    "adapter": "The adapter that received it.",
    "profile":
      "The family it was recognised as; absent for a beacon of no family that has the identity of a room.",
    "identity": "Its identity when it is at work; absent while it waits to be provisioned.",
  ]
}

extension DeviceUnclaimed: ExplainedKeys {
  package static let fields = [
    "adapter": "The adapter that received it last.",
    "profile": "Its family.",
  ]
}
