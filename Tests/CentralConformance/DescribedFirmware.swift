import Bluetooth
import VirtualBuilding

/// A device for the checks: a characteristic with a description that keeps any value, and one without a
/// description. The radio lab has the same one (`lab/radio/described.py`).
struct DescribedFirmware: Firmware {
  static let service: BluetoothUUID = "5C2D0000-90B1-4A0E-8B1D-4E6F74657300"
  static let memory: BluetoothUUID = "5C2D0000-90B1-4A0E-8B1D-4E6F74657301"
  static let other: BluetoothUUID = "5C2D0000-90B1-4A0E-8B1D-4E6F74657302"
  static let description = "memory of the device"

  private var value: [UInt8] = []

  let flash = Flash()
  let advertising: AdvertisingPayload? = AdvertisingPayload(isConnectable: true, localName: "Described")
  let services = [
    ServiceDefinition(
      service, [.init(memory, [.read, .write, .notify], description: description), .init(other, .read)])
  ]

  mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .read(let request, _): return [.answer(request, value)]
    case .write(let request?, _, let value):
      self.value = value
      return [.answer(request, [])]
    case .subscribe(let request, _, _): return [.answer(request, [])]
    default: return []
    }
  }
}

extension FirmwareFamily {
  static let described = FirmwareFamily(name: "described") { _ in DescribedFirmware() }
}
