import Bluetooth
import VirtualBuilding

/// A device of no real family. It advertises rarely, accepts any write without response, and responds only if
/// configured to.
struct Lighthouse: Firmware {
  static let service: BluetoothUUID = "0000FACE-0000-1000-8000-00805F9B34FB"
  static let lamp: BluetoothUUID = "0000FACF-0000-1000-8000-00805F9B34FB"

  var flash = Flash()
  var advertisingInterval: Duration?
  var isAnswering = true

  var advertising: AdvertisingPayload? {
    AdvertisingPayload(isConnectable: true, serviceUUIDs: [Self.service])
  }
  var services: [ServiceDefinition] {
    [ServiceDefinition(Self.service, [.init(Self.lamp, [.read, .writeWithoutResponse])])]
  }

  mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .write(nil, Self.lamp, let value):
      flash.values["lamp"] = value
      return [.disconnect]
    default:
      return []
    }
  }

  static func family(every interval: Duration?, isAnswering: Bool = true) -> FirmwareFamily {
    FirmwareFamily(name: "lighthouse") { _ in
      Lighthouse(advertisingInterval: interval, isAnswering: isAnswering)
    }
  }
}
