import Bluetooth
import VirtualBuilding

/// A device whose only value demands an encrypted link, or one that its passkey protects.
struct PairingFirmware: Firmware {
  static let service: BluetoothUUID = "5C2D0000-90B1-4A0E-8B1D-4E6F74657310"
  static let value: BluetoothUUID = "5C2D0000-90B1-4A0E-8B1D-4E6F74657311"
  static let content: [UInt8] = [0x42]

  let pairing: PairingRules?
  let flash = Flash()
  let advertising: AdvertisingPayload? = AdvertisingPayload(isConnectable: true, localName: "Pairing")

  var services: [ServiceDefinition] {
    let security = pairing?.passkey == nil ? LinkSecurity.encrypted : .authenticated
    return [
      ServiceDefinition(Self.service, [.init(Self.value, [.read, .write, .notify], security: security)])
    ]
  }

  mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .read(let request, _): [.answer(request, Self.content)]
    case .write(let request?, _, _), .subscribe(let request, _, _): [.answer(request, [])]
    default: []
    }
  }
}

extension FirmwareFamily {
  static func pairing(_ rules: PairingRules) -> FirmwareFamily {
    FirmwareFamily(name: "pairing") { _ in PairingFirmware(pairing: rules) }
  }
}
